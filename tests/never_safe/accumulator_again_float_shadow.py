# never safe: FDL301
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torch import float


class Waves(Dataset):
    def __init__(self):
        self.n = 32


    def __len__(self):
        return 32

    def __getitem__(self, i):
        x = torch.sin(torch.linspace(0, 1 + i, 8))
        return x, i % 4


def main():

    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(8, 4).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loader = DataLoader(Waves(), batch_size=8, shuffle=True)
    losses = []

    for epoch in range(2):
        total = 0.0
        n = 0
        for x, y in loader:
            x, y = x.to(device), y.to(device)

            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            losses.append(n)
            total += loss.item()
            n += 1
    print(losses)
    print(total / n)

if __name__ == "__main__":
    main()
