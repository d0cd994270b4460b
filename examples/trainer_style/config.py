"""What can be set about a run."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    epochs: int = 2
    batch_size: int = 16
    learning_rate: float = 0.5
    seed: int = 3
