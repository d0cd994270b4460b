"""Predict a number from the rows of a CSV file.

What starves here: the whole file is parsed again for every single row, and by default no worker does it: `--workers` is
0 in options.py. The copies to the device block. (The loss is read only now and then, which is how it should be.)
"""

import tempfile
from pathlib import Path

import numpy as np
import torch
from options import parse_options
from torch import nn
from torch.utils.data import DataLoader, Dataset

COLUMNS = ("cement", "water", "gravel", "age", "strength")


def write_recipes(path, rows=256):
    """Write a table of made-up recipes, with a strength that depends on them."""
    random = np.random.default_rng(5)
    recipe = random.uniform(size=(rows, len(COLUMNS) - 1))
    strength = 2 * recipe[:, 0] - recipe[:, 1] ** 2 + 0.5 * np.sqrt(recipe[:, 3])
    table = np.column_stack([recipe, strength])
    np.savetxt(path, table, delimiter=",", header=",".join(COLUMNS), comments="", fmt="%.6f")


class Recipes(Dataset):
    def __init__(self, path):
        self.path = path
        with open(path) as file:
            self.rows = sum(1 for _ in file) - 1

    def __len__(self):
        return self.rows

    def __getitem__(self, index):
        table = np.loadtxt(self.path, delimiter=",", skiprows=1, dtype=np.float32)
        row = torch.from_numpy(table[index])
        return row[:-1], row[-1:]


def train(options, path):
    torch.manual_seed(options.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(
        Recipes(path),
        batch_size=options.batch_size,
        shuffle=True,
        num_workers=options.workers,
    )
    model = nn.Sequential(nn.Linear(len(COLUMNS) - 1, 32), nn.Tanh(), nn.Linear(32, 1)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=options.learning_rate)

    for epoch in range(options.epochs):
        for step, (recipe, strength) in enumerate(loader):
            recipe = recipe.to(device)
            strength = strength.to(device)
            loss = nn.functional.mse_loss(model(recipe), strength)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 4 == 0:
                print(f"epoch {epoch + 1}  step {step}  loss {loss.item():.6f}")


def main():
    options = parse_options()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recipes.csv"
        write_recipes(path)
        train(options, path)


if __name__ == "__main__":
    main()
