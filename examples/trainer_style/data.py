"""Vibrations of machines: one array file for each recording."""

from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

SAMPLES = 512


def write_recordings(folder, count, seed):
    """Write recordings of sound and of worn machines; a worn one hums at a higher pitch."""
    random = np.random.default_rng(seed)
    time = np.arange(SAMPLES) / SAMPLES
    Path(folder).mkdir(parents=True)
    for number in range(count):
        worn = number % 2
        pitch = random.uniform(40, 60) if worn else random.uniform(20, 40)
        wave = np.sin(2 * np.pi * (pitch * time + random.uniform())) + random.normal(scale=0.5, size=SAMPLES)
        np.save(Path(folder) / f"{number:03}-{worn}.npy", wave.astype(np.float32))


class Recordings(Dataset):
    """The loudness of each pitch in a recording, and 1 where the machine is worn."""

    def __init__(self, folder):
        self.paths = sorted(Path(folder).glob("*.npy"))

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        path = self.paths[index]
        spectrum = np.abs(np.fft.rfft(np.load(path)))[:64] / SAMPLES
        return torch.from_numpy(spectrum.astype(np.float32)), float(path.stem.endswith("1"))


class VibrationData:
    def __init__(self, folder, config):
        self.folder = Path(folder)
        self.config = config

    def setup(self):
        write_recordings(self.folder / "training", count=160, seed=1)
        write_recordings(self.folder / "validation", count=48, seed=2)

    def train_dataloader(self):
        return DataLoader(
            Recordings(self.folder / "training"),
            batch_size=self.config.batch_size,
            shuffle=True,  # the files are sorted by number
            drop_last=True,
        )

    def val_dataloader(self):
        return DataLoader(Recordings(self.folder / "validation"), batch_size=self.config.batch_size)
