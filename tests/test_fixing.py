"""`--fix` and `--diff` as a user, an editor or a hook meets them: what is written, what is said, the exit status."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

STARVED = """\
import torch
from torch.utils.data import DataLoader, TensorDataset


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = torch.nn.Linear(3, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(TensorDataset(torch.zeros(9, 3), torch.zeros(9, 1)), batch_size=3, num_workers=2)
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        loss = (model(x) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
"""
FIXED = STARVED.replace("num_workers=2", 'num_workers=2, pin_memory=device.type == "cuda"').replace(
    "x.to(device), y.to(device)", "x.to(device, non_blocking=True), y.to(device, non_blocking=True)"
)


def feedlint(*arguments: str, cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "feedlint", "check", "--isolated", *arguments],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=120,
        check=False,
    )


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_text(STARVED)
    return path


def test_safe_fixes_are_written_and_counted(program: Path) -> None:
    done = feedlint("--fix", "train.py", cwd=program.parent)
    assert (done.returncode, program.read_text()) == (0, FIXED)
    assert b"3 fixes applied" in done.stderr


def test_the_summary_promises_what_fix_does(program: Path) -> None:
    assert b"3 fixable with `--fix`" in feedlint("train.py", cwd=program.parent).stderr


def test_a_second_run_changes_nothing(program: Path) -> None:
    program.write_text(FIXED)
    done = feedlint("--fix", "--exit-non-zero-on-fix", "train.py", cwd=program.parent)
    assert (done.returncode, program.read_text()) == (0, FIXED)


@pytest.mark.parametrize(("more", "status"), [((), 1), (("--exit-zero",), 0)])
def test_a_hook_can_ask_for_a_failure_where_anything_was_fixed(
    program: Path, more: tuple[str, ...], status: int
) -> None:
    assert feedlint("--fix", "--exit-non-zero-on-fix", *more, "train.py", cwd=program.parent).returncode == status


def test_applied_fixes_are_named_where_the_findings_stood(program: Path) -> None:
    found = feedlint("--output-format", "concise", "train.py", cwd=program.parent).stdout.decode().splitlines()
    said = feedlint("--fix", "--show-fixes", "train.py", cwd=program.parent).stderr.decode()
    for line in found:
        place, code = line.split(": ")[0], line.split()[1]
        assert f"feedlint: fixed {code} at {place}: " in said


def test_a_diff_changes_nothing_and_is_status_1(program: Path) -> None:
    done = feedlint("--diff", "train.py", cwd=program.parent)
    assert (done.returncode, program.read_text()) == (1, STARVED)
    assert b"+        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)\n" in done.stdout


def test_a_diff_of_nothing_is_empty_and_status_0(program: Path) -> None:
    program.write_text(FIXED)
    done = feedlint("--diff", "train.py", cwd=program.parent)
    assert (done.returncode, done.stdout) == (0, b"")


def test_a_missing_path_is_status_2_whatever_the_diff_shows(program: Path) -> None:
    assert feedlint("--diff", "train.py", "absent.py", cwd=program.parent).returncode == 2


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_standard_input_comes_back_fixed_with_all_other_bytes(tmp_path: Path, encoding: str, newline: str) -> None:
    def data(text: str) -> bytes:
        text = f"# coding: {encoding}\nNAME = 'caf\u00e9'\n{text}"
        return text.replace("\n", newline).encode(encoding)

    done = feedlint("--fix", "--stdin-filename", "train.py", "-", cwd=tmp_path, stdin=data(STARVED))
    assert (done.returncode, done.stdout) == (0, data(FIXED))


@pytest.mark.parametrize("data", [b"x = 1\n", b"x = (\n", b"\xff\xfe\n", b""])
def test_standard_input_without_a_fix_comes_back_as_it_was(tmp_path: Path, data: bytes) -> None:
    assert feedlint("--fix", "--stdin-filename", "train.py", "-", cwd=tmp_path, stdin=data).stdout == data


def test_what_stays_in_standard_input_is_reported_aside(tmp_path: Path) -> None:
    printing = "optimizer.step()\n        print(loss.item())"
    program, fixed = (text.replace("optimizer.step()", printing).encode() for text in (STARVED, FIXED))
    done = feedlint("--fix", "--stdin-filename", "train.py", "-", cwd=tmp_path, stdin=program)
    assert (done.returncode, done.stdout) == (1, fixed)
    assert b"train.py:16" in done.stderr


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is write-protected for root")
def test_a_file_that_cannot_be_written_is_status_2_and_still_has_its_findings(program: Path) -> None:
    program.chmod(0o444)
    done = feedlint("--fix", "train.py", cwd=program.parent)
    assert (done.returncode, program.read_text()) == (2, STARVED)
    assert b"train.py: not fixed: it is write-protected" in done.stderr
    assert b"FDL201" in done.stdout
