"""Averages over an epoch."""


class AverageMeter:
    def __init__(self):
        self.total = 0.0
        self.count = 0

    def update(self, value, count=1):
        self.total += value * count
        self.count += count

    @property
    def average(self):
        return self.total / max(self.count, 1)
