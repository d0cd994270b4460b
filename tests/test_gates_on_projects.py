"""Gates on and off give the same findings, over projects that are put together at random from what projects are made of."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from feedlint.config import Settings
from feedlint.engine import judge
from feedlint.project import Project

NAMES = st.sampled_from(["feed", "make", "batches", "get_data", "Loader", "supply", "Feeder", "x"])
WORKERS = st.sampled_from(["", ", num_workers=0", ", num_workers=4", ", num_workers=workers"])

DATASET = """\
import torch
from torch.utils.data import Dataset


class Waves(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.sin(torch.linspace(0, 1 + index, 400)), index % 4
"""
METERS = """\
class Meter:
    def __init__(self):
        self.total = 0.0
        self.seen = []

    def update(self, value):
        self.total += value.item()

    def keep(self, value):
        self.seen.append(float(value))

    def check(self, value):
        if value > 3:
            print("large")
"""
PLAIN = """\
import os


def total(values):
    return {name: sum(values) for name in os.listdir(".")}


def first(values):
    for value in values:
        return value
    while True:
        break
"""
CONSTANTS = "workers = 0\nbatch = 2\nphrase = 'next(iter(loader)) return if { print'\n"


@st.composite
def projects(draw: st.DrawFn) -> dict[str, str]:
    """The files of a project: a training script, and what it may get from others."""
    files = {"dataset.py": DATASET, "plain.py": PLAIN, "constants.py": CONSTANTS}
    name, maker = draw(NAMES), draw(st.sampled_from(["function", "subclass", "partial", "alias", "none", "method"]))
    given_workers = draw(WORKERS)
    call = f"(Waves(), batch_size=batch{given_workers})"
    if maker == "function":
        files["supply_module.py"] = (
            "from torch.utils.data import DataLoader\nfrom constants import batch, workers\nfrom dataset import Waves\n\n\n"
            f"def {name}():\n    return DataLoader{call}\n"
        )
        imported, made = f"from supply_module import {name}\n", f"{name}()"
    elif maker == "subclass":
        files["supply_module.py"] = f"from torch.utils.data import DataLoader\n\n\nclass {name}(DataLoader):\n    pass\n"
        imported, made = f"from supply_module import {name}\n", f"{name}{call}"
    elif maker == "partial":
        files["supply_module.py"] = (
            f"from functools import partial\nfrom torch.utils.data import DataLoader\n\n{name} = partial(DataLoader, shuffle=True)\n"
        )
        imported, made = f"from supply_module import {name}\n", f"{name}{call}"
    elif maker == "alias":
        imported, made = f"from torch.utils.data import DataLoader as {name}\n", f"{name}{call}"
    elif maker == "method":
        files["supply_module.py"] = (
            "from torch.utils.data import DataLoader\nfrom constants import batch, workers\nfrom dataset import Waves\n\n\n"
            f"class Supply:\n    def {name}(self):\n        return DataLoader{call}\n"
        )
        imported, made = "from supply_module import Supply\n", f"Supply().{name}()"
    else:
        imported, made = "from torch.utils.data import DataLoader\n", f"DataLoader{call}"
    step = draw(st.sampled_from(["function in another file", "here"]))
    reads = draw(st.lists(st.sampled_from([
        "meter.update(loss)", "meter.keep(loss)", "meter.check(loss)", "print(f'{loss}')", "total += loss.item()",
        "if loss > 3:\n            break", "extra = torch.zeros(4).to(device)", "other = next(iter(loader))",
    ]), max_size=3, unique=True))
    if any(read.startswith("meter") for read in reads):
        files["meters.py"] = METERS
        imported += "from meters import Meter\n"
    body = "".join(f"        {read}\n" for read in reads)
    loop = (
        "def run(model, loader, optimizer, device):\n    meter = MAKE_METER\n    total = 0.0\n"
        "    for wave, kind in loader:\n        wave, kind = wave.to(device), kind.to(device)\n"
        "        loss = torch.nn.functional.cross_entropy(model(wave), kind)\n        optimizer.zero_grad()\n"
        "        loss.backward()\n        optimizer.step()\n" + body + "    return total\n"
    ).replace("MAKE_METER", "Meter()" if "meters.py" in files else "None")
    start = (
        "\n\ndef main():\n    device = torch.device('cuda')\n    model = torch.nn.Linear(400, 4).to(device)\n"
        f"    loader = {made}\n    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "    for epoch in range(3):\n        run(model, loader, optimizer, device)\n\n\nif __name__ == '__main__':\n    main()\n"
    )
    common = "import torch\nfrom constants import batch, workers\nfrom dataset import Waves\n"
    if step == "here":
        files["train.py"] = common + imported + "\n\n" + loop + start
    else:
        meter = "from meters import Meter\n" if "meters.py" in files else ""
        files["engine.py"] = "import torch\n" + meter + "\n\n" + loop
        files["train.py"] = common + imported.replace(meter, "") + "from engine import run\n" + start
    return files


def findings(folder: Path, files: dict[str, str], gates: bool) -> list[object]:
    project = Project(str(folder), Settings(), gates=gates)
    found: list[object] = []
    for name in sorted(files):
        report = judge(project, str(folder / name))
        found.append((name, report.findings, report.unjudged, dict(report.edits)))
    return found


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(projects())
def test_gates_hold_back_no_finding(files: dict[str, str]) -> None:
    assert_gates_change_nothing(files)


@pytest.mark.slow
@settings(max_examples=1_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(projects())
def test_gates_hold_back_no_finding_in_many_projects(files: dict[str, str]) -> None:
    assert_gates_change_nothing(files)


def assert_gates_change_nothing(files: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, text in files.items():
            (folder / path).write_text(text)
        with_gates, without = findings(folder, files, True), findings(folder, files, False)
    assert repr(with_gates) == repr(without)


def test_a_file_without_torch_may_hold_a_finding() -> None:
    """What the comparison above is worth: there is something to hold back."""
    files = {
        "train.py": "import torch\nfrom meters import Meter\n\nmodel = torch.nn.Linear(4, 1).cuda()\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\nmeter = Meter()\n"
        "for step in range(9):\n    loss = model(torch.ones(2, 4, device='cuda')).sum()\n    loss.backward()\n    optimizer.step()\n    meter.update(loss)\n",
        "meters.py": METERS,
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, text in files.items():
            (folder / path).write_text(text)
        found = findings(folder, files, True)
    assert [len(each[1]) for each in found] == [1, 0]  # type: ignore[index]
