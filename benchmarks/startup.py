"""What it costs to start feedlint, against the budgets. Usage: python benchmarks/startup.py [--runs N]

Wall and CPU time of whole processes, measured in turn in one run; the least of several, because everything that disturbs a
measurement makes it longer. Exits with 1 where a budget is not kept.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# An installed package has its byte code beside it.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
CLEAN = """\
import torch
from torch.utils.data import DataLoader


def train(frames, model, optimizer):
    loader = DataLoader(frames, batch_size=64, shuffle=True, num_workers=4, pin_memory=True, persistent_workers=True)
    for image, label in loader:
        image, label = image.to("cuda", non_blocking=True), label.to("cuda", non_blocking=True)
        loss = torch.nn.functional.cross_entropy(model(image), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


@dataclass(frozen=True)
class Cost:
    """Seconds of one process, with those of its children."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Case:
    name: str
    command: Sequence[str]
    budget: str
    keeps: Callable[[Cost, Cost], bool]
    """Given its own cost and that of an empty Python program."""


def cost(command: Sequence[str]) -> Cost:
    begin = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} exited with {process.returncode}")
    return Cost(wall, usage.ru_utime + usage.ru_stime)


def least(commands: Sequence[Sequence[str]], runs: int) -> list[Cost]:
    """The least wall and CPU time of each command; the commands take turns, so that a slow moment hits them all."""
    for command in commands:
        cost(command)  # writes the byte code
    found: list[list[Cost]] = [[] for _ in commands]
    for _ in range(runs):
        for costs, command in zip(found, commands, strict=True):
            costs.append(cost(command))
    return [Cost(min(one.wall for one in costs), min(one.cpu for one in costs)) for costs in found]


def imports_libcst(command: Sequence[str]) -> bool:
    done = subprocess.run([command[0], "-X", "importtime", *command[1:]], cwd=ROOT, capture_output=True, text=True)
    return any(line.rsplit("|", 1)[-1].strip().startswith("libcst") for line in done.stderr.splitlines())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    feedlint = [sys.executable, "-m", "feedlint"]
    with tempfile.TemporaryDirectory() as folder:
        clean, plain = Path(folder) / "clean.py", Path(folder) / "plain.py"
        clean.write_text(CLEAN)
        plain.write_text("print('nothing to train here')\n")
        check = [*feedlint, "check", "--isolated", "--no-cache"]
        cases = [
            Case("--version", [*feedlint, "--version"], "100 ms wall", lambda own, _: own.wall < 0.1),
            Case("--help", [*feedlint, "--help"], "100 ms wall", lambda own, _: own.wall < 0.1),
            *(
                Case(
                    f"check {what}",
                    [*check, str(path)],
                    "60 ms CPU above Python's own",
                    lambda own, empty: own.cpu - empty.cpu < 0.06,
                )
                for what, path in (("a file without torch", plain), ("a clean training file", clean))
            ),
        ]
        empty, *costs = least([[sys.executable, "-c", "pass"], *(case.command for case in cases)], runs)
        print(f"{'':24}{'wall':>8}{'CPU':>8}{'CPU above':>11}  {'budget':30}{'kept':6}LibCST")
        print(f"{'python -c pass':24}{empty.wall * 1e3:5.0f} ms{empty.cpu * 1e3:5.0f} ms")
        kept = True
        for case, own in zip(cases, costs, strict=True):
            loaded = imports_libcst(case.command)
            good = case.keeps(own, empty) and not loaded
            kept = kept and good
            print(
                f"{case.name:24}{own.wall * 1e3:5.0f} ms{own.cpu * 1e3:5.0f} ms{(own.cpu - empty.cpu) * 1e3:8.0f} ms"
                f"  {case.budget:30}{'yes' if good else 'NO':6}{'imported' if loaded else 'not imported'}"
            )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
