"""Turn places into what people and editors count: rows and columns from 1, cells of notebooks, paths from a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..places import Place
from ..report import FileReport
from ..source import Source
from .characters import visible


class Position(NamedTuple):
    """`cell` counts all cells of a notebook and is None elsewhere; in a notebook `row` counts inside the cell."""

    cell: int | None
    row: int
    column: int


def sources_by_path(reports: Sequence[FileReport]) -> dict[str, Source]:
    return {report.path: report.source for report in reports if report.source is not None}


def start_of(place: Place, sources: Mapping[str, Source]) -> Position:
    return _position(place.path, place.span.line, place.span.column, sources)


def end_of(place: Place, sources: Mapping[str, Source]) -> Position:
    """The position just behind the last character."""
    return _position(place.path, place.span.end_line, place.span.end_column, sources)


def shown_path(path: str, base: str) -> str:
    """The path from the base folder where it lies below it, else as it is."""
    try:
        below = os.path.relpath(path, base)
    except ValueError:
        # Another drive.
        return visible(path)
    return visible(path if below.startswith(os.pardir + os.sep) or below == os.pardir else below)


def shown_place(place: Place, sources: Mapping[str, Source], base: str, *, column: bool = True) -> str:
    """`train.py:26:14`, in a notebook `train.ipynb:cell 3:2:14`."""
    cell, row, start = start_of(place, sources)
    parts = [shown_path(place.path, base), *([] if cell is None else [f"cell {cell}"]), str(row)]
    return ":".join([*parts, str(start)] if column else parts)


def _position(path: str, line: int, column: int, sources: Mapping[str, Source]) -> Position:
    source = sources.get(path)
    in_cell = None if source is None else source.cell_position(line)
    cell, row = (None, line) if in_cell is None else in_cell
    return Position(cell, row, column + 1)
