"""The programs in examples/: what is found in them is what they were written for, and fixing them changes no number."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
EXPECTED = Path(__file__).with_name("examples.expected")
NAMES = ("image_folder", "tabular_csv", "text_collate", "trainer_style", "next_iter_steps")
UNSEEDED = "next_iter_steps"

# Two workers instead of four, because every one of them imports torch under spawn and forkserver.
WORKERS = 2

START = """\
import multiprocessing, os
multiprocessing.set_start_method(os.environ["START_METHOD"])
"""


def feedlint(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "feedlint", *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, timeout=300
    )


def run(folder: Path, site: Path, start_method: str) -> str:
    """What the program in a folder prints when its workers are started by this method."""
    site.mkdir(exist_ok=True)
    (site / "sitecustomize.py").write_text(START)
    environment = os.environ | {
        "PYTHONPATH": str(site),
        "START_METHOD": start_method,
        # One thread: the order in which several add up numbers is not always the same.
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [sys.executable, "train.py"], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@functools.cache
def original_output(name: str, site: Path) -> str:
    """The program as it stands starts no other process, so one run stands for all start methods."""
    return run(EXAMPLES / name, site, "spawn")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("site")


@functools.cache
def findings() -> list[dict[str, Any]]:
    done = feedlint("check", "--isolated", "--preview", "--no-cache", "--output-format", "json", EXAMPLES)
    assert done.returncode == 1, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def described(finding: dict[str, Any]) -> str:
    """One line: where, which rule, and how far its fix was proven."""
    place = Path(finding["filename"]).relative_to(EXAMPLES).as_posix()
    fix = finding["fix"]
    fixed = " ".join(["manual"] if fix is None else [fix["applicability"], *fix["risks"]])
    return f"{place}:{finding['location']['row']} {finding['code']} {fixed}"


@pytest.mark.parametrize("name", NAMES)
def test_the_findings_are_those_that_the_example_was_written_for(name: str) -> None:
    expected = [line for line in EXPECTED.read_text().splitlines() if line.startswith(f"{name}/")]
    assert expected
    assert [line for line in map(described, findings()) if line.startswith(f"{name}/")] == expected


def test_every_example_is_listed_here() -> None:
    assert {path.parent.name for path in EXAMPLES.glob("*/train.py")} == set(NAMES)


def fixed_copy(name: str, folder: Path, *options: str) -> Path:
    copy = folder / name
    shutil.copytree(EXAMPLES / name, copy, ignore=shutil.ignore_patterns("__pycache__"))
    done = feedlint("check", "--no-cache", "--isolated", "--config", f"workers={WORKERS}", "--fix", *options, copy)
    assert done.returncode in (0, 1), done.stderr
    return copy


def text_of(folder: Path) -> str:
    return "".join(path.read_text() for path in sorted(folder.glob("*.py")))


@pytest.mark.torch
@pytest.mark.parametrize("start_method", ["fork", "spawn", "forkserver"])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("text_collate", ()),
        ("trainer_style", ()),
        ("tabular_csv", ("--accept", "option-default")),
    ],
)
def test_workers_change_no_number_of_a_seeded_run(
    name: str, options: tuple[str, ...], start_method: str, tmp_path: Path, site: Path
) -> None:
    copy = fixed_copy(name, tmp_path, *options)
    assert re.search(rf"num_workers={WORKERS}|\"--workers\", type=int, default={WORKERS}", text_of(copy))
    assert run(copy, site, start_method) == original_output(name, site)


@pytest.mark.torch
@pytest.mark.parametrize("name", ["image_folder", "tabular_csv"])
def test_safe_fixes_start_no_workers_where_that_is_not_proven_and_change_no_number(
    name: str, tmp_path: Path, site: Path
) -> None:
    copy = fixed_copy(name, tmp_path)
    assert "num_workers=2" not in text_of(copy)
    assert run(copy, site, "spawn") == original_output(name, site)


@pytest.mark.torch
@pytest.mark.parametrize("start_method", ["fork", "spawn", "forkserver"])
def test_the_unseeded_example_still_runs_after_its_safe_fixes(start_method: str, tmp_path: Path, site: Path) -> None:
    copy = fixed_copy(UNSEEDED, tmp_path)
    assert text_of(copy) != text_of(EXAMPLES / UNSEEDED)
    without_numbers = re.sub(r"\d+\.\d+", "#", run(copy, site, start_method))
    assert without_numbers == re.sub(r"\d+\.\d+", "#", original_output(UNSEEDED, site))


@pytest.mark.torch
@pytest.mark.parametrize("name", [name for name in NAMES if name != UNSEEDED])
def test_a_seeded_example_prints_the_same_in_every_run(name: str, site: Path) -> None:
    assert run(EXAMPLES / name, site, "fork") == original_output(name, site)
