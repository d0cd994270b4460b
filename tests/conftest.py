"""What several test files share."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
_LEFT_OUT = shutil.ignore_patterns(
    *(".git", ".venv", "venv", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis")
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of everything that belongs to the project, without what building it leaves behind."""
    return Path(shutil.copytree(ROOT, tmp_path / "checkout", ignore=_LEFT_OUT, symlinks=True))


@pytest.fixture(scope="session")
def package_index(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skips the test where pip cannot fetch what building feedlint needs."""
    if find_spec("pip") is None:
        pytest.skip("this environment has no pip")
    folder = tmp_path_factory.mktemp("download")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), "setuptools>=77"]
    if subprocess.run(command, capture_output=True, timeout=300).returncode != 0:
        pytest.skip("no package index can be reached to build feedlint")
