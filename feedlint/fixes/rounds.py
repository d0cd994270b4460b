"""Applies plans round by round until nothing changes, and takes back at any doubt. Pure: bytes in, bytes out."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..findings import Finding, Fix
from ..report import FileReport
from ..source import NotFaithful, Source, SourceProblem, source_from_bytes
from .operations import Edit, Operation
from .plan import Plan, make_plan
from .targets import path_of

_ROUNDS = 10

Judge = Callable[[Mapping[str, bytes]], Sequence[FileReport]]
"""Judges all files again, some of them with other bytes than on the disk."""


@dataclass(slots=True)
class Fixed:
    """`texts` are the new bytes by path; `taken_back` fixes with the reason; `last` the plan of the last round."""

    texts: dict[str, bytes] = field(default_factory=dict)
    applied: list[Fix] = field(default_factory=list)
    taken_back: list[tuple[Fix, str]] = field(default_factory=list)
    reports: Sequence[FileReport] = ()
    last: Plan | None = None


def fix(reports: Sequence[FileReport], judge: Judge, accepted: Collection[str], editable: Collection[str]) -> Fixed:
    """Apply what may be applied. `reports` are those of the files as they are."""
    outcome = Fixed(reports=reports)
    refused: set[str] = set()
    for _ in range(_ROUNDS):
        plan = _plan(outcome.reports, accepted, editable, refused)
        outcome.last = plan
        if not plan.applied:
            return outcome
        texts, made, problems = _written(outcome, plan.applied)
        for each, reason in problems:
            refused.add(each.key)
            outcome.taken_back.append((each, reason))
        if not made:
            continue
        after = judge({**outcome.texts, **texts})
        doubt = _doubt(outcome.reports, after, made)
        if doubt:
            # Everything that shares a file with a doubtful fix goes back; what is left is tried again without them.
            for each, reason in doubt:
                refused.add(each.key)
                outcome.taken_back.append((each, reason))
            continue
        outcome.texts.update(texts)
        outcome.applied += made
        outcome.reports = after
        refused.clear()
    return outcome


def _plan(reports: Sequence[FileReport], accepted: Collection[str], editable: Collection[str], refused: Collection[str]) -> Plan:
    fixes = [f.fix for report in reports for f in report.findings if f.fix is not None]
    edits = {key: made for report in reports for key, made in report.edits.items()}
    return make_plan(fixes, edits, accepted, editable, refused)


def _written(outcome: Fixed, chosen: Sequence[Fix]) -> tuple[dict[str, bytes], list[Fix], list[tuple[Fix, str]]]:
    """The new bytes of the files that these fixes change, those that were made, and those that could not be."""
    from ..syntax import Tree, parse
    from .rendering import render

    problems: list[tuple[Fix, str]] = []
    sources = _sources(outcome)
    rendered: dict[str, tuple[Edit, ...]] = {}
    while True:
        by_path: dict[str, list[Operation]] = {}
        broken = {key for each, _ in problems for key in [each.key]}
        made = [f for f in chosen if f.key not in broken and not any(r in broken for r in f.requires)]
        for each in made:
            for operation in each.operations:
                by_path.setdefault(path_of(operation), []).append(operation)
        failed: list[Operation] = []
        for path, operations in by_path.items():
            source = sources.get(path)
            tree = parse(source) if source is not None else None
            if not isinstance(tree, Tree) or source is None:
                failed += operations
                continue
            result = render(tree, source, operations)
            failed += [operation for operation, _ in result.refused]
            rendered[path] = result.edits
        new = [f for f in made if any(operation in failed for operation in f.operations)]
        if not new:
            break
        problems += [(f, "it could not be written beside the others") for f in new]
    texts: dict[str, bytes] = {}
    for path in by_path:
        source = sources[path]
        text = applied(source, rendered[path])
        try:
            ast.parse(text)
            texts[path] = source.encode(text)
        except (SyntaxError, ValueError, NotFaithful) as error:
            touching = [f for f in made if any(path_of(o) == path for o in f.operations)]
            return {}, [], [*problems, *((f, f"the result would not parse: {error}") for f in touching)]
    return texts, made, problems


def _sources(outcome: Fixed) -> dict[str, Source]:
    found = {}
    wanted = {path_of(o) for r in outcome.reports for f in r.findings if f.fix for o in f.fix.operations}
    by_path = {report.path: report.source for report in outcome.reports if report.source is not None}
    for path in wanted:
        source = by_path.get(path)
        if source is None:
            try:
                data = outcome.texts[path] if path in outcome.texts else open(path, "rb").read()  # noqa: SIM115
            except OSError:
                continue
            read = source_from_bytes(path, data)
            if isinstance(read, SourceProblem):
                continue
            source = read
        found[path] = source
    return found


def applied(source: Source, edits: Iterable[Edit]) -> str:
    """The text after some edits that do not overlap."""
    text = source.text
    for edit in sorted(edits, key=lambda e: (e.place.span.line, e.place.span.column), reverse=True):
        span = edit.place.span
        text = text[: source.offset(span.line, span.column)] + edit.content + text[source.offset(span.end_line, span.end_column) :]
    return text


def _doubt(before: Sequence[FileReport], after: Sequence[FileReport], made: Sequence[Fix]) -> list[tuple[Fix, str]]:
    """Fixes whose finding is still there, or that brought new ones of their rule, by counts that no shifted line upsets."""
    old, new = _counts(before), _counts(after)
    owner = {f.fix.key: f for r in before for f in r.findings if f.fix is not None}
    expected = old.copy()
    for each in made:
        finding = owner[each.key]
        expected[finding.place.path, finding.code] -= 1
    doubtful = []
    for each in made:
        finding = owner[each.key]
        key = (finding.place.path, finding.code)
        if new[key] > expected[key]:
            doubtful.append((each, "its finding did not go away"))
        elif any(code == "FDL000" and count > old[path, code] for (path, code), count in new.items() if path == key[0]):
            doubtful.append((each, "the file could not be read afterwards"))
    return doubtful


def _counts(reports: Sequence[FileReport]) -> Counter[tuple[str, str]]:
    return Counter((f.place.path, f.code) for report in reports for f in report.findings)


__all__ = ["Finding", "Fixed", "applied", "fix"]
