"""The edits of what is offered, and a plan in a few words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..findings import Fix
from ..fixes.operations import Edit, EnsureImport, RemoveArgument, SetArgument
from ..report import FileReport
from .characters import visible


def edits_by_key(reports: Sequence[FileReport]) -> dict[str, tuple[Edit, ...]]:
    """The text edits of every fix that has some."""
    return {key: edits for report in reports for key, edits in report.edits.items() if edits}


def offered_fixes(reports: Sequence[FileReport]) -> dict[str, Fix]:
    """Every fix that could be made, by its key."""
    known = edits_by_key(reports)
    return {f.fix.key: f.fix for report in reports for f in report.findings if f.fix and f.fix.key in known}


def words_of_plan(fixes: Iterable[Fix]) -> str:
    """What the fixes do, in a few words: the arguments that are set, else the message of the fix."""
    return ", ".join(dict.fromkeys(visible(word) for fix in fixes for word in _words(fix)))


def _words(fix: Fix) -> list[str]:
    words = []
    for operation in fix.operations:
        if isinstance(operation, SetArgument):
            words.append(f"{operation.name}={operation.code}")
        elif isinstance(operation, RemoveArgument):
            words.append(f"without {operation.name}")
        elif not isinstance(operation, EnsureImport):
            return [fix.message]
    return words or [fix.message]
