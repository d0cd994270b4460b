"""Comments that silence findings."""

from __future__ import annotations

import pytest

from feedlint.findings import Finding, Severity
from feedlint.places import Place, Span
from feedlint.source import Source, source_from_bytes
from feedlint.suppress import Suppressions, suppressions

MANY_LINES = "loader = DataLoader(\n    dataset,{0}\n    shuffle=True,{1}\n){2}\n"


def read(text: str) -> Source:
    source = source_from_bytes("train.py", text.encode())
    assert isinstance(source, Source)
    return source


def finding(
    line: int = 1, end_line: int | None = None, code: str = "FDL101", name: str = "loader-no-workers"
) -> Finding:
    place = Place("/train.py", Span(line, 9, line, 19))
    statement = Place("/train.py", Span(line, 0, end_line or line, 1))
    return Finding(code, name, Severity.WARNING, "message", place, statement=statement)


def is_hidden(comment: str, code: str = "FDL101", name: str = "loader-no-workers") -> bool:
    return suppressions(read(f"loader = DataLoader(dataset)  {comment}\n")).hides(finding(code=code, name=name))


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "#noqa",
        "# NOQA",
        "# noqa: FDL101",
        "# noqa:FDL101",
        "# noqa : fdl101",
        "# noqa: E501, FDL101",
        "# noqa: E501 FDL101 the set is tiny",
        "# noqa: FDL1",
        "# noqa: FDL",
        "# noqa: ALL",
        "# noqa: loader-no-workers",
        "# noqa: the set is tiny",
        "# type: ignore  # noqa: FDL101",
        "# noqa: FDL101  # measured",
        "# feedlint: ignore",
        "# feedlint:ignore",
        "# feedlint: ignore[FDL101]",
        "# feedlint: ignore[FDL102, loader-no-workers] the set is tiny",
        "# feedlint: ignore [FDL1]",
        "# the set is tiny  # feedlint: ignore[FDL101]",
        "# feedlint: skip-file",
    ],
)
def test_a_comment_on_the_line_silences(comment: str) -> None:
    assert is_hidden(comment)


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: E501",
        "# noqa: FDL102",
        "# noqa: E501,W291 because FDL is fine",
        "# flake8: noqa",
        "# ruff: noqa",
        "# noqable",
        "# feedlint: ignore[FDL102]",
        "# feedlint: ignore[]",
        "# feedlint: ignored",
        "# feedlint: ignore-next",
        "# feedlint",
        "# see feedlint: why ignore this",
        "",
    ],
)
def test_a_comment_about_something_else_does_not_silence(comment: str) -> None:
    assert not is_hidden(comment)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_comment_works_on_any_line_of_the_statement(place: int) -> None:
    comments = ["", "", ""]
    comments[place] = "  # feedlint: ignore[FDL101]"
    assert suppressions(read(MANY_LINES.format(*comments))).hides(finding(1, end_line=4))


def test_a_comment_in_the_body_of_a_loop_does_not_silence_what_is_said_of_its_header() -> None:
    found = suppressions(read("for x in loader(\n    a):  # feedlint: ignore[FDL101]\n    y = 1  # noqa: FDL102\n"))
    hidden = [found.hides(finding(1, end_line=3, code=code)) for code in ("FDL101", "FDL102")]
    assert hidden == [True, False]


def test_a_comment_behind_the_last_line_of_a_string_of_several_lines_silences() -> None:
    assert suppressions(read('f("""\n""", DataLoader(dataset))  # noqa\n')).hides(finding(1))


def test_a_comment_on_another_line_does_not_silence() -> None:
    found = suppressions(read("x = 1  # noqa\nloader = DataLoader(dataset)\ny = 2  # noqa\n"))
    assert not found.hides(finding(2))


def test_an_ignore_on_a_line_of_its_own_speaks_of_the_next_statement() -> None:
    found = suppressions(read("# feedlint: ignore[FDL101] tiny\n# more\n\nloader = DataLoader(dataset)\nx = 1\n"))
    assert [found.hides(finding(line)) for line in (4, 5)] == [True, False]


def test_a_noqa_on_a_line_of_its_own_speaks_of_nothing_else() -> None:
    assert not suppressions(read("# noqa: FDL101\nloader = DataLoader(dataset)\n")).hides(finding(2))


@pytest.mark.parametrize("text", ['s = "# noqa"\n', "s = '''\n# feedlint: skip-file\n'''\n", "noqa = 1\n"])
def test_a_text_that_looks_like_a_comment_is_none(text: str) -> None:
    assert suppressions(read(text)) == Suppressions()


def test_the_reason_is_kept() -> None:
    comments = suppressions(read("x = 1  # feedlint: ignore[FDL101]: the set is tiny\n")).comments
    assert [comment.reason for comment in comments] == ["the set is tiny"]


def test_a_file_may_be_skipped_from_any_line() -> None:
    assert suppressions(read("x = 1\n\n# feedlint: skip-file\n")).skip_file


@pytest.mark.parametrize(
    "broken", ["print 'a'\n", "x = (\n", "s = '''\n", "  x\n y\n", "x = $ ?\n", "if x:\n\ty\n        z\n"]
)
def test_comments_before_a_place_that_is_no_python_still_work(broken: str) -> None:
    assert suppressions(read("# feedlint: skip-file\n" + broken)).skip_file


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_are_counted_whatever_breaks_them(newline: str) -> None:
    text = newline.join(["s = '\x0c\u2028'", "loader = DataLoader(dataset)  # noqa", ""])
    assert [suppressions(read(text)).hides(finding(line)) for line in (1, 2, 3)] == [False, True, False]
