"""Edits that put other code in the place of an expression or around it."""

from __future__ import annotations

import ast
from functools import lru_cache

from ..places import Span
from ..syntax import Tree
from ..syntax.shapes import ExpressionShape, expression_at, has_comment, method_at, names_within
from .changes import Change, Refused, around
from .operations import ReplaceExpression, ReplaceMethod, Wrap


def replaced(tree: Tree, operation: ReplaceExpression) -> list[Change]:
    """The changes that put code in the place of an expression."""
    shape = _found(tree, operation.expression.span)
    text = tree.source.text
    start, end, code = shape.start, shape.end, operation.code
    if text[start:end] == code:
        return []
    _refuse_comment(tree, start, end)
    if not shape.has_parentheses:
        code = _fitting(tree, shape, start, end, code)
    return [Change(start, end, code)]


def wrapped(tree: Tree, operation: Wrap) -> list[Change]:
    """The changes that put text before and after an expression, with the parentheses that keep it one operand."""
    if not operation.name:
        return _around(tree, _found(tree, operation.expression.span), operation)
    shapes = names_within(tree, operation.expression.span, operation.name)
    if not shapes:
        raise Refused("the name was not found again")
    made: list[Change] = []
    for shape in shapes:
        _refuse_printed(shape)
        made += _around(tree, shape, operation)
    return made


def _around(tree: Tree, shape: ExpressionShape, operation: Wrap) -> list[Change]:
    start, end = shape.outer_start, shape.outer_end
    inner = tree.source.text[start:end]
    before, after = operation.before, operation.after
    if _parsed(before + inner + after) != _parsed(f"{before}({inner}){after}"):
        before, after = before + "(", ")" + after
    code = before + inner + after
    if _fitting(tree, shape, start, end, code) != code:
        before, after = "(" + before, after + ")"
    return around(start, end, before, after)


def without_method(tree: Tree, operation: ReplaceMethod) -> list[Change]:
    """The changes that put code in the place of a method call, its receiver left as it is."""
    method = method_at(tree, operation.call.span)
    if method is None:
        raise Refused("the method call was not found again")
    _refuse_printed(method.whole)
    text = tree.source.text
    whole, start, code = method.whole, method.dot, operation.code
    if not code and not has_comment(tree, method.receiver_end, start):
        start = method.receiver_end
    if text[start : whole.end] == code:
        return []
    _refuse_comment(tree, start, whole.end)
    made = [Change(start, whole.end, code)]
    if whole.has_parentheses:
        return made
    new = text[whole.start : start] + code
    if _fitting(tree, whole, whole.start, whole.end, new) != new:
        made += around(whole.start, whole.end, "(", ")")
    return made


def _found(tree: Tree, span: Span) -> ExpressionShape:
    shape = expression_at(tree, span)
    if shape is None:
        raise Refused("the expression was not found again")
    _refuse_printed(shape)
    return shape


def _refuse_printed(shape: ExpressionShape) -> None:
    if shape.is_printed:
        raise Refused("the program prints the source of this expression")


def _refuse_comment(tree: Tree, start: int, end: int) -> None:
    if has_comment(tree, start, end):
        raise Refused("a comment stands in what would be replaced")


def _fitting(tree: Tree, shape: ExpressionShape, start: int, end: int, code: str) -> str:
    """The code, in parentheses unless the largest expression around it means the same without them."""
    text = tree.source.text
    before, after = text[shape.whole_start : start], text[end : shape.whole_end]
    enclosed = f"({code})"
    if shape.whole_start == shape.outer_start and shape.whole_end == shape.outer_end:
        # The whole value of a statement: a tuple, a generator or `:=` is not allowed in every such place.
        loose = _parsed(f"f(k={code})") != _parsed(f"f(k={enclosed})")
        return enclosed if loose else code
    wanted = _parsed(before + enclosed + after)
    if wanted is None:
        if _parsed(text[shape.whole_start : shape.whole_end]) is not None:
            raise Refused("the new code can't stand there")
        return enclosed  # the syntax is newer than this Python
    return code if _parsed(before + code + after) == wanted else enclosed


@lru_cache(maxsize=64)
def _parsed(code: str) -> str | None:
    """What an expression means, None if it is none."""
    try:
        return ast.dump(ast.parse(f"({code}\n)", mode="eval"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
