"""`feedlint explain`: why a line was reported, or why not."""

from __future__ import annotations

import os
import re

import click

from ..config import ConfigError
from ..runner import Workspace
from ..source import Source, SourceProblem, read_source
from .check import vocabulary
from .options import configuration_overrides, settings_options
from .terminal import write

_PLACE = re.compile(r"(?P<path>.+?)(?::cell (?P<cell>\d+))?:(?P<line>\d+)(?::\d+)?:?", re.DOTALL)


@click.command("explain", short_help="Say why a line was reported, or why not.")
@click.argument("place", metavar="FILE:LINE")
@settings_options
def command(place: str, isolated: bool, configuration: tuple[str, ...]) -> None:
    """Say what feedlint knows about LINE of FILE: why it was reported or not, what is proven and what is missing.

    In a notebook the place is written as in a report, such as `train.ipynb:cell 3:2`.
    """
    parts = _PLACE.fullmatch(place)
    if parts is None:
        raise click.UsageError(f"{place!r} is no place; write FILE:LINE, such as train.py:26.")
    path = os.path.abspath(parts["path"])
    source = read_source(path)
    if isinstance(source, SourceProblem):
        raise ConfigError([f"{parts['path']}: {source.reason}"])
    line = _joined_line(source, parts["cell"], int(parts["line"]), place)
    from .. import engine

    workspace = Workspace(configuration_overrides(configuration, isolated), vocabulary)
    write("\n\n".join(engine.explain(workspace.project_of(path), path, line)) + "\n")


def _joined_line(source: Source, cell: str | None, line: int, place: str) -> int:
    if source.cells is None:
        if cell is not None:
            raise click.UsageError(f"{place!r}: only notebooks have cells.")
        count = len(source.lines)
    else:
        if cell is None:
            raise click.UsageError(f"{place!r} names no cell; write it such as {source.path}:cell 3:{line}.")
        found = [known for known in source.cells if known.number == int(cell)]
        if not found:
            raise click.UsageError(f"{place!r}: the notebook has no Python code in cell {cell}.")
        count = found[0].end_line - found[0].first_line
        if 1 <= line <= count:
            return found[0].first_line + line - 1
    if not 1 <= line <= count:
        raise click.UsageError(f"{place!r}: there are {count} lines.")
    return line
