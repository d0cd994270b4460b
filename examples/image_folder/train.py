"""Classify small images that lie in one folder per class.

What starves here: every image is read, decoded and flipped by the training process itself, each batch is copied from
pageable memory while the loop stands still, and two reads of the device per step let the GPU run dry.
The run is seeded and the flip draws from torch's own stream, so workers would flip other images than today.
"""

import tempfile
from pathlib import Path

import torch
from images import write_images
from torch import nn
from torch.utils.data import DataLoader, Dataset


def read_image(path):
    """Decode a binary PPM file into a tensor of shape (3, height, width) with values from 0 to 1."""
    _, size, _, pixels = path.read_bytes().split(b"\n", 3)
    width, height = (int(number) for number in size.split())
    image = torch.frombuffer(bytearray(pixels), dtype=torch.uint8)
    return image.view(height, width, 3).permute(2, 0, 1).float() / 255


class ImageFolder(Dataset):
    """The images below a folder, labelled by the name of the folder that they lie in."""

    def __init__(self, folder):
        self.paths = sorted(Path(folder).glob("*/*.ppm"))
        self.classes = sorted({path.parent.name for path in self.paths})

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        path = self.paths[index]
        image = read_image(path)
        if torch.rand(()) < 0.5:
            image = image.flip(2)
        return image, self.classes.index(path.parent.name)


class SmallNetwork(nn.Sequential):
    def __init__(self, classes):
        super().__init__(
            nn.Conv2d(3, 8, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(8, 16, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(2),
            nn.Flatten(),
            nn.Linear(64, classes),
        )


def train(folder, epochs=3):
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    images = ImageFolder(folder)
    loader = DataLoader(images, batch_size=16, shuffle=True)
    model = SmallNetwork(len(images.classes)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    criterion = nn.CrossEntropyLoss()

    for epoch in range(epochs):
        total, correct = 0.0, 0
        for image, label in loader:
            image, label = image.to(device), label.to(device)
            scores = model(image)
            loss = criterion(scores, label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(label)
            correct += (scores.argmax(1) == label).sum().item()
        print(f"epoch {epoch + 1}  loss {total / len(images):.6f}  accuracy {correct / len(images):.3f}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        write_images(Path(folder))
        train(folder)


if __name__ == "__main__":
    main()
