"""Draw the images that the example trains on."""

import numpy as np

SIZE = 32


def stripes(phase, period):
    """Slanted stripes; a flip changes the slant, so each class is drawn in both."""
    row, column = np.mgrid[:SIZE, :SIZE]
    return np.sin(2 * np.pi * (row + column + phase) / period)


def rings(phase, period):
    row, column = np.mgrid[:SIZE, :SIZE] - SIZE / 2
    return np.sin(2 * np.pi * (np.hypot(row, column) + phase) / period)


def checks(phase, period):
    row, column = np.mgrid[:SIZE, :SIZE]
    return np.sin(2 * np.pi * (row + phase) / period) * np.sin(2 * np.pi * column / period)


def write_images(folder, per_class=80):
    """Write one folder of binary PPM files for each class."""
    noise = np.random.default_rng(20)
    for pattern in (stripes, rings, checks):
        target = folder / pattern.__name__
        target.mkdir()
        for number in range(per_class):
            grey = pattern(noise.uniform(0, SIZE), noise.uniform(6, 12))
            colour = grey[..., None] + noise.normal(scale=0.3, size=(SIZE, SIZE, 3))
            pixels = (127.5 + 80 * colour).clip(0, 255).astype(np.uint8)
            header = f"P6\n{SIZE} {SIZE}\n255\n".encode()
            (target / f"{number:03}.ppm").write_bytes(header + pixels.tobytes())
