"""FDL203: a tensor is made on the host and moved to the device in every step."""

from __future__ import annotations

from collections.abc import Iterator

from feedlint.api import REFUTED, STABLE, Bad, Creation, Finding, Good, Rule, Settings, Severity

_START = '''\
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Waves(Dataset):
    def __len__(self):
        return 512

    def __getitem__(self, i):
        return torch.sin(torch.linspace(0, 1 + i, 400)), i % 4


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(400, 4).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loader = DataLoader(Waves(), batch_size=64, num_workers=2, pin_memory=torch.cuda.is_available())
    total = 0.0
    for step, (wave, kind) in enumerate(loader):
        wave, kind = wave.to(device, non_blocking=True), kind.to(device, non_blocking=True)
        loss = nn.functional.cross_entropy(net(wave), kind)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
'''
_END = '''\


if __name__ == "__main__":
    main()
'''


class CreatedOnCpu(Rule):
    """A tensor is made on the host and moved to the device in every step.

    ## What it does

    Finds factories such as `torch.zeros(...)` that are followed by `.to(device)` or `.cuda()`, in a step loop or in the
    forward of a module.

    ## Why it starves the GPU

    The host fills memory and waits for a copy from pageable memory, where the device could fill its own.

    ## What it is worth

    Microseconds to milliseconds per step, by size; PyTorch's profiler calls it the extra-copy pattern.

    ## When it is right

    Tensors that are filled on the host before they are moved, functions that take no `device`, and creation outside of the
    loop are not reported.

    ## Fix safety

    Safe for factories whose values are the same on every device. Random ones draw from another stream there
    (`random-stream`), floating ranges may differ in the last bit (`numerics`).

    ## References

    PyTorch's performance tuning guide, "create tensors directly on the target device"; torch.profiler's ExtraCUDACopy.
    """

    code, name, since = "FDL203", "created-on-cpu-then-moved", "0.1"
    status = STABLE
    severity = Severity.WARNING
    sees = Creation
    needs = ("torch",)
    worth = "a copy from pageable memory in every step"
    bad = (
        Bad(
            _START + "        weight = torch.ones(4).to(device)  #! FDL203\n        print(weight.shape)\n" + _END,
            _START + "        weight = torch.ones(4, device=device)\n        print(weight.shape)\n" + _END,
        ),
    )
    good = (
        Good(_START + "        weight = torch.ones(4, device=device)\n        print(weight.shape)\n" + _END, "It is made on the device."),
        Good(
            _START + "        weight = torch.zeros(4)\n        weight[step % 4] = 1\n        print(weight.to(device).shape)\n" + _END,
            "It is filled on the host first.",
        ),
    )

    def judge(self, creation: Creation, settings: Settings) -> Iterator[Finding]:
        obligations = creation.obligations
        against = [o for o in obligations if o.state == REFUTED]
        yield self.finding(
            creation,
            f"torch.{creation.name} fills host memory that is then copied",
            fix=None if against or not creation.is_editable else self.fix(creation, f"device={creation.device}", *creation.operations, obligations=obligations),
            why_not=against,
        )
