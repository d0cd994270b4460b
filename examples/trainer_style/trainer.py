"""A small trainer: epochs, steps, metrics."""

import torch
from meter import AverageMeter
from torch import nn


class Trainer:
    def __init__(self, model, config):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.config = config
        self.optimizer = torch.optim.SGD(model.parameters(), lr=config.learning_rate, momentum=0.9)
        self.criterion = nn.BCEWithLogitsLoss()

    def fit(self, data):
        data.setup()
        train_loader = data.train_dataloader()
        val_loader = data.val_dataloader()
        for epoch in range(self.config.epochs):
            train_loss = self.train_epoch(train_loader)
            val_loss = self.validate(val_loader)
            print(f"epoch {epoch + 1}  training {train_loss:.6f}  validation {val_loss:.6f}")

    def train_epoch(self, loader):
        self.model.train()
        losses = AverageMeter()
        for spectrum, worn in loader:
            loss = self.compute_loss(spectrum, worn)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            losses.update(loss.item(), len(worn))
        return losses.average

    def validate(self, loader):
        self.model.eval()
        losses = AverageMeter()
        with torch.no_grad():
            for spectrum, worn in loader:
                loss = self.compute_loss(spectrum, worn)
                losses.update(loss.item(), len(worn))
        return losses.average

    def compute_loss(self, spectrum, worn):
        spectrum = spectrum.to(self.device)
        worn = worn.to(self.device)
        return self.criterion(self.model(spectrum).squeeze(1), worn.float())
