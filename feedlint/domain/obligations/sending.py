"""Whether what workers get, and what they give back, can be sent: pickled, shared, pinned, and how much it is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from ...findings import PROVEN, UNKNOWN, Evidence
from ...ir import nodes as ir
from ...knowledge import item_calls, program_calls
from ...semantics.classes import attribute, lineage, method_of, self_name, stores
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
    one,
)
from ...semantics.values import (
    Iterator as IteratorValue,
)
from .. import items
from ..batches import Shape
from ..loaders import Loader
from ..program import is_main_guard
from .answers import YES, Answer, no
from .objects import objects
from .state import calls


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
    if isinstance(value, IteratorValue) and not value.held:
        return Evidence("an iterator, a generator or a view of a dictionary can't be sent to a worker that is not forked")
    if isinstance(value, (Items, Mapping, IteratorValue)):
        return _first(_unpicklable_set(semantics, part, seen, depth + 1) for part in _parts(semantics, value))
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
        return _unpicklable_external(semantics, value, value.maker.name, seen, depth)
    if isinstance(value, External):
        # A name without a dot is a module itself, not something in it.
        return None if "." in value.name else Evidence(f"the module {value.name} can't be sent to a worker that is not forked")
    if isinstance(value, (Tensor, Batch)):
        return None
    return Evidence("whether everything in the dataset can be sent to a worker is not known")


def _unpicklable_external(semantics: Semantics, value: Instance, name: str, seen: set[Any], depth: int) -> Evidence | None:
    """Of what something outside of the project made, with what it was given."""
    if not _gives_picklable(name):
        return Evidence(f"whether {name} can be sent to a worker is not known", value.call.place if value.call is not None else None)
    if value.call is None or depth >= 5:
        return None
    return _first(_unpicklable_argument(semantics, argument.value, seen, depth + 1) for argument in value.call.arguments)


def _unpicklable_argument(semantics: Semantics, argument: ir.Expression, seen: set[Any], depth: int) -> Evidence | None:
    """Of what a constructor is given: it goes through an iterator, and keeps what comes out of it."""
    values = semantics.evaluate(argument)
    drawn = [v.elements if isinstance(v, IteratorValue) else one(v) for v in values.values]
    return _first(_unpicklable_set(semantics, each, seen, depth) for each in drawn)


def _gives_picklable(name: str) -> bool:
    if name in item_calls.HANDLES or name in program_calls.COMPILED:
        return False
    maker, _, method = name.rpartition(".")
    if method in program_calls.UNPICKLABLE_RESULTS and maker.count("."):
        return False
    return name.startswith(program_calls.PICKLABLE_PREFIXES)


def _parts(semantics: Semantics, value: Items | Mapping | IteratorValue) -> Iterator[ValueSet]:
    """What a container holds, under keys that are not known too."""
    if isinstance(value, Items):
        yield from value.items
    elif isinstance(value, IteratorValue):
        yield value.elements
    else:
        yield from value.entries.values()
        if value.open and isinstance(value.node, ir.Comprehension):
            yield semantics.evaluate(value.node.element)
        elif value.open and isinstance(value.node, ir.Dictionary):
            yield from (semantics.evaluate(each) for each in value.node.values)


def _unpicklable_set(semantics: Semantics, values: ValueSet, seen: set[Any], depth: int) -> Evidence | None:
    return _first(_unpicklable(semantics, value, seen, depth) for value in values.values)


def _first(problems: Iterable[Evidence | None]) -> Evidence | None:
    return next((problem for problem in problems if problem is not None), None)


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
        if problem is None:
            problem = _first(_unpicklable_put(semantics, put, seen, depth + 1) for put in _put_into(semantics, value.maker, name))
        if problem is not None:
            return problem
        if held.open and not held.values and not _all_picklable(semantics, value.maker.node, name):
            return Evidence(f"what self.{name} of {value.maker.node.name} holds is not known")
        compiled = _compiled(semantics, value.maker.node, name)
        if compiled is not None:
            return Evidence(f"self.{name} of {value.maker.node.name} is compiled: it can't be sent to a worker that is not forked", compiled.place)
    return None


def _all_picklable(semantics: Semantics, node: ir.Class, name: str) -> bool:
    """Whether everything that the class stores under a name comes from calls whose results can be sent: `json.load(...)`."""
    kept = stores(semantics, node, name)
    for store in kept:
        names = semantics.names_of(store.value.function_expression) if isinstance(store.value, ir.Call) else set()
        if not names or not all(_gives_picklable(each) for each in names):
            return False
    return bool(kept)


def _compiled(semantics: Semantics, node: ir.Class, name: str) -> ir.Call | None:
    for store in stores(semantics, node, name):
        if isinstance(store.value, ir.Call) and semantics.names_of(store.value.function_expression) & program_calls.COMPILED:
            return store.value
    return None


def _put_into(semantics: Semantics, maker: ClassValue, name: str) -> Iterator[ir.Expression]:
    """What methods of a class put into the container that they keep under a name."""
    for each in lineage(semantics, maker.node).classes:
        for use in each.module.attributes.get(name, ()):
            method = method_of(use.statement)
            if method is None or method.owner_class is not each or not (isinstance(use.value, ir.Name) and use.value.id == self_name(method)):
                continue
            yield from _put_through(use)
    # A local name that becomes the attribute when it is full.
    for store in stores(semantics, maker.node, name):
        if isinstance(store.value, ir.Name):
            for other in store.statement.module.names.get(store.value.id, ()):
                if other.scope is store.value.scope:
                    yield from _put_through(other)


def _unpicklable_put(semantics: Semantics, put: ir.Expression, seen: set[Any], depth: int) -> Evidence | None:
    call = put.parent
    if isinstance(call, ir.Call) and call.method in ("extend", "extendleft", "update"):
        return _unpicklable_argument(semantics, put, seen, depth)
    return _unpicklable_set(semantics, semantics.evaluate(put), seen, depth)


def _put_through(use: ir.Expression) -> Iterator[ir.Expression]:
    """What the expression around a container puts into it: `use.append(x)`, `use[key] = x`."""
    parent = use.parent
    if isinstance(parent, ir.Attribute) and isinstance(parent.parent, ir.Call) and parent.parent.function_expression is parent:
        if parent.name in item_calls.PUTS_INTO:
            yield from (argument.value for argument in parent.parent.arguments)
    elif isinstance(parent, ir.Index) and parent.value is use and isinstance(parent.parent, ir.Assign):
        if any(target is parent for target in parent.parent.targets) and parent.parent.value is not None:
            yield parent.parent.value


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
