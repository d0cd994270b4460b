"""Whether what workers get, and what they give back, can be sent: pickled, shared, pinned, and how much it is."""

from __future__ import annotations

import math
from typing import Any

from ...findings import PROVEN, UNKNOWN, Evidence
from ...ir import nodes as ir
from ...knowledge import item_calls, program_calls
from ...semantics.classes import attribute, stores
from ...semantics.evaluation import Semantics
from ...semantics.tensors import is_module
from ...semantics.values import (
    Batch,
    ClassValue,
    External,
    FunctionValue,
    Instance,
    Items,
    Known,
    Mapping,
    Partial,
    Scalar,
    Tensor,
    ValueSet,
)
from ...semantics.values import (
    Iterator as IteratorValue,
)
from .. import items
from ..batches import Shape
from ..loaders import Loader
from ..program import is_main_guard
from .answers import YES, Answer, no
from .state import calls, objects


def picklable(loader: Loader) -> Answer:
    semantics = loader.semantics
    seen: set[Any] = set()
    for value in loader.item_code.values:
        problem = _unpicklable(semantics, value, seen, 0)
        if problem is not None:
            return Answer(UNKNOWN, (problem,))
    for given in (loader.collate, loader.given(loader.api.worker_init)):
        if given.given:
            for value in given.values.values:
                problem = _unpicklable(semantics, value, seen, 0)
                if problem is not None:
                    return Answer(UNKNOWN, (problem,))
            if given.values.open:
                return no(UNKNOWN, "not all that workers need is known")
    init = loader.given(loader.api.worker_init)
    if init.given and not init.values.are_all(None):
        return no(UNKNOWN, "worker_init_fn would start to run", init.node)
    return YES


def _unpicklable(semantics: Semantics, value: Any, seen: set[Any], depth: int) -> Evidence | None:
    if depth > 6 or isinstance(value, (Known, Scalar)):
        return None
    if isinstance(value, (Items, Mapping, IteratorValue)):
        parts = value.items if isinstance(value, Items) else (value.entries.values() if isinstance(value, Mapping) else (value.elements,))
        for part in parts:
            problem = _unpicklable_set(semantics, part, seen, depth + 1)
            if problem is not None:
                return problem
        return None
    if isinstance(value, FunctionValue):
        if not value.node.name:
            return Evidence("a lambda can't be sent to a worker that is not forked", value.node.place)
        if value.node.function is not None:
            return Evidence(f"{value.node.name} is local to a function: it can't be sent to a worker that is not forked", value.node.place)
        if value.receiver is not None:
            return _unpicklable(semantics, value.receiver, seen, depth + 1)
        return None
    if isinstance(value, Partial):
        return _unpicklable(semantics, value.target, seen, depth + 1)
    if isinstance(value, ClassValue):
        return _local_class(value.node)
    if isinstance(value, Instance):
        if value in seen:
            return None
        seen.add(value)
        if isinstance(value.maker, ClassValue):
            return _unpicklable_object(semantics, value, seen, depth)
        name = value.maker.name
        if name.startswith(program_calls.PICKLABLE_PREFIXES) and name not in item_calls.HANDLES:
            for argument in value.call.arguments if value.call is not None and depth < 5 else ():
                problem = _unpicklable_set(semantics, semantics.evaluate(argument.value), seen, depth + 1)
                if problem is not None:
                    return problem
            return None
        return Evidence(f"whether {name} can be sent to a worker is not known", value.call.place if value.call is not None else None)
    if isinstance(value, (Tensor, External)):
        return None
    if isinstance(value, Batch):
        return None
    return Evidence("whether everything in the dataset can be sent to a worker is not known")


def _unpicklable_set(semantics: Semantics, values: ValueSet, seen: set[Any], depth: int) -> Evidence | None:
    for value in values.values:
        problem = _unpicklable(semantics, value, seen, depth)
        if problem is not None:
            return problem
    return None


def _local_class(node: ir.Class) -> Evidence | None:
    if node.function is not None:
        return Evidence(f"{node.name} is local to a function: it can't be sent to a worker that is not forked", node.place)
    if any(isinstance(a, ir.If) and is_main_guard(a.test) for a in node.ancestors()):
        return Evidence(f"{node.name} is made below the main guard: a worker that is not forked does not have it", node.place)
    return None


def _unpicklable_object(semantics: Semantics, value: Instance, seen: set[Any], depth: int) -> Evidence | None:
    assert isinstance(value.maker, ClassValue)
    problem = _local_class(value.maker.node)
    if problem is not None:
        return problem
    if is_module(semantics, value):
        return Evidence(f"{value.maker.node.name} is a module: workers would get copies of it", value.call.place if value.call else None)
    if value.maker.node.method("__getstate__") is not None or value.maker.node.method("__reduce__") is not None:
        return None
    for name in items.stored_names(semantics, value.maker.node):
        held = attribute(semantics, value, name)
        problem = _unpicklable_set(semantics, held, seen, depth + 1)
        if problem is not None:
            return problem
        if held.open and not held.values:
            return Evidence(f"what self.{name} of {value.maker.node.name} holds is not known")
    return None


def batch_picklable(loader: Loader) -> Answer:
    if loader.item_code.modules_run:
        return no(UNKNOWN, "item code runs a module: what it returns may carry gradients", loader.item_code.modules_run[0])
    odd = _odd_leaves(loader)
    if not odd:
        return YES
    if all(leaf.kind == "unknown" for leaf in odd) and loader.batch.kind == "unknown" and library_samples(loader):
        return YES
    note = _note(odd)
    return no(UNKNOWN, f"a batch may hold {note}" if note else "what a batch holds is not known")


def _odd_leaves(loader: Loader) -> list[Shape]:
    """The parts of a batch that are not proven to be dense tensors or what collating makes plain values of."""
    plain = ("tensor", "number", "string", "array", "none", "mixed")
    return [leaf for leaf in loader.batch.leaves if leaf.kind not in plain]


def _note(leaves: list[Shape]) -> str:
    """What is known of the first of them, "" if nothing is."""
    return next((leaf.note for leaf in leaves if leaf.note), "")


def library_samples(loader: Loader) -> bool:
    """A torchvision dataset with the default collation: it either gives tensors or fails with 0 workers too."""
    return not loader.collate.given and all(leaf.kind == "known" for leaf in loader.item_code.leaves)


def small_state(loader: Loader) -> Answer:
    semantics = loader.semantics
    for instance in objects(loader):
        assert isinstance(instance.maker, ClassValue)
        for name in items.stored_names(semantics, instance.maker.node):
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
    size = _tensor_bytes(semantics, expression)
    return size is not None and size <= 1_000_000


def _tensor_bytes(semantics: Semantics, expression: ir.Expression | None) -> int | None:
    """The size of a new tensor whose shape is written out, None if it is not."""
    if isinstance(expression, ir.Binary):
        return _tensor_bytes(semantics, expression.left) or _tensor_bytes(semantics, expression.right)
    if not isinstance(expression, ir.Call):
        return None
    if expression.receiver is not None and expression.method in ("float", "long", "double", "abs", "sqrt", "sin", "cos", "exp"):
        return _tensor_bytes(semantics, expression.receiver)
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
            size = _tensor_bytes(loader.semantics, call)
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


def dense_cpu_batch(loader: Loader) -> Answer:
    odd = _odd_leaves(loader)
    if not odd or library_samples(loader):
        return YES
    note = _note(odd)
    return no(UNKNOWN, f"a batch may hold {note}, which is not pinned" if note else "what a batch holds is not known")


def no_alias(loader: Loader) -> Answer:
    if loader.batch_size.given and any(isinstance(v, Known) and v.value is None for v in loader.batch_size.values.values):
        return no(UNKNOWN, "without collation a batch is the dataset's own memory; pinning makes a copy of it")
    return YES
