"""Rounds of fixes: what is promised is kept, or nothing is changed and that is said.

The rules are toys, so that each can break its promise in its own way: they speak of calls by the name that is called.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

import pytest

from feedlint.findings import Finding, Fix, Obligation, Severity
from feedlint.fixes.operations import Edit, EnsureImport, Operation, ReplaceExpression, SetArgument
from feedlint.fixes.rendering import render
from feedlint.fixes.rounds import ROUNDS, Fixed, fix
from feedlint.fixes.targets import by_path
from feedlint.places import Place, Span
from feedlint.report import FileReport
from feedlint.source import Source, source_from_bytes
from feedlint.syntax import Tree, parse

TRAIN, DATA = "/project/train.py", "/project/data.py"

Spoken = tuple[str, Severity, tuple[Operation, ...], tuple[str, ...]]
"""What a toy says: code, severity, the operations that it offers, their risks."""


class Site:
    """A call in a file: where it stands and what it is given."""

    def __init__(self, source: Source, node: ast.Call) -> None:
        self.path = source.path
        self.node = node
        lines = node.lineno, node.end_lineno or 0
        first, last = map(source.character_column, lines, (node.col_offset, node.end_col_offset or 0))
        self.place = Place(self.path, Span(lines[0], first, lines[1], last))

    def has(self, name: str) -> bool:
        return any(keyword.arg == name for keyword in self.node.keywords)

    def value(self, name: str) -> int:
        return next((ast.literal_eval(k.value) for k in self.node.keywords if k.arg == name), 0)

    def set(self, name: str, code: str = "1") -> SetArgument:
        return SetArgument(self.place, name, code)


def curable(site: Site, risk: str = "") -> Spoken | None:
    return None if site.has("cured") else ("T1", Severity.WARNING, (site.set("cured"),), (risk,) if risk else ())


TOYS: dict[str, Callable[[Site], Spoken | None]] = {
    # Keeps its promise.
    "curable": curable,
    "risky": lambda site: curable(site, "a-risk"),
    # Its finding stays.
    "stubborn": lambda site: ("T1", Severity.WARNING, (site.set("cured"),), ()),
    # Its fix brings an error, or a follow-up of another rule, or of its own.
    "poisoned": lambda site: (
        ("T9", Severity.ERROR, (), ()) if site.has("cured") else ("T2", Severity.WARNING, (site.set("cured"),), ())
    ),
    "layered": lambda site: (
        None
        if site.has("more")
        else ("T3", Severity.WARNING, (site.set("more"),), ())
        if site.has("cured")
        else ("T1", Severity.WARNING, (site.set("cured"),), ())
    ),
    "layered_alike": lambda site: ("T3", Severity.WARNING, (site.set("more"),), ()) if not site.has("more") else None,
    # Its fix cannot be parsed.
    "unparsable": lambda site: ("T4", Severity.WARNING, (EnsureImport(site.path, "no module"),), ()),
    # There is always something left to do.
    "endless": lambda site: (
        f"T{5 + site.value('n') % 2}",
        Severity.WARNING,
        (site.set("n", str(site.value("n") + 1)),),
        (),
    ),
}


def judged(files: Mapping[str, bytes]) -> list[FileReport]:
    return [_report(path, source_from_bytes(path, data), files) for path, data in files.items()]


def _report(path: str, source: object, files: Mapping[str, bytes]) -> FileReport:
    assert isinstance(source, Source)
    findings = []
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            findings += _findings(Site(source, node), node.func.id, files)
    findings.sort(key=lambda finding: finding.place.span)
    edits = {f.fix.key: _edits(f.fix, files) for f in findings if f.fix is not None}
    return FileReport(path, tuple(findings), source=source if findings else None, edits=edits)


def _configured(site: Site, files: Mapping[str, bytes]) -> Spoken | None:
    """A loader whose worker count is a default in another file."""
    if files[DATA] != b"workers = 0\n":
        return None
    return "T1", Severity.WARNING, (ReplaceExpression(Place(DATA, Span(1, 10, 1, 11)), "4"),), ()


def _findings(site: Site, called: str, files: Mapping[str, bytes]) -> list[Finding]:
    toy = _configured(site, files) if called == "configured" else TOYS[called](site) if called in TOYS else None
    if toy is None:
        return []
    code, severity, operations, risks = toy
    key = f"{code}@{site.path}:{site.place.span.line}:{site.place.span.column}"
    offered = (
        Fix(key, "", operations, tuple(Obligation("o", "unknown", risk) for risk in risks)) if operations else None
    )
    return [Finding(code, "toy", severity, "", site.place, fix=offered)]


def _edits(offered: Fix, files: Mapping[str, bytes]) -> tuple[Edit, ...]:
    edits: list[Edit] = []
    for path, operations in by_path(offered.operations).items():
        source = source_from_bytes(path, files[path])
        assert isinstance(source, Source)
        tree = parse(source)
        assert isinstance(tree, Tree)
        edits += render(tree, operations).edits
    return tuple(edits)


def fixed(files: Mapping[str, str], accepted: Collection[str] = (), named: Sequence[str] = ()) -> Fixed:
    data = {path: text.encode() for path, text in files.items()}
    return fix(
        judged(data), lambda texts: judged({**data, **texts}), accepted, frozenset(named or data), data.__getitem__
    )


def texts(outcome: Fixed) -> dict[str, str]:
    return {path: text.decode() for path, text in outcome.texts.items()}


def taken_back(outcome: Fixed) -> dict[str, str]:
    return {fix.key: reason for fix, reason in outcome.taken_back}


def test_what_is_found_is_fixed() -> None:
    outcome = fixed({TRAIN: "a = curable(x)\nb = curable(y)\n"})
    assert texts(outcome) == {TRAIN: "a = curable(x, cured=1)\nb = curable(y, cured=1)\n"}
    assert len(outcome.applied) == 2


def test_files_without_a_fix_are_not_among_the_changed_ones() -> None:
    assert list(fixed({TRAIN: "curable(x)\n", DATA: "y = 1\n"}).texts) == [TRAIN]


def test_the_reports_are_those_of_the_fixed_files() -> None:
    assert not any(report.findings for report in fixed({TRAIN: "curable(x)\n"}).reports)


def test_a_follow_up_of_another_rule_is_fixed_in_the_next_round() -> None:
    outcome = fixed({TRAIN: "layered(x)\n"})
    assert texts(outcome) == {TRAIN: "layered(x, cured=1, more=1)\n"}
    assert len(outcome.applied) == 2


def test_a_follow_up_is_not_blamed_on_a_fix_of_its_rule_elsewhere_in_the_file() -> None:
    outcome = fixed({TRAIN: "layered(x)\nlayered_alike(y)\n"})
    assert texts(outcome) == {TRAIN: "layered(x, cured=1, more=1)\nlayered_alike(y, more=1)\n"}
    assert not outcome.taken_back


def test_a_follow_up_is_not_blamed_on_a_fix_of_its_rule_in_another_file() -> None:
    attempts = []
    data = {TRAIN: b"layered(x)\n", DATA: b"layered_alike(y)\n"}

    def judge(texts: Mapping[str, bytes]) -> list[FileReport]:
        attempts.append(sorted(texts))
        return judged({**data, **texts})

    outcome = fix(judged(data), judge, (), frozenset(data), data.__getitem__)
    assert texts(outcome) == {TRAIN: "layered(x, cured=1, more=1)\n", DATA: "layered_alike(y, more=1)\n"}
    assert attempts == [[DATA, TRAIN], [DATA, TRAIN]]


def test_a_fix_whose_finding_stays_is_taken_back_and_the_others_are_kept() -> None:
    outcome = fixed({TRAIN: "a = curable(x)\nb = stubborn(y)\nc = curable(z)\n"})
    assert texts(outcome) == {TRAIN: "a = curable(x, cured=1)\nb = stubborn(y)\nc = curable(z, cured=1)\n"}
    assert list(taken_back(outcome)) == [f"T1@{TRAIN}:2:4"]


def test_a_fix_that_was_taken_back_is_not_tried_again_where_lines_have_moved() -> None:
    outcome = fixed({TRAIN: "a = layered(\n    x,\n)\nb = stubborn(y)\n"})
    assert len(outcome.taken_back) == 1


def test_a_fix_that_brings_an_error_is_taken_back_with_that_reason() -> None:
    outcome = fixed({TRAIN: "a = curable(x)\nb = poisoned(y)\n"})
    assert texts(outcome) == {TRAIN: "a = curable(x, cured=1)\nb = poisoned(y)\n"}
    assert taken_back(outcome) == {f"T2@{TRAIN}:2:4": "it would bring a new error, T9"}


def test_a_fix_that_leaves_what_cannot_be_parsed_is_taken_back() -> None:
    outcome = fixed({TRAIN: "a = curable(x)\nb = unparsable(y)\n"})
    assert texts(outcome) == {TRAIN: "a = curable(x, cured=1)\nb = unparsable(y)\n"}
    assert "cannot be parsed" in taken_back(outcome)[f"T4@{TRAIN}:2:4"]


@pytest.mark.parametrize("number", range(8))
def test_one_bad_fix_among_many_is_the_only_one_taken_back(number: int) -> None:
    lines = [f"a{i} = curable(x)\n" for i in range(8)]
    lines[number] = "bad = poisoned(x)\n"
    outcome = fixed({TRAIN: "".join(lines)})
    assert (len(outcome.applied), len(outcome.taken_back)) == (7, 1)


def test_nothing_is_changed_where_every_fix_fails() -> None:
    outcome = fixed({TRAIN: "stubborn(x)\npoisoned(y)\n"})
    assert (outcome.texts, outcome.applied, len(outcome.taken_back)) == ({}, [], 2)


def test_rounds_come_to_an_end() -> None:
    outcome = fixed({TRAIN: "endless(x)\n"})
    assert texts(outcome) == {TRAIN: f"endless(x, n={ROUNDS})\n"}
    assert not outcome.stable


def test_a_run_that_came_to_rest_says_so() -> None:
    assert fixed({TRAIN: "layered(x)\n"}).stable


def test_an_edit_may_lie_in_another_file_that_was_named() -> None:
    outcome = fixed({TRAIN: "configured(x)\n", DATA: "workers = 0\n"})
    assert texts(outcome) == {DATA: "workers = 4\n"}
    assert outcome.before == {DATA: b"workers = 0\n"}


def test_files_changed_for_different_reasons_are_parts_of_their_own() -> None:
    assert fixed({TRAIN: "curable(x)\n", DATA: "curable(y)\n"}).parts == [[DATA], [TRAIN]]


def test_files_that_one_fix_changes_are_one_part() -> None:
    outcome = fixed({TRAIN: "configured(x)\ncurable(y)\n", DATA: "workers = 0\n"})
    both = replace(outcome.applied[0], operations=(*outcome.applied[0].operations, EnsureImport(TRAIN, "torch")))
    outcome.applied[0] = both
    assert outcome.parts == [[DATA, TRAIN]]


def test_a_file_is_in_one_part_with_that_of_the_fix_it_requires() -> None:
    outcome = fixed({TRAIN: "curable(x)\n", DATA: "curable(y)\n"})
    outcome.applied[0] = replace(outcome.applied[0], requires=(outcome.applied[1].key,))
    assert outcome.parts == [[DATA, TRAIN]]


def test_an_edit_in_a_file_that_was_not_named_is_not_made() -> None:
    outcome = fixed({TRAIN: "configured(x)\n", DATA: "workers = 0\n"}, named=[TRAIN])
    assert not outcome.texts
    assert len(outcome.last.held_back) == 1


def test_two_findings_with_the_same_edit_are_both_fixed_by_it() -> None:
    outcome = fixed({TRAIN: "configured(x)\nconfigured(y)\n", DATA: "workers = 0\n"})
    assert texts(outcome) == {DATA: "workers = 4\n"}
    assert len(outcome.applied) == 2


def test_a_risk_is_left_alone_until_it_is_accepted() -> None:
    outcome = fixed({TRAIN: "risky(x)\n"})
    assert not outcome.texts
    assert outcome.last.unlocked_by(["a-risk"]) == 1


def test_an_accepted_risk_is_taken() -> None:
    assert texts(fixed({TRAIN: "risky(x)\n"}, accepted=["a-risk"])) == {TRAIN: "risky(x, cured=1)\n"}


def test_fixing_again_changes_nothing() -> None:
    once = texts(fixed({TRAIN: "layered(x)\nb = curable(layered(z))\n"}))
    assert not fixed(once).texts


def test_a_file_that_cannot_be_judged_any_more_is_left_as_it_was() -> None:
    data = {TRAIN: b"a = curable(x)\n"}
    outcome = fix(judged(data), lambda texts: [], (), frozenset(data), data.__getitem__)
    assert (outcome.texts, len(outcome.taken_back)) == ({}, 1)


BYTES = {
    "crlf": (b"curable(\r\n    y\r\n)\r\n", b"curable(\r\n    y,\r\n    cured=1\r\n)\r\n"),
    "no break at the end": (b"curable(x)", b"curable(x, cured=1)"),
    "byte order mark": (b"\xef\xbb\xbfcurable(x)\n", b"\xef\xbb\xbfcurable(x, cured=1)\n"),
    "latin-1": (b"# coding: latin-1\ncurable('\xe9')\n", b"# coding: latin-1\ncurable('\xe9', cured=1)\n"),
}


@pytest.mark.parametrize(("before", "after"), BYTES.values(), ids=BYTES)
def test_all_other_bytes_stay(before: bytes, after: bytes) -> None:
    outcome = fix(judged({TRAIN: before}), judged, (), {TRAIN}, {TRAIN: before}.__getitem__)
    assert outcome.texts == {TRAIN: after}


def test_in_a_notebook_only_the_changed_line_is_written_anew() -> None:
    path = "/project/train.ipynb"
    before = (
        b'{"cells": [{"cell_type":"code", "source": ["%pip install torch\\n", "curable(x)"]},\n'
        b'  {"cell_type": "code", "source": "y = 1"}], "metadata": {}, "nbformat": 4}'
    )
    outcome = fix(judged({path: before}), judged, (), {path}, {path: before}.__getitem__)
    assert outcome.texts == {path: before.replace(b"curable(x)", b"curable(x, cured=1)")}
