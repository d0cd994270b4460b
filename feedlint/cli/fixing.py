"""`--fix` and `--diff`: from judged files to written ones, with an honest account."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..config import shown
from ..discovery import Found
from ..findings import Fix
from ..fixes.plan import ELSEWHERE, Plan, count, plan_of
from ..render.summary import counted, unlocked
from ..runner import Outcome, Workspace, judge_files
from ..source import Source, source_from_bytes
from . import USAGE_ERROR
from .terminal import is_terminal, say, write, write_bytes

if TYPE_CHECKING:
    from ..fixes.rounds import Fixed
    from ..report import FileReport
    from .check import Request

Report = Callable[["Request", Workspace, Found, Outcome, Plan], int]
"""Shows what is left, with the plan for it; the exit status."""


def apply_fixes(
    request: Request,
    workspace: Workspace,
    found: Found,
    outcome: Outcome,
    overlays: Mapping[str, bytes],
    report: Report,
    accepted: frozenset[str],
) -> int:
    """Apply what may be applied to the files that were found; the exit status. `overlays` is standard input."""
    from ..fixes.rounds import fix

    def judge(texts: Mapping[str, bytes]) -> Sequence[FileReport]:
        again = Workspace(workspace.overrides, workspace.vocabulary, {**overlays, **texts})
        return judge_files(again, found.files).reports

    def read(path: str) -> bytes:
        if path in overlays:
            return overlays[path]
        with open(path, "rb") as file:
            return file.read()

    editable = frozenset(found.files)
    fixed = fix(outcome.reports, judge, accepted, editable, read)
    if request.diff:
        return _show_diff(request, fixed, found, outcome)
    failed: list[str] = []
    if request.standard_input:
        for path, data in overlays.items():
            write_bytes(fixed.texts.get(path, data))
    else:
        failed = _write(fixed)
    reports, plan, applied = fixed.reports, fixed.last, fixed.applied
    if failed:
        # What is on the disk is not what was judged last.
        reports = judge({})
        plan = plan_of(reports, accepted, editable, {each.key for each, _ in fixed.taken_back})
        applied = [each for each in applied if not _touches(each, failed)]
    if request.show_fixes:
        for each in applied:
            say(f"feedlint: fixed {_name(each, fixed.before)}: {each.message}")
    _account(request, applied, fixed, plan, would=False)
    status = report(request, workspace, found, Outcome(tuple(reports), outcome.errors), plan)
    if failed:
        return USAGE_ERROR
    if applied and request.exit_non_zero_on_fix and status == 0 and not request.exit_zero:
        return 1
    return status


def _show_diff(request: Request, fixed: Fixed, found: Found, outcome: Outcome) -> int:
    from ..fixes.diff import encoded, unified

    for path in fixed.changed:
        diff = unified(path, shown(path), fixed.before[path], fixed.texts[path])
        if is_terminal(sys.stdout):
            write(diff)
        else:
            write_bytes(encoded(diff, path, fixed.before[path]))
    _account(request, fixed.applied, fixed, fixed.last, would=True)
    if request.verbosity >= 0 and (more := unlocked(fixed.last)):
        say(f"feedlint: more: {', '.join(more)}")
    if found.missing or outcome.errors:
        return USAGE_ERROR
    return 1 if fixed.changed and not request.exit_zero else 0


def _write(fixed: Fixed) -> list[str]:
    """Write the files, those of one plan all or none; the paths of those that were not."""
    from ..fixes.writing import Change, write_together

    unwritten: list[str] = []
    for part in fixed.parts:
        failures = write_together([Change(path, fixed.before[path], fixed.texts[path]) for path in part])
        for path, reason in failures:
            say(f"feedlint: {shown(path)}: not fixed: {reason}")
        if failures:
            causes = {failure.path for failure in failures}
            for path in part:
                if path not in causes:
                    say(f"feedlint: {shown(path)}: not fixed: it belongs together with {shown(failures[0].path)}")
            unwritten += part
    return unwritten


def _touches(fix: Fix, paths: Sequence[str]) -> bool:
    from ..fixes.targets import path_of

    return any(path_of(operation) in paths for operation in fix.operations)


def _name(fix: Fix, before: Mapping[str, bytes]) -> str:
    """The rule and the place, as they stood when the fix was offered, counted as in the findings."""
    code, _, place = fix.key.partition("@")
    path, line, column = [*place.rsplit(":", 2), "", ""][:3]
    if not (line.isdigit() and column.isdigit()):
        return fix.key
    row, cell = int(line), ""
    source = source_from_bytes(path, before[path]) if path in before else None
    if isinstance(source, Source) and (found := source.cell_position(row)) is not None:
        cell, row = f":cell {found[0]}", found[1]
    return f"{code} at {shown(path)}{cell}:{row}:{int(column) + 1}"


def _account(request: Request, applied: Sequence[Fix], fixed: Fixed, plan: Plan, *, would: bool) -> None:
    """What was fixed, what was not and why. What risks would unlock stands in the summary."""
    if request.verbosity < 0:
        return
    if applied or would or plan.risky or plan.held_back:
        say(f"feedlint: {counted(count(applied), 'fix', 'fixes')} {'would be applied' if would else 'applied'}")
    for each, reason in fixed.taken_back:
        say(f"feedlint: {_name(each, fixed.before)} was tried and taken back: {reason}")
    for reason, number in Counter(reason for _, reason in plan.held_back if reason != ELSEWHERE).items():
        say(f"feedlint: {number} not applied: {reason}")
    # Where an edit belongs is told, so that the file can be named next time.
    edits = {key: made for report in fixed.reports for key, made in report.edits.items()}
    elsewhere = [each for each, reason in plan.held_back if reason == ELSEWHERE]
    if elsewhere:
        paths = {edit.place.path for each in elsewhere for edit in edits.get(each.key, ())}
        others = ", ".join(shown(path) for path in sorted(paths.difference(report.path for report in fixed.reports)))
        say(f"feedlint: {len(elsewhere)} not applied: {ELSEWHERE}{f' ({others})' if others else ''}")
    if not fixed.stable:
        say("feedlint: there was still something to fix after the last round; run it again")
