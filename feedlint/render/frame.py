"""Code frames: source lines with carets under what the findings mean."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..findings import Severity
from ..places import Span
from ..records import record
from ..source import Source
from .characters import ShownLine, show_line, visible
from .style import BOLD, Style

_SHORT = 30
"""A call up to this many characters is underlined whole, a longer one only up to its bracket."""
_WHOLE_CALL = 5
"""A call over up to this many lines is shown whole, a longer one only with its first line."""
_CALLEE = re.compile(r"[\w.]+(?=\()")


@record(frozen=True, slots=True)
class Label:
    """What is said about a span of one file."""

    span: Span
    message: str
    severity: Severity


def frame(source: Source, labels: Sequence[Label], gutter: int, room: int, style: Style) -> list[str]:
    """The lines that the labels begin on, each followed by carets and messages.

    `gutter` is the width of the column of line numbers, `room` the columns for code.
    """
    by_line: dict[int, list[Label]] = {}
    for label in sorted(labels, key=lambda label: label.span):
        by_line.setdefault(label.span.line, []).append(label)
    rows = []
    shown: set[int] = set()
    for line, here in by_line.items():
        text = _text(source, line)
        code = show_line(text, *_underlined(text, here[0].span), room)
        if line not in shown:
            rows.append(_numbered(source, line, code, gutter, style))
        rows += _messages(text, code, here, gutter, style)
        end = max(label.span.end_line for label in here)
        following = range(line + 1, end + 1)
        if end < line + _WHOLE_CALL and not by_line.keys() & set(following):
            rows += [_numbered(source, n, show_line(_text(source, n), 0, 0, room), gutter, style) for n in following]
            shown.update(following)
    return rows


def last_row(source: Source, labels: Sequence[Label]) -> int:
    """The largest row number that the frame may show: it decides how wide the column of numbers is."""
    lines = [label.span.line + min(_WHOLE_CALL - 1, label.span.end_line - label.span.line) for label in labels]
    return max((_row(source, line) for line in lines), default=1)


def rail(gutter: int, style: Style) -> str:
    return style.paint(f"{'':{gutter}} |", BOLD)


def _text(source: Source, line: int) -> str:
    return source.lines[line - 1] if line <= len(source.lines) else ""


def _numbered(source: Source, line: int, code: ShownLine, gutter: int, style: Style) -> str:
    return f"{style.paint(f'{_row(source, line):>{gutter}} |', BOLD)} {code.text}".rstrip()


def _messages(text: str, code: ShownLine, labels: Sequence[Label], gutter: int, style: Style) -> list[str]:
    """A row for each message. Places with the same message share it; below the same place there are carets only once."""
    spans: dict[tuple[str, Severity], list[tuple[int, int]]] = {}
    for label in labels:
        spans.setdefault((label.message, label.severity), []).append(code.columns(*_underlined(text, label.span)))
    rows = []
    above: list[tuple[int, int]] = []
    for (message, severity), here in spans.items():
        carets = _underline(here)
        marks = " " * len(carets) if here == above else carets
        rows.append(f"{rail(gutter, style)} {style.of_severity(f'{marks} {visible(message)}', severity)}")
        above = here
    return rows


def _underline(spans: Sequence[tuple[int, int]]) -> str:
    marks = ""
    for start, end in sorted(spans):
        marks = marks.ljust(start) + "^" * (end - max(start, len(marks)))
    return marks


def _underlined(text: str, span: Span) -> tuple[int, int]:
    """The characters of the first line of a span to underline: of a long call only what is called."""
    end = span.end_column if span.end_line == span.line else len(text.rstrip())
    if span.end_line != span.line or end - span.column > _SHORT:
        callee = _CALLEE.match(text, span.column)
        if callee:
            end = callee.end()
    return span.column, max(end, span.column)


def _row(source: Source, line: int) -> int:
    position = source.cell_position(line)
    return line if position is None else position[1]
