"""The hooks as pre-commit runs them: from a clone of this repository, installed into an environment of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "trainer_style"

pytestmark = pytest.mark.skipif(
    find_spec("pre_commit") is None or shutil.which("git") is None, reason="pre-commit and git are needed"
)


def git(folder: Path, *arguments: str) -> str:
    """Run git as someone, with no configuration of this machine."""
    identity = {f"GIT_{who}_{what}": "someone@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = os.environ | identity | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def commit_all(folder: Path) -> Path:
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "Begin")
    return folder


def pre_commit(folder: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PRE_COMMIT_HOME": str(home), "PRE_COMMIT_COLOR": "never"}
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )


def starved_project(folder: Path) -> Path:
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return commit_all(folder)


def test_the_manifest_is_valid_and_has_a_name_without_a_dot_too(tmp_path: Path) -> None:
    done = pre_commit(ROOT, tmp_path, "validate-manifest", ".pre-commit-hooks.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (ROOT / "pre-commit-hooks.yaml").read_bytes() == (ROOT / ".pre-commit-hooks.yaml").read_bytes()


def test_try_repo_reports_findings_and_applies_safe_fixes(checkout: Path, tmp_path: Path, package_index: None) -> None:
    commit_all(checkout)
    project = starved_project(tmp_path / "project")
    done = pre_commit(project, tmp_path / "home", "try-repo", str(checkout), "--all-files")
    assert done.returncode == 1, done.stdout + done.stderr
    find, fix = done.stdout.split("feedlint --fix")
    assert "hook id: feedlint\n" in find
    assert "FDL101" in find
    assert "files were modified by this hook" in fix
    assert "num_workers=4" in (project / "data.py").read_text()


def test_the_hooks_leave_a_project_without_torch_alone(checkout: Path, tmp_path: Path, package_index: None) -> None:
    commit_all(checkout)
    project = tmp_path / "project"
    project.mkdir()
    (project / "plain.py").write_text("print('no training here')\n")
    commit_all(project)
    done = pre_commit(project, tmp_path / "home", "try-repo", str(checkout), "--all-files")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("Passed") == 2
