"""A file as LibCST sees it: parsed once, with the places of its nodes."""

from __future__ import annotations

import gc
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TypeVar

import libcst as cst

from ..places import Span
from ..records import record
from ..source import Source
from .positions import Emitted, Extent, emit
from .walking import parents

_WHITE_SPACE = " \t\f\r\n\\"
"""What can stand between two tokens, with the backslash that joins lines."""

Node = TypeVar("Node", bound=cst.CSTNode)


@record(frozen=True, slots=True)
class NotRewritable:
    """Why a file can be read but not be rewritten."""

    reason: str


class Tree:
    """A parsed file that LibCST gives back to the last character."""

    def __init__(self, source: Source, module: cst.Module, emitted: Emitted) -> None:
        self.source = source
        self.module = module
        self.comments: Sequence[Extent] = emitted.comments
        """The extents of all comments, in order."""
        self._nodes = [node for node, _ in emitted.extents]
        self._extents = {id(node): extent for node, extent in emitted.extents}

    def placed(self) -> Iterable[tuple[cst.CSTNode, Extent]]:
        """All nodes whose places are kept, with their extents; inner ones first."""
        return ((node, self._extents[id(node)]) for node in self._nodes)

    def extent(self, node: cst.CSTNode) -> Extent:
        """The offsets of an expression (without parentheses around it), an argument or a small statement."""
        return self._extents[id(node)]

    def outer_extent(self, node: cst.BaseExpression) -> Extent:
        """The offsets of an expression with all parentheses around it."""
        return self._with_parentheses(self.extent(node), len(node.lpar))

    def ast_extent(self, node: cst.CSTNode) -> Extent:
        """The offsets that `ast` reports: to it the parentheses of a tuple or generator are a part of it."""
        extent = self.extent(node)
        if isinstance(node, cst.GeneratorExp) or (isinstance(node, cst.Tuple) and node.lpar):
            # A generator that is the only argument of a call has the parentheses of the call.
            return self._with_parentheses(extent, 1)
        return extent

    def _with_parentheses(self, extent: Extent, pairs: int) -> Extent:
        start, end = extent
        for _ in range(pairs):
            start, end = self.before(start), self.after(end) + 1
        return start, end

    def before(self, offset: int) -> int:
        """The offset of the last character before an offset that is neither white space nor part of a comment."""
        text = self.source.text
        while True:
            while text[offset - 1] in _WHITE_SPACE:
                offset -= 1
            if offset not in self._comment_starts:
                return offset - 1
            offset = self._comment_starts[offset]

    def after(self, offset: int) -> int:
        """The offset of the first character from an offset on that is neither white space nor part of a comment."""
        text = self.source.text
        while text[offset] in _WHITE_SPACE or text[offset] == "#":
            offset = self._comment_ends.get(offset, offset + 1)
        return offset

    def parent(self, node: cst.CSTNode) -> cst.CSTNode:
        """The node that holds a node; the module's own is the module."""
        return self._parents.get(id(node), self.module)

    def comments_between(self, start: int, end: int) -> Sequence[Extent]:
        """The comments that begin in a range of offsets."""
        return self.comments[bisect_left(self.comments, (start, 0)) : bisect_left(self.comments, (end, 0))]

    def nodes_at(self, span: Span) -> Sequence[cst.CSTNode]:
        """The nodes that stand exactly at a span as `ast` reports it, inner ones first."""
        try:
            offset = self.source.offset
            extent = offset(span.line, span.column), offset(span.end_line, span.end_column)
        except IndexError:
            return ()
        return self._by_ast_extent.get(extent, ())

    @cached_property
    def _comment_starts(self) -> dict[int, int]:
        return {end: start for start, end in self.comments}

    @cached_property
    def _comment_ends(self) -> dict[int, int]:
        return dict(self.comments)

    @cached_property
    def _parents(self) -> dict[int, cst.CSTNode]:
        return parents(self.module)

    @cached_property
    def _by_ast_extent(self) -> dict[Extent, list[cst.CSTNode]]:
        found: dict[Extent, list[cst.CSTNode]] = {}
        for node in self._nodes:
            found.setdefault(self.ast_extent(node), []).append(node)
        return found


def parse(source: Source) -> Tree | NotRewritable:
    """Parse a file. Only what LibCST gives back to the last character can be rewritten."""
    collecting = gc.isenabled()
    # The tree is all new objects and none of them is garbage: looking for some costs a tenth of the parse.
    gc.disable()
    try:
        module = cst.parse_module(source.text)
        emitted = emit(module)
    except cst.ParserSyntaxError as error:
        return NotRewritable(f"LibCST cannot parse line {error.raw_line}")
    except RecursionError:
        return NotRewritable("it is nested too deeply")
    except Exception as error:  # what it raises on rare but valid syntax is of many kinds
        return NotRewritable(f"LibCST fails on it: {type(error).__name__}")
    finally:
        if collecting:
            gc.enable()
    if emitted.text != source.text:
        return NotRewritable("LibCST does not give it back unchanged")
    return Tree(source, module, emitted)


def bind(tree: Tree, spans: Iterable[Span], kind: type[Node]) -> dict[Span, Node]:
    """The nodes of a class at spans as `ast` reports them. A span at which none stands is left out."""
    found: dict[Span, Node] = {}
    for span in spans:
        for node in tree.nodes_at(span):
            if isinstance(node, kind):
                found[span] = node
    return found
