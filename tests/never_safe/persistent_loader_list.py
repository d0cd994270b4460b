# never safe: FDL103
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Waves(Dataset):
    def __init__(self):
        self.n = 32
        self.scale = 1.0

    def __len__(self):
        return 32

    def __getitem__(self, i):
        x = torch.linspace(0, 1 + i, 8) * self.scale
        return torch.sin(x), i % 4

    def grow(self):
        setattr(self, 'scale', self.scale + 1)


def main():

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(8, 4).to(device)
    nn.init.constant_(net.weight, 0.01)
    nn.init.zeros_(net.bias)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    data = Waves()
    loader = DataLoader(data, batch_size=8, num_workers=2)
    losses = []

    for epoch in range(3):
        data.grow()
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
