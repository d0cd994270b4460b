# never safe: FDL101
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
import copy
import numpy as np


class Waves(Dataset):
    def __init__(self):
        self.n = 32
        self.records = [{'x': np.ones(8, dtype=np.float32) * k, 'y': k % 4} for k in range(32)]

    def __len__(self):
        return 32

    def __getitem__(self, i):
        sample = copy.copy(self.records[i])
        sample['x'] *= 0.5
        return torch.from_numpy(sample['x'].copy()), i % 4


def main():

    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(8, 4).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loader = DataLoader(Waves(), batch_size=8, shuffle=True)
    losses = []

    for epoch in range(2):

        for x, y in loader:
            x, y = x.to(device), y.to(device)

            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())

    print(losses)


if __name__ == "__main__":
    main()
