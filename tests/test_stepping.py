"""A loop without a loader is a step loop if something in it steps, however the step is reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from feedlint.config import Settings
from feedlint.engine import judge
from feedlint.project import Project

STEP = """\
import torch
from functools import partial

model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train_step():
    loss = model(torch.ones(2, 4, device="cuda")).sum()
    loss.backward()
    optimizer.step()
    return loss


"""
LOOPS = {
    "called by its name": "for step in range(1000):\n    print(train_step().item())\n",
    "called by another name": "go = train_step\nfor step in range(1000):\n    print(go().item())\n",
    "called by a function": "def outer():\n    return train_step()\n\nfor step in range(1000):\n    print(outer().item())\n",
    "handed to a function": (
        "def run(work):\n    for step in range(1000):\n        print(work().item())\n\nrun(train_step)\n"
    ),
    "handed on as a partial": "go = partial(train_step)\nfor step in range(1000):\n    print(go().item())\n",
    "called by a method": (
        "class Trainer:\n    def one(self):\n        return train_step()\n\n"
        "    def run(self):\n        for step in range(1000):\n            print(self.one().item())\n\nTrainer().run()\n"
    ),
    "called when an object is called": (
        "class Trainer:\n    def __call__(self):\n        return train_step()\n\n"
        "go = Trainer()\nfor step in range(1000):\n    print(go().item())\n"
    ),
    "kept in an attribute": (
        "class Trainer:\n    def __init__(self, work):\n        self.work = work\n\n"
        "    def run(self):\n        for step in range(1000):\n            print(self.work().item())\n\nTrainer(train_step).run()\n"
    ),
}


def lines_with_findings(folder: Path, text: str) -> list[str]:
    path = folder / "train.py"
    path.write_text(text)
    report = judge(Project(str(folder), Settings()), str(path))
    lines = text.splitlines()
    return [lines[finding.place.span.line - 1].strip() for finding in report.findings]


@pytest.mark.parametrize("how", LOOPS)
def test_a_step_is_found(how: str, tmp_path: Path) -> None:
    found = lines_with_findings(tmp_path, STEP + LOOPS[how])
    assert any(line.startswith("print(") for line in found)


def test_a_step_under_another_imported_name_is_found(tmp_path: Path) -> None:
    (tmp_path / "steps.py").write_text(STEP)
    text = "from steps import train_step as go\n\nfor step in range(1000):\n    print(go().item())\n"
    assert lines_with_findings(tmp_path, text) == ["print(go().item())"]


def test_a_loop_that_steps_nothing_is_no_step_loop(tmp_path: Path) -> None:
    text = STEP + "for step in range(1000):\n    print(model(torch.ones(2, 4, device='cuda')).sum().item())\n"
    assert lines_with_findings(tmp_path, text) == []
