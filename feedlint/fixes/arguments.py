"""Edits of the arguments of one call, in the style of the call."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..syntax import Tree
from ..syntax.shapes import Argument, CallShape, call_at, has_comment
from .changes import Change, Refused, around
from .lines import before_on_line, column_as_blank, has_break, indentation, line_end, line_start, next_line
from .operations import Operation, RemoveArgument, SetArgument

_LONGEST_LINE = 120


@dataclass(slots=True)
class _Wanted:
    """What the operations on a call come to. `values` and `removed` go by the index of the argument."""

    values: dict[int, str] = field(default_factory=dict)
    removed: set[int] = field(default_factory=set)
    new: dict[str, str] = field(default_factory=dict)


def argument_changes(
    tree: Tree, operations: Sequence[SetArgument | RemoveArgument]
) -> tuple[list[Change], list[tuple[Operation, str]]]:
    """The changes for operations on the arguments of one call, and the operations that can't be made."""
    call = call_at(tree, operations[0].call.span)
    if call is None:
        return [], [(operation, "the call was not found again") for operation in operations]
    wanted = _Wanted()
    refused: list[tuple[Operation, str]] = []
    for operation in operations:
        try:
            if isinstance(operation, SetArgument):
                _set(tree, call, wanted, operation)
            else:
                _remove(call, wanted, operation)
        except Refused as problem:
            refused.append((operation, str(problem)))
    return _CallEditor(tree, call, wanted).changes(), refused


def _set(tree: Tree, call: CallShape, wanted: _Wanted, operation: SetArgument) -> None:
    code = _as_value(operation.code)
    index = _index(call, operation.name, operation.position)
    if index is None:
        wanted.new[operation.name] = code
        return
    given = call.arguments[index]
    if has_comment(tree, given.value_start, given.value_end):
        raise Refused("a comment stands in the value that would be replaced")
    wanted.removed.discard(index)
    wanted.values[index] = code


def _remove(call: CallShape, wanted: _Wanted, operation: RemoveArgument) -> None:
    index = _index(call, operation.name, None)
    if wanted.new.pop(operation.name, None) is not None:
        return
    if index is None or index in wanted.removed:
        raise Refused(f"the call has no argument {operation.name}")
    wanted.removed.add(index)
    wanted.values.pop(index, None)


def _index(call: CallShape, name: str, position: int | None) -> int | None:
    """Which argument is given under a name or at a position."""
    for index, argument in enumerate(call.arguments):
        if argument.keyword == name:
            return index
    positional = 0
    for index, argument in enumerate(call.arguments):
        if argument.star == "*" and position is not None and positional <= position:
            raise Refused(f"the arguments behind the star may hold {name}")
        if argument.keyword is None and not argument.star:
            if positional == position:
                return index
            positional += 1
    return None


def _as_value(code: str) -> str:
    """Code as the value of a keyword, in parentheses where it needs them."""
    try:
        plain = ast.dump(ast.parse(f"f(k={code})"))
    except SyntaxError:
        return f"({code})"
    return code if plain == ast.dump(ast.parse(f"f(k=({code}))")) else f"({code})"


class _CallEditor:
    """Turns what is wanted of one call into changes of the text."""

    def __init__(self, tree: Tree, call: CallShape, wanted: _Wanted) -> None:
        self.tree = tree
        self.text = tree.source.text
        self.newline = tree.source.newline
        self.call = call
        self.arguments = call.arguments
        self.wanted = wanted
        self.new = [f"{name}={code}" for name, code in wanted.new.items()]
        self.kept = [index for index in range(len(self.arguments)) if index not in wanted.removed]
        self.separator = self._separator()

    def changes(self) -> list[Change]:
        made: list[Change] = []
        for index, code in self.wanted.values.items():
            made += self._valued(self.arguments[index], code)
        if self.wanted.removed and not self.kept:
            return made + self._emptied()
        for first, last in self._runs():
            made += self._without(first, last)
        if self.new:
            made += self._appended() if self.arguments else [self._first()]
        return made

    # --- how the call is laid out

    def _separator(self) -> str:
        """The line break with indentation that stands between two arguments of a call with one on each line; else ""."""
        starts = [argument.start for argument in self.arguments]
        if not starts:
            return ""
        if len(starts) == 1:
            begins = self._begins_line(starts[0])
            return self.newline + before_on_line(self.text, starts[0]) if begins else ""
        broken = [start for start in starts[1:] if self._begins_line(start)]
        if len(broken) * 2 <= len(starts) - 1:
            return ""
        return self.newline + before_on_line(self.text, broken[-1])

    def _begins_line(self, offset: int) -> bool:
        return not before_on_line(self.text, offset).strip() and line_start(self.text, offset) > self.call.open

    def _own_line(self, argument: Argument) -> str:
        """A line break with indentation for an argument that gets a line of its own below another."""
        if self.separator:
            return self.separator
        if line_start(self.text, argument.start) <= self.call.open:
            return self.newline + column_as_blank(self.text, self.arguments[0].start)
        return self.newline + indentation(self.text, argument.start)

    def _comment_beside(self, index: int) -> tuple[int, int] | None:
        """The comment on the rest of the line behind an argument and its comma."""
        offset = self._after(index)
        end = line_end(self.text, offset)
        rest = self.text[offset:end]
        stripped = rest.lstrip(" \t\f")
        return (end - len(stripped), end) if stripped.startswith("#") else None

    def _after(self, index: int) -> int:
        """The offset behind an argument and its comma."""
        argument = self.arguments[index]
        return argument.end if argument.comma is None else argument.comma + 1

    def _lines_above(self, offset: int, floor: int) -> int:
        """The start of the line of an argument, or of the comments that stand directly above it."""
        start = line_start(self.text, offset)
        starts = {first for first, _ in self.tree.comments}
        while start > 0:
            above = line_start(self.text, start - 1 - (self.text[start - 2 : start] == "\r\n"))
            first = above + len(indentation(self.text, above))
            if above <= floor or first not in starts:
                break
            start = above
        return start

    # --- values

    def _valued(self, argument: Argument, code: str) -> list[Change]:
        start, end = argument.value_start, argument.value_end
        if self.text[start:end] == code:
            return []
        return [Change(start, end, code)]

    # --- removal

    def _runs(self) -> list[tuple[int, int]]:
        """The first and last index of removed arguments that follow each other."""
        runs: list[tuple[int, int]] = []
        for index in sorted(self.wanted.removed):
            if runs and runs[-1][1] == index - 1:
                runs[-1] = (runs[-1][0], index)
            else:
                runs.append((index, index))
        return runs

    def _emptied(self) -> list[Change]:
        """All arguments go; new ones take their place."""
        first, last = 0, len(self.arguments) - 1
        start, end = self.arguments[first].start, self._after(last)
        comma = "," if self.arguments[last].comma is not None and self.new else ""
        beside = self._comment_beside(last)
        if (beside and line_start(self.text, start) == line_start(self.text, end)) or (
            beside and self._begins_line(self.arguments[last].start)
        ):
            end = beside[1]
        if self._begins_line(start):
            above = self._lines_above(start, self.call.open)
            start = above + len(indentation(self.text, above))
        if not self.new:
            others = has_comment(self.tree, self.call.open, start) or has_comment(self.tree, end, self.call.close)
            if not others:
                return [Change(self.call.open, self.call.close, "")]
        return [Change(start, end, f",{self.separator or ' '}".join(self.new) + comma)]

    def _without(self, first: int, last: int) -> list[Change]:
        """Take a run of arguments out, next to which another stays."""
        text, arguments = self.text, self.arguments
        start, after = arguments[first].start, self._after(last)
        before = arguments[first - 1] if first else None
        following = arguments[last + 1] if last + 1 < len(arguments) else None
        beside = self._comment_beside(last)
        ends_line = beside is not None or not text[after : line_end(text, after)].strip()
        if self._begins_line(start) and ends_line and (following is not None or before is not None):
            floor = self._after(first - 1) if before is not None else self.call.open
            made = [Change(self._lines_above(start, floor), next_line(text, after), "")]
            if following is None and before is not None and arguments[last].comma is None and not self.new:
                assert before.comma is not None
                made.append(Change(before.comma, before.comma + 1, ""))
            return made
        if following is not None:
            same_line = line_start(text, following.start) == line_start(text, after)
            if same_line and not has_comment(self.tree, start, following.start):
                return [Change(start, following.start, "")]
            if before is not None and before.comma is not None:
                if not has_comment(self.tree, before.comma, start):
                    return [Change(before.comma + 1, after, "")]
                return [Change(start, after, "")]
            inner = has_comment(self.tree, start, arguments[last].end)
            return [Change(start, following.start if beside or not inner else after, "")]
        assert before is not None
        assert before.comma is not None
        if not has_comment(self.tree, before.end, start):
            keeps_comma = arguments[last].comma is not None or bool(self.new)
            return [Change(before.comma + 1 if keeps_comma else before.end, after, "")]
        made = [Change(start, after, "")]
        if arguments[last].comma is None and not self.new:
            made.append(Change(before.comma, before.comma + 1, ""))
        return made

    # --- new arguments

    def _first(self) -> Change:
        """Arguments for a call without any."""
        inside = self.text[self.call.open : self.call.close]
        if not has_break(inside):
            return Change(self.call.open, self.call.open, ", ".join(self.new))
        comments = [end for start, end in self.tree.comments if self.call.open <= start < self.call.close]
        place = comments[-1] if comments else self.call.open
        gap = self.newline + indentation(self.text, self.call.open) + self.tree.module.default_indent
        return Change(place, place, "".join(f"{gap}{new}," for new in self.new))

    def _appended(self) -> list[Change]:
        """New keywords behind the last argument, but before `**spread`."""
        made: list[Change] = []
        only = self.arguments[0]
        if len(self.arguments) == 1 and only.is_bare_generator:
            made = around(only.start, only.end, "(", ")")
        spread = next((i for i in self.kept if self.arguments[i].star == "**"), None)
        before = [i for i in self.kept if spread is None or i < spread]
        if not before:
            start = self.arguments[self.kept[0]].start
            return [*made, Change(start, start, "".join(f"{new},{self.separator or ' '}" for new in self.new))]
        anchor = before[-1]
        argument = self.arguments[anchor]
        end = self._after(anchor)
        beside = self._comment_beside(anchor)
        gap = self.separator or " "
        if not self.separator:
            alone = beside is not None and self._stands_alone(anchor)
            if alone or (self._is_broken() and self._grows_too_long(end)):
                gap = self._own_line(argument)
        last_has_comma = self.arguments[-1].comma is not None
        if argument.comma is not None:
            # It keeps its comma, and its comment where the new ones go to the next line.
            place = beside[1] if beside and has_break(gap) else end
            final = "," if spread is not None or last_has_comma else ""
            return [*made, Change(place, place, gap + f",{gap}".join(self.new) + final)]
        if beside and has_break(gap):
            place = beside[1]
            content = gap + f",{gap}".join(self.new)
            return [*made, Change(argument.end, argument.end, ","), Change(place, place, content)]
        return [*made, Change(argument.end, argument.end, "".join(f",{gap}{new}" for new in self.new))]

    def _stands_alone(self, index: int) -> bool:
        """No other argument stands on the last line of this one."""
        line = line_start(self.text, self.arguments[index].end)
        return all(line_start(self.text, other.end) != line for i, other in enumerate(self.arguments) if i != index)

    def _is_broken(self) -> bool:
        return has_break(self.text[self.call.open : self.call.close])

    def _grows_too_long(self, end: int) -> bool:
        length = line_end(self.text, end) - line_start(self.text, end)
        return length + sum(len(new) + 2 for new in self.new) > _LONGEST_LINE
