# never safe: FDL101
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
import numpy as np


def first(batch):
    x, y = batch[0]
    return torch.as_tensor(x), torch.tensor([y])

class Waves(Dataset):
    def __init__(self):
        self.n = 32
        self.data = np.arange(256, dtype=np.float32).reshape(32, 1, 8) / 256

    def __len__(self):
        return 32

    def __getitem__(self, i):
        x = torch.from_numpy(self.data[i])
        if i < 0:
            raise IndexError(i)
        return x, i % 4


def main():

    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(8, 4).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loader = DataLoader(Waves(), batch_size=1, shuffle=True, collate_fn=first)
    losses = []

    for epoch in range(2):
        for x, y in loader:
            x *= 0.5
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    print(losses)


if __name__ == "__main__":
    main()
