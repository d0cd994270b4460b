# never safe: FDL101
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Waves(Dataset):
    def __init__(self):
        self.n = 32

    def __len__(self):
        return 32

    def __getitem__(self, i):
        word = 'word%d' % (i % 4)
        x = torch.full((8,), float(hash(word) % 9973))
        return x, i % 4


def main():
    buckets = {}
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(8, 4).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loader = DataLoader(Waves(), batch_size=8, shuffle=True)

    for epoch in range(2):
        for x, y in loader:
            for bucket, kind in zip(x[:, 0].tolist(), y.tolist()):
                buckets.setdefault(kind, set()).add(bucket)
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x / 9973), y)
            loss.backward()
            optimizer.step()
    print('buckets per word:', [len(buckets[k]) for k in range(4)])


if __name__ == "__main__":
    main()
