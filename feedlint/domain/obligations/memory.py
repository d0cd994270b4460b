"""How much memory is shared, sent and kept."""

from __future__ import annotations

import math

from ...findings import PROVEN, UNKNOWN, Evidence
from ...ir import nodes as ir
from ...semantics.classes import attribute, stores
from ...semantics.evaluation import Semantics
from ...semantics.values import (
    Batch,
    ClassValue,
    Instance,
    Tensor,
)
from ...semantics.values import Iterator as IteratorValue
from .. import items
from ..loaders import Loader
from .answers import YES, Answer, no
from .objects import objects
from .state import calls


def small_state(loader: Loader) -> Answer:
    semantics = loader.semantics
    for instance in objects(loader):
        assert isinstance(instance.maker, ClassValue)
        for name in items.stored_names(semantics, instance.maker.node):
            for held in attribute(semantics, instance, name).of(IteratorValue):
                if held.elements.of(Tensor):
                    return no(UNKNOWN, f"each tensor in self.{name} would be sent through a file of its own", instance.call)
            for _value in attribute(semantics, instance, name).of(Tensor):
                for store in stores(semantics, instance.maker.node, name):
                    if not _is_small(semantics, store.value):
                        return Answer(UNKNOWN, (Evidence(f"the tensor self.{name} would be copied to shared memory as a whole", store.statement.place),))
    for leaf in loader.item_code.leaves:
        if leaf.kind == "tensors":
            return no(UNKNOWN, "its tensors would be copied to shared memory as a whole")
    kept = _kept_batch(loader)
    if kept is not None:
        return no(UNKNOWN, "batches are kept beyond their step", kept)
    size = _batch_bytes(loader)
    if size is not None and size > 8_000_000:
        return no(UNKNOWN, f"a batch takes about {size // 1_000_000} MB of shared memory for each one under way")
    return YES


def _is_small(semantics: Semantics, expression: ir.Expression | None) -> bool:
    size = tensor_bytes(semantics, expression)
    return size is not None and size <= 1_000_000


def tensor_bytes(semantics: Semantics, expression: ir.Expression | None) -> int | None:
    """The size of a new tensor whose shape is written out, None if it is not."""
    if isinstance(expression, ir.Binary):
        return tensor_bytes(semantics, expression.left) or tensor_bytes(semantics, expression.right)
    if not isinstance(expression, ir.Call):
        return None
    if expression.receiver is not None and expression.method in ("float", "long", "double", "abs", "sqrt", "sin", "cos", "exp"):
        return tensor_bytes(semantics, expression.receiver)
    names = semantics.names_of(expression.function_expression)
    shorts = {n.rpartition(".")[2] for n in names if n.startswith("torch.")}
    if not shorts & {"zeros", "ones", "rand", "randn", "empty", "full", "arange", "randint", "randperm", "linspace", "eye"}:
        return None
    sizes = expression.positional
    if shorts & {"full"} and sizes:
        sizes = sizes[:1]
    if shorts & {"randint"}:
        sizes = sizes[-1:]
    if shorts & {"linspace"}:
        sizes = sizes[2:3]
    if sizes and isinstance(sizes[0], ir.Display):
        sizes = sizes[0].items
    dimensions = []
    for size in sizes:
        constants = semantics.evaluate(size).constants
        if not constants or not all(isinstance(c, (int, float)) for c in constants):
            return None
        dimensions.append(max(int(c) for c in constants))
    return 8 * math.prod(dimensions) if dimensions else None


def _batch_bytes(loader: Loader) -> int | None:
    sizes = loader.batch_size.values.constants
    if not sizes or not all(isinstance(s, int) for s in sizes):
        return None
    total = 0
    for function in loader.item_code.functions:
        for call in calls(function):
            size = tensor_bytes(loader.semantics, call)
            if size is not None:
                total = max(total, size // 2)
    return total * max(sizes) if total else None


def _kept_batch(loader: Loader) -> ir.Node | None:
    """A place that stores what the loader gave: `list(loader)`, `seen.append(batch)`."""
    for loop in loader.use.loops:
        for node in loop.body:
            if isinstance(node, ir.Call) and node.method in ("append", "add", "put", "extend"):
                for argument in node.positional:
                    if any(isinstance(v, Batch) and isinstance(v.loader, Instance) and v.loader.call is loader.call for v in loader.semantics.evaluate(argument).values):
                        return node
    return None


def not_retained(loader: Loader) -> Answer:
    """Loaders kept in a collection keep their workers alive."""
    answer = small_state(loader)
    if answer.state != PROVEN:
        return answer
    if loader.builder_loop is not None:
        return no(UNKNOWN, "a loader is made in each iteration, and each would keep its workers", loader.call)
    for ancestor in loader.call.ancestors():
        if isinstance(ancestor, (ir.Comprehension,)):
            return no(UNKNOWN, "several loaders are kept, each with its workers", ancestor)
        if isinstance(ancestor, ir.Call) and ancestor.method in ("append", "extend"):
            return no(UNKNOWN, "loaders are kept in a list, each with its workers", ancestor)
        if isinstance(ancestor, ir.Statement):
            break
    return YES
