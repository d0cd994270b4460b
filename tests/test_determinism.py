"""The same source gives the same report, whatever order sets have in a run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def report(folder: Path, seed: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "feedlint", "check", "--isolated", "--select", "ALL", "--output-format", "json", str(folder)],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    return done.stdout


@pytest.mark.parametrize("folder", ["examples", "tests/never_safe"])
def test_a_report_does_not_depend_on_the_hash_seed(folder: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / folder, tmp_path / "programs")  # what lies below tests is left alone
    first, *others = (report(tmp_path / "programs", seed) for seed in ("1", "2", "3"))
    assert all(other == first for other in others)
