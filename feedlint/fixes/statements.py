"""Edits that add an import or move a statement."""

from __future__ import annotations

import re

from ..syntax import Tree
from ..syntax.shapes import (
    TopStatement,
    has_comment,
    lines_in_strings,
    simple_statement_at,
    statement_at,
    top_statements,
)
from .changes import CLOSES, Change, Refused
from .lines import indentation, line_end, line_start, next_line
from .operations import EnsureImport, MoveStatement, ReplaceStatement

_HEADER = re.compile(r"#!|#.*?coding[:=]")
"""Comments that say something about the file, on its first two lines."""


def imported(tree: Tree, operation: EnsureImport) -> list[Change]:
    """The changes that import a module or a name at the top of the file; none if that is done there already."""
    wanted = (operation.module, operation.name)
    statements = top_statements(tree)
    if any(wanted in statement.imports for statement in statements):
        return []
    line = (
        f"import {operation.module}" if operation.name is None else f"from {operation.module} import {operation.name}"
    )
    text, newline = tree.source.text, tree.source.newline
    package = operation.module.partition(".")[0]
    for statement in statements:
        if statement.is_import and not statement.is_future and package in statement.packages:
            # It runs the import anyway, so this is where nothing else is imported earlier than now.
            start = line_start(text, statement.start)
            return [Change(start, start, line + newline, CLOSES)]
    above, following = _head(statements)
    if above is None and following is None:
        broken = "" if not text or text.endswith(("\n", "\r")) else newline
        return [Change(len(text), len(text), f"{broken}{line}{newline}", CLOSES)]
    if above is None:
        assert following is not None
        start = line_start(text, following.start)
        gap = "" if following.is_import else newline
        return [Change(start, start, f"{line}{newline}{gap}", CLOSES)]
    start = next_line(text, above.end)
    joins = above.is_import and not above.is_future
    lead = "" if joins else newline
    if start == len(text) and not text.endswith(("\n", "\r")):
        return [Change(start, start, f"{newline}{lead}{line}", CLOSES)]
    blank_follows = not text[start : line_end(text, start)].strip()
    tail = "" if joins or blank_follows else newline
    return [Change(start, start, f"{lead}{line}{newline}{tail}", CLOSES)]


def _head(statements: tuple[TopStatement, ...]) -> tuple[TopStatement | None, TopStatement | None]:
    """The last statement of the docstring and imports at the top, and the first that follows them.

    A `from __future__` import counts like a docstring: the new line goes behind a gap.
    """
    above = None
    for statement in statements:
        if not (statement.is_docstring or statement.is_future or statement.is_import):
            return above, statement
        above = statement
    return above, None


def moved(tree: Tree, operation: MoveStatement) -> list[Change]:
    """The changes that put a statement, with the comments above and beside it, before another one."""
    source = tree.source
    text, newline = source.text, source.newline
    span = operation.statement.span
    statement = statement_at(tree, span)
    target = statement_at(tree, operation.before.span)
    if statement is None or target is None:
        raise Refused("the statement was not found again, or does not begin its line")
    if not statement.is_simple or not statement.is_alone:
        raise Refused("it shares its line with another statement, or holds a block")
    own = indentation(text, statement.first)
    new = indentation(text, target.first)
    if line_start(text, statement.first) + len(own) != statement.first:
        raise Refused("it shares its line with another statement")
    if line_start(text, target.first) + len(new) != target.first:
        raise Refused("the statement to put it before shares its line with another")
    start = _comments_above(tree, statement.first)
    end = next_line(text, source.offset(span.end_line, span.end_column))
    where = _comments_above(tree, target.first)
    if start <= where <= end and own == new:
        return []
    if start <= where < end:
        raise Refused("it can't be put before itself")
    in_strings = lines_in_strings(tree, start, end)
    lines = []
    place = start
    while place < end:
        following = min(next_line(text, place), end)
        line = text[place:following]
        if line.startswith(own) and line.strip() and source.position(place)[0] not in in_strings:
            line = new + line[len(own) :]
        lines.append(line)
        place = following
    content = "".join(lines)
    removed = Change(start, end, "")
    if not content.endswith(("\n", "\r")):
        content += newline
        if not statement.is_only_one:
            # The file ends without a line break, and goes on doing so.
            removed = Change(start - (2 if text[start - 2 : start] == "\r\n" else 1), end, "")
        else:
            removed = Change(start, end, own + "pass")
    elif statement.is_only_one:
        removed = Change(start, end, f"{own}pass{newline}")
    return [Change(where, where, content), removed]


def exchanged(tree: Tree, operation: ReplaceStatement) -> list[Change]:
    """The changes that put code in the place of a statement without a block; what follows on its line stays."""
    extent = simple_statement_at(tree, operation.statement.span)
    if extent is None:
        raise Refused("the statement was not found again")
    start, end = extent
    if tree.source.text[start:end] == operation.code:
        return []
    if has_comment(tree, start, end):
        raise Refused("a comment stands in what would be replaced")
    return [Change(start, end, operation.code)]


def _comments_above(tree: Tree, offset: int) -> int:
    """The start of the line of a statement, or of the comments that stand directly above it with its indentation."""
    text = tree.source.text
    starts = {first for first, _ in tree.comments}
    own = indentation(text, offset)
    start = line_start(text, offset)
    while start > 0:
        above = line_start(text, start - (2 if text[start - 2 : start] == "\r\n" else 1))
        blank = indentation(text, above)
        if blank != own or above + len(blank) not in starts:
            break
        if tree.source.position(above)[0] <= 2 and _HEADER.match(text, above):
            break
        start = above
    return start
