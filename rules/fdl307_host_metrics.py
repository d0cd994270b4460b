"""FDL307: Outputs are copied to the host in every training step."""

from __future__ import annotations

from collections.abc import Iterator

from feedlint.api import STABLE, Bad, Finding, Good, HostRead, Rule, Settings, Severity

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


class HostMetrics(Rule):
    """Outputs are copied to the host in every training step.

    ## What it does

    Finds `.cpu()`, `.numpy()`, `.tolist()` and their like on outputs in a training loop.

    ## Why it starves the GPU

    The host waits until every kernel before it is done, and only then launches the next ones: the queue runs empty.

    ## What it is worth

    0-18 %: 1.18x for 276 reads per step (fairchem), 5-10 % for one more read (fvdb), under 1 % where the GPU is busy anyway.

    ## When it is right

    Evaluation that needs its outputs, inference that writes them, copies every n steps and data of the host are not reported.

    ## Fix safety

    No edit: compute the metric on the device, or collect tensors and copy them once per epoch.

    ## References

    PyTorch's performance tuning guide, "avoid unnecessary CPU-GPU synchronization"; facebookresearch/fairchem#2193.
    """

    code, name, since = "FDL307", "host-metrics-per-step", "0.1"
    status = STABLE
    severity = Severity.INFO
    sees = HostRead
    needs = ("cpu", "numpy", "tolist", "array")
    worth = "0-18 %, nothing where the GPU is busy anyway"
    bad = (Bad(_START.replace("    total = 0.0\n", "    scores = []\n") + "        scores.extend(net(wave).softmax(1).tolist())  #! FDL307\n" + _END),)
    good = (Good(_START + "        if step % 50 == 0:\n            print(net(wave).cpu().shape)\n" + _END, "It copies every fifty steps."),)

    def judge(self, read: HostRead, settings: Settings) -> Iterator[Finding]:
        if read.use != "host" or not read.in_training:
            return
        yield self.finding(
            read,
            "outputs are copied to the host in every step",
            advice="compute on the device, or collect the tensors and copy them once",
        )
