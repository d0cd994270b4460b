"""The gates hold back no file in which something could be found, and load nothing heavy for the others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from feedlint.config import Facts, Settings
from feedlint.engine import judge
from feedlint.gates import TRAINING, speaks_of_training
from feedlint.knowledge import hooks, loader_apis
from feedlint.project import Project

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("name", sorted({*loader_apis.BY_NAME, *hooks.ENGINES, *hooks.CLASS_KINDS}))
def test_every_known_loader_and_framework_class_opens_the_gate(name: str) -> None:
    assert TRAINING.search(name.encode())


@pytest.mark.parametrize("line", ["loss.backward()", "optimizer.step()", "opt.step()", "x = x.cuda()", "scaler.step(o)"])
def test_what_makes_a_loop_a_step_loop_opens_the_gate(line: str) -> None:
    assert speaks_of_training([line.encode()])


def test_a_project_without_training_is_held_back() -> None:
    assert not speaks_of_training([b"import os\n", b"def total(values):\n    return sum(float(v) for v in values)\n"])


def test_names_that_the_user_calls_loaders_open_the_gate() -> None:
    assert speaks_of_training([b"feed = Feeder(samples)\n"], ["Feeder"])


def test_a_helper_without_such_words_passes_in_a_project_that_trains(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torch\n")
    assert Project(str(tmp_path), Settings(), {}).may_train


def test_stated_wrappers_open_the_gate_of_a_project(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("feed = Feeder(samples)\n")
    assert not Project(str(tmp_path), Settings(), {}).may_train
    assert Project(str(tmp_path), Settings(facts=Facts(wrappers=("Feeder",))), {}).may_train


def test_neither_rules_nor_meanings_are_loaded_where_nothing_trains(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("import os\n\n\ndef total(values):\n    return sum(float(v) for v in values)\n")
    program = (
        "import sys, feedlint.cli\n"
        "status = feedlint.cli.main(['check', '--isolated', 'plain.py'])\n"
        "heavy = ('libcst', 'feedlint.rules', 'feedlint.registry', 'feedlint.semantics', 'feedlint.domain', 'feedlint.ir')\n"
        "sys.exit(status or ' '.join(name for name in sys.modules if name.startswith(heavy)) or None)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"No findings.\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_the_project_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torch\n")
    os.mkfifo(tmp_path / "pipe.py")
    project = Project(str(tmp_path), Settings(), {})
    assert project.bytes_of(str(tmp_path / "pipe.py")) is None
    assert "regular file" in judge(project, str(tmp_path / "pipe.py")).findings[0].message


def test_a_file_above_the_limit_is_not_read(tmp_path: Path) -> None:
    large = tmp_path / "large.yaml"
    with large.open("wb") as file:
        file.truncate(10_000_001)
    assert Project(str(tmp_path), Settings(), {}).bytes_of(str(large)) is None
