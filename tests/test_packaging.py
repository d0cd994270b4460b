"""What is installed is complete, and a plain checkout needs no installation."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def run_without_installed_feedlint(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m feedlint` in a folder that holds it.

    With -S no .pth file is read, so that a feedlint that is installed as editable cannot help out; the dependencies are
    found through PYTHONPATH.
    """
    environment = os.environ | {"PYTHONPATH": sysconfig.get_path("purelib"), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-S", "-m", "feedlint", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def wheel(checkout: Path, tmp_path: Path, package_index: None) -> Path:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), str(checkout)]
    subprocess.run(command, check=True, timeout=300)
    (found,) = tmp_path.glob("feedlint-*.whl")
    return found


def test_a_wheel_holds_every_rule_below_the_package_and_runs(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    rules = {path.name for path in (ROOT / "rules").glob("*.py")}
    assert {path.name for path in (target / "feedlint" / "rules").glob("*.py")} == rules
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "feedlint").rglob("*.py")}
    assert modules <= {path.relative_to(target).as_posix() for path in target.rglob("*.py")}
    assert {path.name for path in target.iterdir() if not path.name.endswith(".dist-info")} == {"feedlint"}
    assert (target / "feedlint" / "py.typed").is_file()
    done = run_without_installed_feedlint(target, "rule", "FDL101")
    assert done.returncode == 0, done.stderr
    assert "loader-no-workers" in done.stdout


def test_a_plain_checkout_runs_as_it_is(checkout: Path) -> None:
    done = run_without_installed_feedlint(checkout, "rule", "FDL101")
    assert done.returncode == 0, done.stderr
    assert "loader-no-workers" in done.stdout


def test_every_package_on_the_disk_is_shipped() -> None:
    tomllib = pytest.importorskip("tomllib")
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    found = {".".join(path.parent.relative_to(ROOT).parts) for path in (ROOT / "feedlint").rglob("__init__.py")}
    assert set(listed) == found | {"feedlint.rules"}
