"""The parts that the example programs of the rules are put together from."""

from __future__ import annotations

from textwrap import indent

_DATASET = '''\


class Waves(Dataset):
    def __len__(self):
        return 512

    def __getitem__(self, i):
        return torch.sin(torch.linspace(0, 1 + i, 400)), i % 4


'''
SAMPLES = "import torch\nfrom torch import nn\nfrom torch.utils.data import DataLoader, Dataset\n" + _DATASET
SAMPLES_WITH_SAMPLER = (
    "import torch\nfrom torch.utils.data import DataLoader, Dataset, WeightedRandomSampler\n" + _DATASET
)

_OPTIMIZER = "    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
MODEL_ON_DEVICE = (
    '    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
    "    net = nn.Linear(400, 4).to(device)\n" + _OPTIMIZER
)
MODEL_ON_CUDA = "    net = nn.Linear(400, 4).cuda()\n" + _OPTIMIZER

END = '\n\nif __name__ == "__main__":\n    main()\n'


def step(levels: int, wave: str = "wave", kind: str = "kind") -> str:
    """One optimisation step on a batch, `levels` indentations deep; `wave` and `kind` are what the model gets."""
    body = (
        f"loss = nn.functional.cross_entropy(net({wave}), {kind})\n"
        "optimizer.zero_grad()\nloss.backward()\noptimizer.step()\n"
    )
    return indent(body, "    " * levels)


def cuda_step(levels: int) -> str:
    """A step that copies its batch to CUDA asynchronously."""
    return step(levels, "wave.cuda(non_blocking=True)", "kind.cuda(non_blocking=True)")


def device_step(levels: int, options: str = ", non_blocking=True") -> str:
    """A step that copies its batch to `device`."""
    return step(levels, f"wave.to(device{options})", f"kind.to(device{options})")


# A training loop whose batches are on the device and whose step is over: what reads and creations are shown in.
AFTER_A_STEP = (
    SAMPLES
    + "def main():\n"
    + MODEL_ON_DEVICE
    + "    loader = DataLoader(Waves(), batch_size=64, num_workers=2, pin_memory=torch.cuda.is_available())\n"
    "    total = 0.0\n"
    "    for step, (wave, kind) in enumerate(loader):\n"
    "        wave, kind = wave.to(device, non_blocking=True), kind.to(device, non_blocking=True)\n" + step(2)
)
