"""`--fix` and `--diff`: from judged files to written ones, with an honest account."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..config import shown
from ..discovery import Found
from ..runner import Outcome, Workspace, judge_files
from .terminal import say, write

if TYPE_CHECKING:
    from .check import Request

Report = Callable[["Request", Workspace, Found, Outcome], int]


def apply_fixes(
    request: Request,
    workspace: Workspace,
    found: Found,
    outcome: Outcome,
    overlays: Mapping[str, bytes],
    report: Report,
    accepted: frozenset[str],
) -> int:
    """Apply what may be applied to the files that were found; the exit status."""
    from ..fixes.diff import unified
    from ..fixes.rounds import fix
    from ..fixes.writing import write as write_file

    def judge(texts: Mapping[str, bytes]) -> tuple[object, ...]:
        again = Workspace(workspace.overrides, workspace.vocabulary, {**overlays, **texts})
        return judge_files(again, found.files).reports

    def read(path: str) -> bytes:
        if path in overlays:
            return overlays[path]
        with open(path, "rb") as file:
            return file.read()

    fixed = fix(outcome.reports, judge, accepted, frozenset(found.files), read)  # type: ignore[arg-type]
    before = fixed.before
    changed = {path: text for path, text in fixed.texts.items() if text != before[path]}
    if request.diff:
        for path in sorted(changed):
            write(unified(path, shown(path), before[path], changed[path]))
        _account(request, len(fixed.applied), fixed, would=True)
        return 1 if changed else (2 if found.missing or outcome.errors else 0)
    written = 0
    failed = False
    for path in sorted(changed):
        if path in overlays:
            write(changed[path].decode("utf-8", "surrogateescape"))
            written += 1
            continue
        problem = write_file(path, before[path], changed[path])
        if problem is None:
            written += 1
        else:
            failed = True
            say(f"feedlint: {shown(path)}: not fixed: {problem}")
    if request.standard_input and not changed:
        write(next(iter(overlays.values())).decode("utf-8", "surrogateescape"))
    if request.show_fixes:
        for each in fixed.applied:
            say(f"feedlint: fixed {each.key.partition('@')[0]} at {shown(each.key.partition('@')[2])}: {each.message}")
    status = 0
    if not request.standard_input:
        status = report(request, workspace, found, Outcome(tuple(fixed.reports), outcome.errors))
    elif any(f.severity >= workspace.settings_of(r.path).fail_on for r in fixed.reports for f in r.findings):
        status = 0 if request.exit_zero else 1
    _account(request, len(fixed.applied), fixed, would=False)
    if failed:
        return 2
    if written and request.exit_non_zero_on_fix and status == 0:
        return 1
    return status


def _account(request: Request, count: int, fixed: object, *, would: bool) -> None:
    """What was fixed, what was not and why."""
    if request.verbosity < 0:
        return
    taken_back = getattr(fixed, "taken_back", [])
    plan = getattr(fixed, "last", None)
    if count:
        say(f"feedlint: {count} {'fix' if count == 1 else 'fixes'} {'would be applied' if would else 'applied'}")
    for each, reason in taken_back:
        say(f"feedlint: {each.key.partition('@')[0]} at {shown(each.key.partition('@')[2])} was taken back: {reason}")
    if plan is None:
        return
    elsewhere = sum("was not named" in reason for _, reason in plan.held_back)
    if elsewhere:
        say(f"feedlint: {elsewhere} not applied: the edit belongs in a file that was not named")
    for risks in sorted({missing for _, missing in plan.risky}, key=lambda r: (len(r), sorted(r))):
        more = plan.unlocked_by(risks)
        say(f"feedlint: {more} more with --accept {','.join(sorted(risks))}")
