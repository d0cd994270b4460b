"""Whether what workers get can be sent to one that is not forked: pickled there, and found by its name here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...findings import UNKNOWN, Evidence
from ...ir import nodes as ir
from ...knowledge import item_calls, program_calls
from ...semantics.classes import attribute, fields, holds_fields, lineage, method_of, self_name, stores
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
from ..loaders import Loader
from ..program import program
from .answers import YES, Answer, no
from .main_process import below_guard
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
        return _first(_unpicklable_set(semantics, part, seen, depth + 1) for part in parts(semantics, value))
    if isinstance(value, FunctionValue):
        if not value.node.name:
            return Evidence("a lambda can't be sent to a worker that is not forked", value.node.place)
        if value.node.function is not None:
            return Evidence(f"{value.node.name} is local to a function: it can't be sent to a worker that is not forked", value.node.place)
        if below_guard(value.node):
            return Evidence(f"{value.node.name} is defined below the main guard: a worker that is not forked does not have it", value.node.place)
        if value.receiver is not None:
            return _unpicklable(semantics, value.receiver, seen, depth + 1)
        return _hidden_by_decorator(semantics, value.node)
    if isinstance(value, Partial):
        given = (_unpicklable_set(semantics, semantics.evaluate(a.value), seen, depth + 1) for a in value.call.arguments[1:])
        return _unpicklable(semantics, value.target, seen, depth + 1) or _first(given)
    if isinstance(value, ClassValue):
        return _odd_class(semantics, value.node)
    if isinstance(value, Instance):
        if value in seen:
            return None
        seen.add(value)
        if isinstance(value.maker, ClassValue):
            return _unpicklable_object(semantics, value, seen, depth)
        return _unpicklable_external(semantics, value, value.maker.name, seen, depth)
    if isinstance(value, External):
        # A name without a dot is a module itself, not something in it.
        is_known = value.name.startswith(program_calls.FOUND_BY_NAME) and not value.name.startswith("torch.ops.")
        if is_known and value.name not in program_calls.UNPICKLABLE:
            return None
        return Evidence(f"whether {value.name} can be sent to a worker is not known")
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
    if name in item_calls.HANDLES or name in program_calls.COMPILED or name in program_calls.UNPICKLABLE:
        return False
    maker, _, method = name.rpartition(".")
    if method in program_calls.UNPICKLABLE_RESULTS and maker.count("."):
        return False
    return name.startswith(program_calls.PICKLABLE_PREFIXES)


def parts(semantics: Semantics, value: Items | Mapping | IteratorValue) -> Iterator[ValueSet]:
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


def _hidden_by_decorator(semantics: Semantics, node: ir.Function) -> Evidence | None:
    """A function is sent by its name: what a decorator puts under that name must be it, or pass for it."""
    for decorator in node.decorators:
        called = decorator.function_expression if isinstance(decorator, ir.Call) else decorator
        values = semantics.evaluate(called)
        for value in values.values:
            if isinstance(value, External) and value.name in item_calls.QUIET_DECORATORS:
                continue
            if isinstance(value, FunctionValue) and any(c.method == "wraps" for c in calls(value.node)):
                continue
            return Evidence(f"what the decorator makes of {node.name} may not be found under its name", decorator.place)
        if values.open or not values.values:
            return Evidence(f"what the decorator makes of {node.name} may not be found under its name", decorator.place)
    return None


def _odd_class(semantics: Semantics, node: ir.Class) -> Evidence | None:
    """Why objects of a class may not come out of a worker's end as they went in."""
    if node.function is not None:
        return Evidence(f"{node.name} is local to a function: it can't be sent to a worker that is not forked", node.place)
    if below_guard(node):
        return Evidence(f"{node.name} is made below the main guard: a worker that is not forked does not have it", node.place)
    for each in lineage(semantics, node).classes:
        own = next((name for name in sorted(program_calls.OWN_PROTOCOLS) if name in each.inner_scope.bindings), None)
        if own is not None and own != "__slots__":
            return Evidence(f"{each.name} says by {own} for itself how it is copied", each.inner_scope.bindings[own][0].node.place)
        for decorator in each.decorators:
            called = decorator.function_expression if isinstance(decorator, ir.Call) else decorator
            if not semantics.names_of(called) & program_calls.QUIET_CLASS_DECORATORS:
                return Evidence(f"what the decorator makes of {each.name} is not known", decorator.place)
        if any(argument.keyword == "metaclass" for argument in each.keywords):
            return Evidence(f"{each.name} has a metaclass of its own", each.place)
    return None


def _unpicklable_object(semantics: Semantics, value: Instance, seen: set[Any], depth: int) -> Evidence | None:
    assert isinstance(value.maker, ClassValue)
    node = value.maker.node
    problem = _odd_class(semantics, node)
    if problem is not None:
        return problem
    if is_module(semantics, value):
        return Evidence(f"{node.name} is a module: workers would get copies of it", value.call.place if value.call else None)
    names = dict.fromkeys(items.stored_names(semantics, node))
    if holds_fields(semantics, node):
        names.update(dict.fromkeys(fields(semantics, node)))
    for name in names:
        held = attribute(semantics, value, name)
        problem = _unpicklable_set(semantics, held, seen, depth + 1)
        if problem is None:
            problem = _first(_unpicklable_put(semantics, put, seen, depth + 1) for put in _put_into(semantics, value.maker, name))
        if problem is not None:
            return problem
        if held.open and not held.values and not _all_picklable(semantics, node, name):
            return Evidence(f"what self.{name} of {node.name} holds is not known")
        compiled = _compiled(semantics, node, name)
        if compiled is not None:
            return Evidence(f"self.{name} of {node.name} is compiled: it can't be sent to a worker that is not forked", compiled.place)
    by_text = _attributes_by_text(semantics, value)
    return None if by_text is None else Evidence("not all attributes of the object are known", by_text.place)


def _attributes_by_text(semantics: Semantics, value: Instance) -> ir.Node | None:
    """A `setattr`, `vars` or `__dict__` by which an object may get attributes under any name."""
    for module in program(semantics, value.maker.node.module if isinstance(value.maker, ClassValue) else value.call.module):  # type: ignore[union-attr]
        for name in ("setattr", "vars"):
            for call in module.calls.get(name, ()):
                if call.positional and value in semantics.evaluate(call.positional[0]).values:
                    return call
                if call.positional and _is_own(semantics, call.positional[0], value):
                    return call
        for use in module.attributes.get("__dict__", ()):
            if value in semantics.evaluate(use.value).values or _is_own(semantics, use.value, value):
                return use
    return None


def _is_own(semantics: Semantics, expression: ir.Expression, value: Instance) -> bool:
    """Whether an expression is the `self` of a class that the object is of."""
    method = method_of(expression)
    if method is None or not isinstance(expression, ir.Name) or expression.id != self_name(method) or not isinstance(value.maker, ClassValue):
        return False
    return method.owner_class in lineage(semantics, value.maker.node).classes


def _all_picklable(semantics: Semantics, node: ir.Class, name: str) -> bool:
    """Whether everything that the class stores under a name comes from calls whose results can be sent: `json.load(...)`."""
    kept = list(stores(semantics, node, name))
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
