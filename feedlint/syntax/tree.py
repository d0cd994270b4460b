"""A file as LibCST sees it, with the nodes at the spans that somebody asks for."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from ..places import Span
from ..source import Source
from .positions import Extent, extents


@dataclass(frozen=True, slots=True)
class NotRewritable:
    """Why a file can be read but not be rewritten."""

    reason: str


@dataclass(slots=True)
class Tree:
    """`at` maps the extent of a node to the nodes there, outer ones last; `extent_of` is the way back, by identity."""

    source: Source
    module: cst.Module
    at: dict[Extent, list[cst.CSTNode]] = field(default_factory=dict)
    extent_of: dict[int, Extent] = field(default_factory=dict)
    parent_of: dict[int, cst.CSTNode] = field(default_factory=dict)

    def extent(self, span: Span) -> Extent:
        return self.source.offset(span.line, span.column), self.source.offset(span.end_line, span.end_column)

    def node(self, span: Span, kind: type) -> Any:
        """The node of a class at a span as `ast` reports it, None if there is none."""
        for node in self.at.get(self.extent(span), ()):
            if isinstance(node, kind):
                return node
        return None

    def text_of(self, node: cst.CSTNode) -> str:
        return self.module.code_for_node(node)

    def outer(self, node: Any) -> Extent:
        """The extent of an expression with its parentheses."""
        start, end = self.extent_of[id(node)]
        left = sum(len(self.text_of(p)) for p in getattr(node, "lpar", ()))
        right = sum(len(self.text_of(p)) for p in getattr(node, "rpar", ()))
        return start - left, end + right


def parse(source: Source) -> Tree | NotRewritable:
    """Parse a file; only one that LibCST gives back to the last character can be rewritten."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        module = cst.parse_module(source.text)
        wanted = (cst.BaseExpression, cst.Arg, cst.SimpleStatementLine)
        text, found = extents(module, wanted)
    except cst.ParserSyntaxError as error:
        return NotRewritable(f"LibCST can't parse it: {error.message}")
    except RecursionError:
        return NotRewritable("it is nested too deeply")
    except Exception as error:  # LibCST raises many kinds on rare but valid syntax
        return NotRewritable(f"LibCST can't read it: {type(error).__name__}")
    finally:
        if collecting:
            gc.enable()
    if text != source.text:
        return NotRewritable("LibCST does not give it back exactly")
    tree = Tree(source, module)
    for start, end, node in found:
        tree.at.setdefault((start, end), []).append(node)
        tree.extent_of[id(node)] = (start, end)
    for parent, child in walk(module):
        tree.parent_of[id(child)] = parent
    return tree


def walk(root: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    """All pairs of a node and a child of it, without recursion and without LibCST's visitors, which rebuild what they see."""
    stack: list[cst.CSTNode] = [root]
    while stack:
        node = stack.pop()
        for name in _fields(type(node)):
            value = getattr(node, name)
            if isinstance(value, cst.CSTNode):
                yield node, value
                stack.append(value)
            elif value.__class__ in (tuple, list):
                for item in value:
                    if isinstance(item, cst.CSTNode):
                        yield node, item
                        stack.append(item)


_FIELDS: dict[type, tuple[str, ...]] = {}


def _fields(kind: type) -> tuple[str, ...]:
    """The fields of a node class that can hold expressions or statements; white space holds neither."""
    known = _FIELDS.get(kind)
    if known is None:
        names = getattr(kind, "__dataclass_fields__", {})
        known = _FIELDS[kind] = tuple(n for n in names if not n.startswith(("whitespace", "leading_lines", "lpar", "rpar", "__slots__")))
    return known
