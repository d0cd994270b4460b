# never safe: FDL101
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Waves(Dataset):
    count: int
    keep: Callable = None

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        x = torch.sin(torch.linspace(0, 1 + i, 8))
        return x, i % 4


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(8, 4).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loader = DataLoader(Waves(32, keep=lambda i: i > 3), batch_size=8, shuffle=True)
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        print(loss.item())


if __name__ == "__main__":
    main()
