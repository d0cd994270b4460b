# never safe: FDL103
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
def advance(cfg):
    cfg['scale'] *= 0.9


class Waves(Dataset):
    def __init__(self, cfg):
        self.n = 32
        self.cfg = cfg

    def __len__(self):
        return 32

    def __getitem__(self, i):
        return self.cfg['scale'] * torch.sin(torch.linspace(0, 1 + i, 8)), i % 4


def main():
    cfg = {'scale': 1.0}
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(8, 4).to(device)
    nn.init.constant_(net.weight, 0.1)
    nn.init.constant_(net.bias, 0.1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loader = DataLoader(Waves(cfg), batch_size=8, num_workers=2)
    losses = []

    for epoch in range(2):
        advance(cfg)
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
