"""Offsets of nodes in the text, for the classes of nodes that somebody wants; the only user of LibCST's private parts.

A tree that gives its text back exactly can say where every node starts by counting what it emits. LibCST's own provider
does that for each node and splits each token by lines, which costs two parses; this costs a third of one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import libcst as cst
from libcst._nodes.internal import CodegenState

Extent = tuple[int, int]
"""Offsets of the first character and of the one after the last, parentheses around an expression left out."""


class _Recorder(CodegenState):  # type: ignore[misc]
    def __init__(self, default_indent: str, default_newline: str, wanted: tuple[type, ...]) -> None:
        super().__init__(default_indent=default_indent, default_newline=default_newline)
        self.length = 0
        self.wanted = wanted
        self.found: list[tuple[int, int, Any]] = []

    def add_token(self, value: str) -> None:
        self.tokens.append(value)
        self.length += len(value)

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.add_token(token)

    def pop_trailing_newline(self) -> None:
        if self.tokens:
            self.length -= len(self.tokens.pop())

    @contextmanager
    def record_syntactic_position(self, node: Any, *, start_node: Any = None, end_node: Any = None) -> Iterator[None]:
        if not isinstance(node, self.wanted):
            yield
            return
        start = self.length
        yield
        self.found.append((start, self.length, node))


def extents(module: cst.Module, wanted: tuple[type, ...]) -> tuple[str, list[tuple[int, int, Any]]]:
    """The text of a module, and the extents of its nodes of the wanted classes, inner ones before outer ones."""
    recorder = _Recorder(module.default_indent, module.default_newline, wanted)
    module._codegen(recorder)
    return "".join(recorder.tokens), recorder.found
