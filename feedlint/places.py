"""Where something stands in a file."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """A half-open range of text. Lines count from 1, columns from 0 and in characters (not bytes).

    In a notebook the lines are those of the joined module (see `feedlint.notebook`), not of a cell.
    """

    line: int
    column: int
    end_line: int
    end_column: int


class Place(NamedTuple):
    """A span in a file; `path` is absolute."""

    path: str
    span: Span
