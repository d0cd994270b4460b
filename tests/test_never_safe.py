"""Programs that a fix would change or break, each in its own way: that fix is never called safe for them.

The first line of a program (in a folder: of its main file) names the fix, and the line where it would start. All but the copies
and a few edits of tensors, whose damage shows only on a GPU, were run: the fixed program failed, hung or computed something
else under fork, spawn or forkserver.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from feedlint.config import Settings
from feedlint.engine import judge
from feedlint.fixes.plan import plan_of
from feedlint.project import Project

FOLDER = Path(__file__).parent / "never_safe"
PROGRAMS = sorted(path for path in FOLDER.iterdir() if path.suffix == ".py" or (path.is_dir() and path.name != "__pycache__"))
MARK = re.compile(r"# never safe: (?P<code>FDL\d+)(?: line (?P<line>\d+))?")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_the_fix_is_not_safe(program: Path, tmp_path: Path) -> None:
    if program.is_dir():
        shutil.copytree(program, tmp_path, dirs_exist_ok=True)
    else:
        shutil.copy(program, tmp_path / "train.py")
    files = sorted(tmp_path.rglob("*.py"))
    (mark,) = (found for path in files if (found := MARK.match(path.read_text())))
    project = Project(str(tmp_path), Settings())
    reports = [judge(project, str(path)) for path in files]
    plan = plan_of(reports, frozenset(), frozenset(str(path) for path in files))
    findings = [finding for report in reports for finding in report.findings]
    assert findings
    applied = {(f.code, f.place.span.line) for f in findings if f.fix is not None and f.fix in plan.applied}
    line = mark["line"]
    assert not [a for a in applied if a[0] == mark["code"] and (line is None or a[1] == int(line))]
