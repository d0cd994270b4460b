"""Short reviews, one file each, and how they become batches."""

import re
from pathlib import Path

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

PRAISE = "lovely bright clever warm graceful funny moving splendid".split()
BLAME = "dull clumsy cold endless muddled shallow tired pointless".split()
FILLER = "the a film story plot scene actor music was and with of in very rather".split()
WORDS = {word: number for number, word in enumerate(FILLER + PRAISE + BLAME, start=1)}
PADDING = 0


def write_reviews(folder, per_class, seed):
    """Write reviews of different length below `good` and `bad`."""
    random = np.random.default_rng(seed)
    for name, opinion in (("good", PRAISE), ("bad", BLAME)):
        target = Path(folder) / name
        target.mkdir(parents=True)
        for number in range(per_class):
            words = [*random.choice(FILLER, random.integers(8, 30)), *random.choice(opinion, 3)]
            random.shuffle(words)
            (target / f"{number:03}.txt").write_text(" ".join(words) + ".\n", encoding="utf-8")


class Reviews(Dataset):
    """Word numbers of a review, and 1 where it is a good one."""

    def __init__(self, folder):
        self.paths = sorted(Path(folder).glob("*/*.txt"))

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        path = self.paths[index]
        text = path.read_text(encoding="utf-8").lower()
        words = [WORDS[word] for word in re.findall(r"[a-z]+", text)]
        return torch.tensor(words), int(path.parent.name == "good")


def pad(samples):
    """Join reviews of different length into one batch."""
    words, labels = zip(*samples)
    return {
        "words": pad_sequence(words, batch_first=True, padding_value=PADDING),
        "length": torch.tensor([len(review) for review in words]),
        "label": torch.tensor(labels),
    }


def make_loader(folder, batch_size, shuffle):
    return DataLoader(Reviews(folder), batch_size=batch_size, shuffle=shuffle, collate_fn=pad)
