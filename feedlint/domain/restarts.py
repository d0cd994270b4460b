"""Places that start a new iteration over a loader only to take one batch from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..config import Settings
from ..ir import nodes as ir
from ..places import Place
from ..records import record
from ..semantics.evaluation import Semantics
from ..semantics.loops import drawn_from, is_switched_off, per_step, step_loop
from .loaders import Loader, loader_at
from .scope import card_key, is_left_alone


@record(frozen=True, slots=True)
class Restart:
    """`next(iter(loader))`, or a loop over a loader that breaks at its first batch, run again and again.

    `in_step`: once per step; otherwise once per round of a loop that is none, such as an epoch.
    """

    node: ir.Node
    loader: Loader
    in_step: bool

    @property
    def place(self) -> Place:
        if isinstance(self.node, ir.For):
            return self.node.iterable.place
        return self.node.place

    @property
    def statement(self) -> Place:
        return self.place if isinstance(self.node, ir.For) else self.node.statement.place

    @property
    def card(self) -> str:
        return card_key(self.loader.call)


def restarts(semantics: Semantics, module: ir.Module, settings: Settings) -> Iterator[Restart]:
    """The restarts of a module, in source order."""
    found = [*_from_next(semantics, module), *_from_breaks(semantics, module)]
    yield from sorted((r for r in found if not is_left_alone(semantics, r.node)), key=lambda r: (r.node.line, r.node.column))


def _loaders(semantics: Semantics, expression: ir.Expression) -> list[Loader]:
    found = []
    for instance in drawn_from(semantics, (semantics.evaluate(expression),)):
        loader = loader_at(semantics, instance.call) if instance.call is not None else None
        if loader is not None:
            found.append(loader)
    return found


def _from_next(semantics: Semantics, module: ir.Module) -> Iterator[Restart]:
    for call in module.calls.get("next", ()):
        inner = call.positional[0] if call.positional else None
        if not isinstance(inner, ir.Call) or inner.method not in ("iter", "enumerate") or not inner.positional:
            continue
        for loader in _loaders(semantics, inner.positional[0])[:1]:
            where = _again(semantics, call)
            if where is not None:
                yield Restart(call, loader, where)


def _from_breaks(semantics: Semantics, module: ir.Module) -> Iterator[Restart]:
    for loop in module.loops:
        if not isinstance(loop, ir.For) or not loop.body.statements:
            continue
        last = loop.body.statements[-1]
        leaves = (isinstance(last, ir.Jump) and last.kind == "break") or isinstance(last, ir.Return)
        if not leaves:
            continue
        for loader in _loaders(semantics, loop.iterable)[:1]:
            if _again(semantics, loop):
                yield Restart(loop, loader, True)


def _again(semantics: Semantics, node: ir.Node) -> bool | None:
    """True if it runs once per step, False if once per round of another loop, None if it runs once."""
    child: Any = node
    for ancestor in node.ancestors():
        if isinstance(ancestor, ir.If) and isinstance(child, ir.Statement) and is_switched_off(semantics, ancestor.test):
            return None
        if isinstance(ancestor, ir.Try) and any(isinstance(child, ir.Statement) and child.block is h.block for h in ancestor.handlers):
            return None
        if isinstance(ancestor, (ir.For, ir.While)) and isinstance(child, ir.Statement) and child.block is ancestor.body:
            if step_loop(semantics, ancestor) is not None:
                return True
            return False
        if isinstance(ancestor, ir.Function) and ancestor.encloses(child):
            break
        child = ancestor
    return True if per_step(semantics, node) else None
