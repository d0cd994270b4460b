"""Train for a number of steps instead of epochs, on random crops of long recordings.

What starves here: each step makes a new iterator only to take its first batch, so nothing can ever be loaded ahead; the
evaluation has no workers; all copies block. Nothing is seeded: two runs of this program differ anyway.
"""

import tempfile
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

CROP = 128


def write_recordings(folder, count):
    """Write recordings of one of four pitches each."""
    time = np.arange(4 * CROP) / CROP
    for number in range(count):
        pitch = 4 * (1 + number % 4)
        wave = np.sin(2 * np.pi * pitch * time) + 0.3 * np.random.standard_normal(time.size)
        np.save(folder / f"{number:03}.npy", wave.astype(np.float32))


class Crops(Dataset):
    """A crop at a random place of each recording, and the number of its pitch."""

    def __init__(self, folder):
        self.paths = sorted(folder.glob("*.npy"))

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        wave = np.load(self.paths[index])
        start = int(torch.randint(len(wave) - CROP, ()))
        return torch.from_numpy(wave[start : start + CROP]), index % 4


def evaluate(model, loader, device):
    correct, seen = 0, 0
    with torch.no_grad():
        for crop, pitch in loader:
            crop, pitch = crop.to(device), pitch.to(device)
            correct += (model(crop[:, None]).argmax(1) == pitch).sum().item()
            seen += len(pitch)
    return correct / seen


def main(steps=60):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(
        nn.Conv1d(1, 8, 17, stride=4), nn.ReLU(), nn.AdaptiveMaxPool1d(4), nn.Flatten(), nn.Linear(32, 4)
    ).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

    with tempfile.TemporaryDirectory() as folder:
        write_recordings(Path(folder), count=64)
        recordings = Crops(Path(folder))
        train_loader = DataLoader(recordings, batch_size=16, shuffle=True)
        test_loader = DataLoader(recordings, batch_size=32)
        for step in range(1, steps + 1):
            crop, pitch = next(iter(train_loader))
            crop, pitch = crop.to(device), pitch.to(device)
            loss = nn.functional.cross_entropy(model(crop[:, None]), pitch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 20 == 0:
                accuracy = evaluate(model, test_loader, device)
                print(f"step {step}  loss {loss.item():.4f}  accuracy {accuracy:.3f}")


if __name__ == "__main__":
    main()
