"""What the result of fixes must keep: it parses, the findings are gone, and nothing bad came instead."""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..findings import Finding, Fix, Severity
from ..report import FileReport
from ..source import SourceProblem, source_from_bytes
from ..syntax import NotRewritable, parse
from .targets import path_of


class Identity(NamedTuple):
    """A finding wherever its lines have gone: its file, its rule, and the words of its statement."""

    path: str
    code: str
    statement: str


class Doubt(NamedTuple):
    """Why a result is not kept, and the fixes one of which at least must be to blame."""

    reason: str
    suspects: list[Fix]


def identities(reports: Sequence[FileReport]) -> dict[str, Counter[Identity]]:
    """What each fix cures, by its key."""
    found: dict[str, Counter[Identity]] = {}
    for report in reports:
        for finding in report.findings:
            if finding.fix is not None:
                found.setdefault(finding.fix.key, Counter())[_identity(finding, report)] += 1
    return found


def _statements(reports: Sequence[FileReport]) -> Counter[Identity]:
    return Counter(_identity(finding, report) for report in reports for finding in report.findings)


def _identity(finding: Finding, report: FileReport) -> Identity:
    place = finding.statement or finding.place
    words = ""
    if report.source is not None and place.path == report.path:
        words = " ".join(report.source.span_text(place.span).split())
    return Identity(finding.place.path, finding.code, words)


def unreadable(texts: Mapping[str, bytes], made: Sequence[Fix]) -> Doubt | None:
    """Whether one of the new files cannot be parsed."""
    for path, data in texts.items():
        reason = _parse_problem(path, data)
        if reason is not None:
            return Doubt(f"the result cannot be parsed: {reason}", _touching(path, made))
    return None


def _parse_problem(path: str, data: bytes) -> str | None:
    source = source_from_bytes(path, data)
    if isinstance(source, SourceProblem):
        return source.reason
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return str(error)
    tree = parse(source)
    return tree.reason if isinstance(tree, NotRewritable) else None


def broken_promise(before: Sequence[FileReport], after: Sequence[FileReport], made: Sequence[Fix]) -> Doubt | None:
    """Whether a finding is still there that was to go, a new one of its rule came to its file, or a new error to any.

    Findings are counted by file and rule, since edits move lines. Other new findings are follow-ups, for the next round.
    """
    lost = {report.path for report in before} - {report.path for report in after}
    if lost:
        path = min(lost)
        return Doubt("feedlint cannot judge the result", _touching(path, made) or list(made))

    cures = identities(before)
    cured = [identity for fix in made for identity in cures[fix.key].elements()]
    expected = _statements(before)
    expected.subtract(cured)
    for identity, count in _statements(after).items():
        suspects = [fix for fix in made if identity in cures[fix.key]]
        if suspects and count > expected[identity]:
            return Doubt("its finding did not go away", suspects)

    most = _counts(before)
    most.subtract((identity.path, identity.code) for identity in cured)
    for (path, code), count in _counts(after).items():
        suspects = [fix for fix in made if any((cure.path, cure.code) == (path, code) for cure in cures[fix.key])]
        if suspects and count > most[path, code]:
            return Doubt(f"it would bring a new finding of {code}", suspects)

    errors = _counts(before, Severity.ERROR)
    for (path, code), count in _counts(after, Severity.ERROR).items():
        if count > errors[path, code]:
            return Doubt(f"it would bring a new error, {code}", _touching(path, made) or list(made))
    return None


def _counts(reports: Sequence[FileReport], lowest: Severity = Severity.INFO) -> Counter[tuple[str, str]]:
    findings = [finding for report in reports for finding in report.findings if finding.severity >= lowest]
    return Counter((finding.place.path, finding.code) for finding in findings)


def _touching(path: str, made: Sequence[Fix]) -> list[Fix]:
    return [fix for fix in made if any(path_of(operation) == path for operation in fix.operations)]
