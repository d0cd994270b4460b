"""Programs that a fix would change or break, each in its own way: that fix is never called safe for them.

The first line of each program names the fix, and the line where it would start. All but the copies, whose damage shows only on
a GPU, were run: the fixed program failed, hung or computed something else under fork, spawn or forkserver.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from feedlint.config import Settings
from feedlint.engine import judge
from feedlint.fixes.plan import plan_of
from feedlint.project import Project

PROGRAMS = sorted((Path(__file__).parent / "never_safe").glob("*.py"))
MARK = re.compile(r"# never safe: (?P<code>FDL\d+)(?: line (?P<line>\d+))?")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_the_fix_is_not_safe(program: Path, tmp_path: Path) -> None:
    copy = tmp_path / "train.py"
    copy.write_bytes(program.read_bytes())
    mark = MARK.match(program.read_text())
    assert mark is not None
    report = judge(Project(str(tmp_path), Settings()), str(copy))
    plan = plan_of([report], frozenset(), frozenset({str(copy)}))
    applied = {(f.code, f.place.span.line) for f in report.findings if f.fix is not None and f.fix in plan.applied}
    line = mark["line"]
    assert not [a for a in applied if a[0] == mark["code"] and (line is None or a[1] == int(line))]
