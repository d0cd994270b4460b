"""What the user states counts."""

from __future__ import annotations

from pathlib import Path

from feedlint.config import Facts, Settings
from feedlint.engine import judge
from feedlint.findings import Finding
from feedlint.project import Project

LOOP = """\
import torch
from elsewhere import supply

model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train():
    for wave, kind in supply("train"):
        loss = model(wave.cuda()).sum()
        print(loss.item())


train()
"""
LOADER = """\
import torch
from torch.utils.data import DataLoader
from torchvision import datasets

model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(datasets.FakeData(), batch_size=8, num_workers=4, pin_memory=True)
for epoch in range(9):
    for wave, kind in loader:
        loss = model(wave.cuda(non_blocking=True)).sum()
        loss.backward()
        optimizer.step()
        mask = torch.zeros(4).to("cuda")
"""


def findings(folder: Path, text: str, facts: Facts) -> list[Finding]:
    path = folder / "train.py"
    path.write_text(text)
    return list(judge(Project(str(folder), Settings(facts=facts)), str(path)).findings)


def test_a_loop_over_what_the_user_calls_a_loader_is_a_step_loop(tmp_path: Path) -> None:
    assert findings(tmp_path, LOOP, Facts()) == []
    assert [f.code for f in findings(tmp_path, LOOP, Facts(wrappers=("elsewhere.supply",)))] == ["FDL201", "FDL302"]


def test_a_torch_without_an_argument_is_not_given_it(tmp_path: Path) -> None:
    new = {f.code: f.fix for f in findings(tmp_path, LOADER, Facts(torch="2.4"))}
    old = {f.code: f.fix for f in findings(tmp_path, LOADER, Facts(torch="1.5"))}
    older = {f.code: f.fix for f in findings(tmp_path, LOADER, Facts(torch="0.3"))}
    assert new["FDL103"] is not None
    assert old["FDL103"] is None
    assert old["FDL203"] is not None
    assert older["FDL203"] is None
