"""A changed file is written whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from feedlint.fixes.writing import Change, write, write_together

OLD, NEW = b"x = 1\r\n", b"x = 2\r\n"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_bytes(OLD)
    return path


def test_a_file_gets_its_new_content(program: Path) -> None:
    assert write(str(program), OLD, NEW) is None
    assert program.read_bytes() == NEW


def test_nothing_else_stays_in_the_folder(program: Path) -> None:
    write(str(program), OLD, NEW)
    assert os.listdir(program.parent) == ["train.py"]


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no such modes")
@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o664])
def test_the_mode_of_a_file_stays(program: Path, mode: int) -> None:
    program.chmod(mode)
    write(str(program), OLD, NEW)
    assert stat.S_IMODE(program.stat().st_mode) == mode


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give a file away")
def test_the_owner_of_a_file_stays(program: Path) -> None:
    os.chown(program, 1234, 5678)
    write(str(program), OLD, NEW)
    assert (program.stat().st_uid, program.stat().st_gid) == (1234, 5678)


def test_a_link_stays_a_link_and_its_target_is_changed(program: Path) -> None:
    link = program.parent / "link.py"
    link.symlink_to(program.name)
    assert write(str(link), OLD, NEW) is None
    assert link.is_symlink()
    assert program.read_bytes() == NEW


def test_a_file_that_was_changed_meanwhile_is_left_alone(program: Path) -> None:
    program.write_bytes(b"x = 3\r\n")
    assert write(str(program), OLD, NEW) == "it was changed meanwhile"
    assert program.read_bytes() == b"x = 3\r\n"


def test_a_file_that_is_gone_is_not_made_again(program: Path) -> None:
    program.unlink()
    assert "No such file" in str(write(str(program), OLD, NEW))
    assert not program.exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is write-protected for root")
def test_a_write_protected_file_is_left_alone(program: Path) -> None:
    program.chmod(0o444)
    assert write(str(program), OLD, NEW) == "it is write-protected"
    assert program.read_bytes() == OLD


def test_a_failure_at_the_last_step_leaves_the_file_and_no_other(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert write(str(program), OLD, NEW) == "it cannot be written: No space left on device"
    assert {path.name: path.read_bytes() for path in program.parent.iterdir()} == {"train.py": OLD}


def test_files_that_belong_together_are_all_written(program: Path) -> None:
    other = program.parent / "options.py"
    other.write_bytes(OLD)
    assert write_together([Change(str(program), OLD, NEW), Change(str(other), OLD, NEW)]) == []
    assert (program.read_bytes(), other.read_bytes()) == (NEW, NEW)


def test_where_one_file_fails_those_before_it_get_their_content_back(program: Path) -> None:
    other = program.parent / "options.py"
    other.write_bytes(b"x = 3\r\n")
    failures = write_together([Change(str(program), OLD, NEW), Change(str(other), OLD, NEW)])
    assert failures == [(str(other), "it was changed meanwhile")]
    assert (program.read_bytes(), other.read_bytes()) == (OLD, b"x = 3\r\n")
