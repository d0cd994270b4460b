# never safe: FDL101
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


KINDS = list({"sine", "saw", "square", "noise"})

class Waves(Dataset):
    def __init__(self):
        self.n = 32

    def __len__(self):
        return 32

    def __getitem__(self, i):
        kind = ['sine', 'saw', 'square', 'noise'][i % 4]
        x = torch.full((8,), float(i % 4))
        return x, KINDS.index(kind)


def main():
    names = ['sine', 'saw', 'square', 'noise']
    wrong = 0
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(8, 4).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loader = DataLoader(Waves(), batch_size=8, shuffle=True)

    for epoch in range(1):
        for x, y in loader:
            wrong += sum(names[int(k)] != KINDS[label] for k, label in zip(x[:, 0].tolist(), y.tolist()))
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
    print('wrong labels:', wrong)


if __name__ == "__main__":
    main()
