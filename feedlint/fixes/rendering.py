"""From operations to minimal text edits. Everything outside of them stays as it is, to the byte.

LibCST says where things are and how a call is laid out; the edits are made on the text. Operations that overlap are
refused, the later one, and never half applied.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst  # noqa: TID253

from ..places import Place, Span
from ..source import Source
from ..syntax import Tree
from .operations import (
    Edit,
    EnsureImport,
    MoveStatement,
    Operation,
    RemoveArgument,
    ReplaceExpression,
    ReplaceMethod,
    SetArgument,
    Wrap,
)

_LONGEST_LINE = 120


@dataclass(frozen=True, slots=True)
class Rendered:
    """The edits, in the order of the text, and the operations that could not be made with the reason."""

    edits: tuple[Edit, ...]
    refused: tuple[tuple[Operation, str], ...] = ()


Change = tuple[int, int, str]
"""Offsets of what is replaced, and the new text."""


class Refused(Exception):
    """An operation can't be made; the message is for the user."""


def render(tree: Tree, source: Source, operations: Sequence[Operation]) -> Rendered:
    """The text edits for operations on one file. All on one call are made together, in the order given."""
    changes: list[Change] = []
    refused: list[tuple[Operation, str]] = []
    for group in _by_call(operations):
        try:
            made = _changes(tree, source, group)
        except Refused as problem:
            refused += [(operation, str(problem)) for operation in group]
            continue
        if any(_overlap(new, old) for new in made for old in changes):
            refused += [(operation, "it overlaps with another change") for operation in group]
            continue
        changes += [change for change in made if change not in changes]
    changes.sort(key=lambda change: (change[0], change[1]))
    return Rendered(tuple(_edit(source, change) for change in changes), tuple(refused))


def _by_call(operations: Sequence[Operation]) -> list[list[Operation]]:
    """The operations, those on the arguments of one call together, duplicates once."""
    groups: dict[Any, list[Operation]] = {}
    for operation in dict.fromkeys(operations):
        key = operation.call if isinstance(operation, (SetArgument, RemoveArgument)) else operation
        groups.setdefault(key, []).append(operation)
    return list(groups.values())


def _overlap(a: Change, b: Change) -> bool:
    if a == b:
        return False
    if a[0] == a[1] or b[0] == b[1]:  # insertions at the edge of something do not touch it
        point, other = (a, b) if a[0] == a[1] else (b, a)
        return other[0] < point[0] < other[1]
    return a[0] < b[1] and b[0] < a[1]


def _edit(source: Source, change: Change) -> Edit:
    start, end, text = change
    line, column = source.position(start)
    end_line, end_column = source.position(end)
    return Edit(Place(source.path, Span(line, column, end_line, end_column)), text)


def _changes(tree: Tree, source: Source, group: list[Operation]) -> list[Change]:
    first = group[0]
    if isinstance(first, (SetArgument, RemoveArgument)):
        return _arguments(tree, source, group)
    if isinstance(first, ReplaceExpression):
        return [_replaced(tree, source, first)]
    if isinstance(first, ReplaceMethod):
        return [_method(tree, first)]
    if isinstance(first, Wrap):
        node = tree.node(first.expression.span, cst.BaseExpression)
        if node is None:
            raise Refused("the expression was not found again")
        start, end = tree.outer(node)
        return [(start, start, first.before), (end, end, first.after)]
    if isinstance(first, EnsureImport):
        return _import(tree, source, first)
    return _moved(tree, source, first)


# --- arguments of a call


def _arguments(tree: Tree, source: Source, group: list[Operation]) -> list[Change]:
    first = group[0]
    assert isinstance(first, (SetArgument, RemoveArgument))
    call = tree.node(first.call.span, cst.Call)
    if call is None:
        raise Refused("the call was not found again")
    changes: list[Change] = []
    new: list[str] = []
    for operation in group:
        if isinstance(operation, RemoveArgument):
            changes.append(_removed(tree, source, call, operation.name))
        elif isinstance(operation, SetArgument):
            given = _given(call, operation.name, operation.position)
            if given is None:
                new.append(f"{operation.name}={operation.code}")
            else:
                start, end = tree.outer(given.value)
                changes.append((start, end, operation.code))
    if new:
        changes += _appended(tree, source, call, new)
    return changes


def _given(call: cst.Call, name: str, position: int | None) -> cst.Arg | None:
    positional = 0
    for argument in call.args:
        if argument.keyword is not None:
            if argument.keyword.value == name:
                return argument
        elif argument.star == "":
            if positional == position:
                return argument
            positional += 1
        elif argument.star == "*":
            position = None
    return None


def _appended(tree: Tree, source: Source, call: cst.Call, new: list[str]) -> list[Change]:
    """New keywords after the last argument, in the style of the call."""
    text = source.text
    call_end = tree.extent_of[id(call)][1]
    if not call.args:
        after = call_end - 1 - len(tree.text_of(call.whitespace_before_args))
        return [(after, after, ", ".join(new))]
    last = call.args[-1]
    end = tree.extent_of[id(last)][1]
    changes: list[Change] = []
    if len(call.args) == 1 and isinstance(last.value, cst.GeneratorExp) and not last.value.lpar:
        start, stop = tree.extent_of[id(last.value)]
        if text[start] != "(":  # the parentheses of the call are its only ones
            changes += [(start, start, "("), (stop, stop, ")")]
    line_break = _line_break(tree, source, call)
    separator = line_break or " "
    if not line_break and "\n" in text[tree.extent_of[id(call)][0] : call_end]:
        # A call over several lines with several arguments on a line: a line of its own where it would grow too long.
        length = end - (text.rfind("\n", 0, end) + 1) + sum(len(n) + 2 for n in new)
        if length > _LONGEST_LINE:
            separator = _newline(source) + _indentation_of_line(text, end)
    comma = last.comma if isinstance(last.comma, cst.Comma) else None
    if comma is None:
        rest = _comment_after(text, end)
        if rest is not None and line_break:
            return [*changes, (end, end, ","), (rest, rest, line_break + f",{line_break}".join(new))]
        return [*changes, (end, end, "".join(f",{separator}{n}" for n in new))]
    comma_end = text.index(",", end) + 1
    rest = _comment_after(text, comma_end)
    where = rest if rest is not None else comma_end
    gap = separator if rest is None or "\n" in separator else _newline(source) + _indentation_of_line(text, end)
    return [*changes, (where, where, "".join(f"{gap}{n}," for n in new))]


def _line_break(tree: Tree, source: Source, call: cst.Call) -> str:
    """What stands between two arguments of a call that has one on each line: a line break and indentation; else ""."""
    text = source.text
    if len(call.args) == 1:
        gap = tree.text_of(call.whitespace_before_args)
        return _last_line(gap, source) if "\n" in gap or "\r" in gap else ""
    gaps = []
    for before, after in zip(call.args, call.args[1:]):
        start = tree.extent_of[id(before)][1]
        gaps.append(text[start : tree.extent_of[id(after)][0]])
    broken = [gap for gap in gaps if "\n" in gap or "\r" in gap]
    if len(broken) * 2 <= len(gaps) or not broken:
        return ""
    return _last_line(broken[-1], source)


def _last_line(gap: str, source: Source) -> str:
    cut = max(gap.rfind("\n"), gap.rfind("\r"))
    if gap[:cut].rstrip(" \t\r\n").endswith("\\"):
        return " \\" + _newline(source) + gap[cut + 1 :]
    return _newline(source) + gap[cut + 1 :]


def _newline(source: Source) -> str:
    return source.newline


def _indentation_of_line(text: str, offset: int) -> str:
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    line = text[start:offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _comment_after(text: str, offset: int) -> int | None:
    """The end of a comment that stands on the rest of the line, None if there is none."""
    end = offset
    while end < len(text) and text[end] not in "\r\n":
        end += 1
    return end if text[offset:end].lstrip(" \t").startswith("#") else None


def _removed(tree: Tree, source: Source, call: cst.Call, name: str) -> Change:
    text = source.text
    for index, argument in enumerate(call.args):
        if argument.keyword is None or argument.keyword.value != name:
            continue
        start, end = tree.extent_of[id(argument)]
        after = end
        if isinstance(argument.comma, cst.Comma):
            after = text.index(",", end) + 1
        if index + 1 < len(call.args):
            following = tree.extent_of[id(call.args[index + 1])][0]
            gap = text[after:following]
            if "#" not in gap:
                return start, following, ""
            return start, after, ""
        if index == 0:
            return start, after, ""
        before = tree.extent_of[id(call.args[index - 1])][1]
        gap = text[before:start]
        if "#" in gap:
            line_start = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
            newline = line_start - len(source.newline)
            return newline, after, ""
        # The comma before it goes too, unless one stood behind it: then the call keeps its trailing comma.
        return (text.index(",", before) + 1, after, "") if after != end else (before, end, "")
    raise Refused(f"{name} is not among the arguments")


# --- expressions


_LOOSE = (ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Lambda, ast.UnaryOp, ast.NamedExpr, ast.Await)
_TIGHT = (
    cst.Attribute,
    cst.Subscript,
    cst.BinaryOperation,
    cst.UnaryOperation,
    cst.BooleanOperation,
    cst.Comparison,
    cst.ComparisonTarget,
    cst.IfExp,
    cst.Await,
)


def _replaced(tree: Tree, source: Source, operation: ReplaceExpression) -> Change:
    node = tree.node(operation.expression.span, cst.BaseExpression)
    if node is None:
        raise Refused("the expression was not found again")
    start, end = tree.extent_of[id(node)]
    code = operation.code
    parent = tree.parent_of.get(id(node))
    called = isinstance(parent, cst.Call) and parent.func is node
    if (isinstance(parent, _TIGHT) or called) and not node.lpar and isinstance(ast.parse(code, mode="eval").body, _LOOSE):
        code = f"({code})"
    return start, end, code


def _method(tree: Tree, operation: ReplaceMethod) -> Change:
    call = tree.node(operation.call.span, cst.Call)
    if call is None or not isinstance(call.func, cst.Attribute) or call.func.lpar:
        raise Refused("the method call was not found again")
    start = tree.outer(call.func.value)[1] + len(tree.text_of(call.func.dot.whitespace_before))
    return start, tree.extent_of[id(call)][1], operation.code


# --- statements


def _import(tree: Tree, source: Source, operation: EnsureImport) -> list[Change]:
    wanted = f"import {operation.module}" if operation.name is None else f"from {operation.module} import {operation.name}"
    place = 0
    for statement in tree.module.body:
        if not isinstance(statement, cst.SimpleStatementLine):
            break
        start, end = tree.extent_of[id(statement)]
        line = source.text[start:end].strip()
        if line == wanted:
            return []
        small = statement.body[0]
        is_docstring = isinstance(small, cst.Expr) and isinstance(small.value, (cst.SimpleString, cst.ConcatenatedString))
        is_future = isinstance(small, cst.ImportFrom) and line.startswith("from __future__")
        if is_docstring or is_future:
            place = _line_end(source.text, end)
            continue
        if isinstance(small, (cst.Import, cst.ImportFrom)):
            return [(start, start, wanted + source.newline)]
        return [(start, start, wanted + source.newline)]
    return [(place, place, wanted + source.newline)]


def _line_end(text: str, offset: int) -> int:
    """The start of the line after the one that holds an offset."""
    while offset < len(text) and text[offset] not in "\r\n":
        offset += 1
    if text[offset : offset + 2] == "\r\n":
        return offset + 2
    return min(offset + 1, len(text))


def _moved(tree: Tree, source: Source, operation: MoveStatement) -> list[Change]:
    text = source.text
    span = operation.statement.span
    first = span.line
    while first > 1 and source.lines[first - 2].lstrip().startswith("#"):
        first -= 1
    start = source.line_starts[first - 1]
    end = _line_end(text, source.offset(span.end_line, span.end_column))
    own = source.lines[span.line - 1]
    if own[: span.column].strip() or ";" in text[source.offset(span.end_line, span.end_column) : end].partition("#")[0]:
        raise Refused("it shares its line with another statement")
    indentation = own[: span.column]
    target_line = operation.before.span.line
    target = source.lines[target_line - 1]
    new_indentation = target[: len(target) - len(target.lstrip(" \t"))]
    moved = ""
    for number in range(first, span.end_line + 1):
        stop = source.line_starts[number] if number < len(source.line_starts) else len(text)
        line = text[source.line_starts[number - 1] : min(stop, end)]
        moved += new_indentation + line[len(indentation) :] if line.startswith(indentation) and line.strip() else line
    where = source.line_starts[target_line - 1]
    if start <= where < end:
        raise Refused("it stands there already")
    return [(start, end, ""), (where, where, moved)]
