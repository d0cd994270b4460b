"""The command line as a user or a hook meets it: real processes, their output, their exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def feedlint(
    *arguments: str | Path, cwd: Path, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run feedlint in a folder; its output as text."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("FEEDLINT_", "GIT_"))}
    found = subprocess.run(
        [sys.executable, "-m", "feedlint", *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        env={**clean, "PYTHONPATH": str(ROOT), **environment},
        timeout=120,
        check=False,
    )
    decoded = (found.stdout.decode("utf-8", "surrogateescape"), found.stderr.decode("utf-8", "surrogateescape"))
    return subprocess.CompletedProcess(found.args, found.returncode, *decoded)


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_load_neither_libcst_nor_the_rules(option: str, tmp_path: Path) -> None:
    program = (
        "import sys, feedlint.cli\n"
        f"status = feedlint.cli.main([{option!r}])\n"
        "heavy = [name for name in sys.modules if name.startswith(('libcst', 'feedlint.rules', 'feedlint.registry'))]\n"
        "sys.exit(status or ' '.join(heavy) or None)\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=False
    )
    assert (found.returncode, found.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chek"], "There is no command 'chek' - did you mean 'check'?"),
        (["train.py"], "did you mean `feedlint check train.py`?"),
        (["check", "--selct", "ALL"], "--select"),
        (["check", "--output-format", "jsno"], "'jsno' is not known - did you mean 'json'?"),
        (["check", "--min-severity", "inf"], "'inf' is not known - did you mean 'info'?"),
        (["check", "--select", "FDL999"], "--select: unknown rule 'FDL999'"),
        (["check", "--accept", "shufle-order"], "unknown risk 'shufle-order' - did you mean 'shuffle-order'?"),
        (["check", "--config", "workrs=1"], "--config: unknown key 'workrs' - did you mean 'workers'?"),
        (["check", "--config", "absent.toml"], "absent.toml: cannot be read"),
        (["check", "--config", "a b = 1"], "neither a file nor KEY=VALUE"),
        (["check", "--config", "a.toml", "--config", "b.toml"], "names two files"),
        (["check", "-", "train.py"], "cannot be mixed"),
        (["check", "-q", "-v"], "contradict"),
        (["rule", "FDL999"], "no rule is called 'FDL999'"),
        (["rule"], "Name one rule, or give --all."),
        (["explain", "train.py"], "write FILE:LINE"),
        (["explain", "absent.py:3"], "absent.py: there is no such file"),
        (["config", "workres"], "there is no setting 'workres' - did you mean 'workers'?"),
    ],
)
def test_wrong_usage_is_status_2_and_one_clear_line(arguments: list[str], said: str, tmp_path: Path) -> None:
    found = feedlint(*arguments, cwd=tmp_path)
    assert (found.returncode, found.stdout) == (2, "")
    assert said in found.stderr
    assert "Traceback" not in found.stderr


def test_an_unknown_key_in_a_file_is_status_2_with_the_nearest_key(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.feedlint]\nselekt = []\n")
    (tmp_path / "a.py").touch()
    found = feedlint("check", cwd=tmp_path)
    assert (found.returncode, found.stdout) == (2, "")
    assert "pyproject.toml: unknown key 'selekt' - did you mean 'select'?" in found.stderr


def test_a_path_that_does_not_exist_is_status_2(tmp_path: Path) -> None:
    found = feedlint("check", "absent.py", cwd=tmp_path)
    assert (found.returncode, found.stdout) == (2, "")
    assert "absent.py: there is no such file or folder" in found.stderr


def test_a_folder_without_python_is_status_0_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    found = feedlint("check", cwd=tmp_path)
    assert (found.returncode, found.stdout) == (0, "")
    assert "no Python files or notebooks" in found.stderr


def test_a_hook_whose_files_are_all_excluded_is_status_0(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build/a.py").write_text("(\n")
    assert feedlint("check", "--force-exclude", "build/a.py", cwd=tmp_path).returncode == 0


def test_show_files_lists_the_files_of_all_projects_by_their_excludes(tmp_path: Path) -> None:
    for name in ("a.py", "inner/setup.py", "inner/generated/b.py", "generated/c.py", "venv/d.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).touch()
    (tmp_path / "inner/feedlint.toml").write_text('extend-exclude = ["generated"]\n')
    found = feedlint("check", "--show-files", cwd=tmp_path)
    assert [os.path.relpath(path, tmp_path) for path in found.stdout.splitlines()] == [
        "a.py",
        "generated/c.py",
        "inner/setup.py",
    ]


def test_config_shows_values_and_where_they_come_from(tmp_path: Path) -> None:
    (tmp_path / "feedlint.toml").write_text('workers = 2\nfacts.device = "cuda"\n')
    shown = feedlint("config", cwd=tmp_path).stdout.splitlines()
    assert "# from feedlint.toml" in shown
    assert {"workers = 2", 'facts.device = "cuda"', "preview = false"} <= set(shown)


def test_config_of_a_key_says_what_it_takes(tmp_path: Path) -> None:
    shown = feedlint("config", "facts.start-method", cwd=tmp_path).stdout
    assert "Takes one of fork, spawn, forkserver." in shown


def test_rules_are_shown_as_json(tmp_path: Path) -> None:
    found = feedlint("rule", "--all", "--output-format", "json", cwd=tmp_path)
    assert found.returncode == 0
    assert isinstance(json.loads(found.stdout), list)
