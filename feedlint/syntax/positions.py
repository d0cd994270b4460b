"""Offsets of nodes in the text. The only user of LibCST's private parts.

A tree that gives its text back can say where its nodes stand by counting what it emits. LibCST's own provider does that
for every node and splits every token by lines, at the cost of two parses; this costs a third of one, and the text that
comes out is needed anyway, to see whether it is the one that went in.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from types import TracebackType

import libcst as cst
from libcst._nodes.internal import CodegenState

from ..records import record

Extent = tuple[int, int]
"""Offsets of the first character and of the one after the last."""

PLACED = (cst.BaseExpression, cst.Arg, cst.BaseSmallStatement, cst.BaseStatement)
"""The classes of nodes whose places are kept."""


@record(frozen=True, slots=True)
class Emitted:
    """What a tree gives back: its text, the extents of its placed nodes (inner ones first), and those of its comments.

    The extent of an expression leaves out the parentheses around it.
    """

    text: str
    extents: list[tuple[cst.CSTNode, Extent]]
    comments: list[Extent]


def emit(module: cst.Module) -> Emitted:
    """Write a tree out and note what stands where. Raises RecursionError where it is nested too deeply."""
    recorder = _Recorder(module.default_indent, module.default_newline)
    module._codegen(recorder)
    return Emitted("".join(recorder.tokens), recorder.extents, recorder.comments)


class _Recorder(CodegenState):
    def __init__(self, default_indent: str, default_newline: str) -> None:
        super().__init__(default_indent, default_newline)
        self.length = 0
        self.extents: list[tuple[cst.CSTNode, Extent]] = []
        self.comments: list[Extent] = []
        self.is_placed: dict[type, bool] = {}

    def add_token(self, value: str) -> None:
        self.tokens.append(value)
        self.length += len(value)

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.add_token(token)

    def pop_trailing_newline(self) -> None:
        if self.tokens:
            self.length -= len(self.tokens.pop())

    def before_codegen(self, node: cst.CSTNode) -> None:
        if node.__class__ is cst.Comment:
            self.comments.append((self.length, self.length + len(node.value)))

    def record_syntactic_position(  # type: ignore[override]
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> AbstractContextManager[None]:
        kind = node.__class__
        placed = self.is_placed.get(kind)
        if placed is None:
            placed = self.is_placed[kind] = issubclass(kind, PLACED)
        return _Extent(self, node) if placed else _NOT_PLACED


_NOT_PLACED = nullcontext()


class _Extent:
    """Notes what was emitted while it was open; a generator as context manager would take twice as long."""

    __slots__ = ("node", "recorder", "start")

    def __init__(self, recorder: _Recorder, node: cst.CSTNode) -> None:
        self.recorder = recorder
        self.node = node

    def __enter__(self) -> None:
        self.start = self.recorder.length

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.recorder.extents.append((self.node, (self.start, self.recorder.length)))
