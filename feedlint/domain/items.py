"""Item code: what runs for every sample (the dataset's `__getitem__`, its transforms, the collate function).

Collected once per loader: which functions of the project run there, what from outside they call, what they read and
write. `known` is False as soon as something was met that could not be resolved; the reasons are kept for the user.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..findings import Evidence
from ..ir import nodes as ir
from ..knowledge import item_calls
from ..records import record
from ..semantics.classes import attribute, lineage, lookup
from ..semantics.evaluation import Semantics
from ..semantics.tensors import is_module
from ..semantics.values import (
    Batch,
    ClassValue,
    External,
    FunctionValue,
    Instance,
    Items,
    Known,
    Method,
    Partial,
    Scalar,
    Tensor,
    ValueSet,
)
from ..semantics.values import Iterator as IteratorValue
from . import batches
from .batches import Shape

_MOST_FUNCTIONS = 60


@record(frozen=True, slots=True)
class Leaf:
    """A dataset at the end of all wrapping: a project class, one of a library, or data in memory."""

    value: Instance | None
    name: str
    kind: str  # "project", "known", "tensors", "outside", "list", "unknown"
    iterable: bool = False


@dataclass(slots=True)
class ItemCode:
    """What runs per sample. `functions` with the calls that led to them; `externals` by qualified name."""

    leaves: tuple[Leaf, ...] = ()
    functions: dict[ir.Function, None] = field(default_factory=dict)
    externals: dict[str, ir.Call] = field(default_factory=dict)
    modules_run: list[ir.Call] = field(default_factory=list)
    unknown: list[Evidence] = field(default_factory=list)
    transforms: list[Instance] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)  # objects that workers must get: for pickling
    classes: dict[ir.Class, None] = field(default_factory=dict)  # of the objects that were met

    @property
    def calls(self) -> Iterator[ir.Call]:
        for function in self.functions:
            for node in ir.walk_block(function.body):
                if isinstance(node, ir.Call):
                    yield node


def leaves(semantics: Semantics, values: ValueSet, depth: int = 0) -> tuple[Leaf, ...]:
    """The datasets behind subsets, splits and concatenations."""
    found: dict[tuple[Any, str], Leaf] = {}
    if values.open or not values.values:
        found[None, "open"] = Leaf(None, "", "unknown")
    for value in values.values:
        for leaf in _leaf(semantics, value, depth):
            found[leaf.value, leaf.name] = leaf
    return tuple(found.values())


def _leaf(semantics: Semantics, value: Any, depth: int) -> Iterable[Leaf]:
    if depth > 6:
        return [Leaf(None, "", "unknown")]
    if isinstance(value, Instance) and isinstance(value.maker, External):
        name = value.maker.name
        parameter = item_calls.WRAPPING_DATASETS.get(name)
        if parameter is not None and value.call is not None:
            given = value.call.argument(parameter, 0)
            inner = semantics.evaluate(given)
            if isinstance(inner.single, (Items, IteratorValue)):
                single = inner.single
                parts = single.items if isinstance(single, Items) else (single.elements,)
                return [leaf for part in parts for leaf in leaves(semantics, part, depth + 1)]
            return leaves(semantics, inner, depth + 1)
        if name in item_calls.TENSOR_DATASETS:
            return [Leaf(value, name, "tensors")]
        known = item_calls.known_dataset(name)
        if known:
            return [Leaf(value, name, "known", name in item_calls.ITERABLE_DATASETS)]
        return [Leaf(value, name, "outside")]
    if isinstance(value, Instance) and isinstance(value.maker, ClassValue):
        externals = set(lineage(semantics, value.maker.node).externals)
        iterable = bool(externals & item_calls.ITERABLE_BASES) or (
            lookup(semantics, value.maker, "__getitem__") is None and lookup(semantics, value.maker, "__iter__") is not None
        )
        return [Leaf(value, value.maker.node.name, "project", iterable)]
    if isinstance(value, (Items, IteratorValue)):
        return [Leaf(None, "a list", "list")]
    if isinstance(value, (Tensor,)):
        return [Leaf(None, "a tensor", "tensors")]
    if isinstance(value, Known) and value.value is None:
        return []
    return [Leaf(None, "", "unknown")]


def item_functions(semantics: Semantics, leaf: Leaf) -> list[ir.Function]:
    """The methods of a project dataset that make samples."""
    if leaf.value is None or not isinstance(leaf.value.maker, ClassValue):
        return []
    found = []
    for name in ("__getitem__", "__getitems__", "__iter__"):
        method = lookup(semantics, leaf.value.maker, name)
        if method is not None:
            found.append(method)
    return found


def item_code(semantics: Semantics, dataset: ValueSet, collate: ValueSet | None) -> ItemCode:
    """Everything that runs per sample for a dataset and a collate function."""
    code = ItemCode(leaves(semantics, dataset))
    for leaf in code.leaves:
        if leaf.kind == "unknown":
            code.unknown.append(Evidence("it is not known which dataset this is"))
        elif leaf.kind == "outside":
            code.unknown.append(Evidence(f"{leaf.name} is not known to feedlint"))
        elif leaf.kind == "known" and leaf.value is not None:
            _constructor(semantics, code, leaf.value)
        elif leaf.kind == "project":
            functions = item_functions(semantics, leaf)
            if not functions:
                code.unknown.append(Evidence(f"{leaf.name} has no __getitem__ in this project"))
            if leaf.value is not None:
                _take(semantics, code, leaf.value)
            for function in functions:
                _reach(semantics, code, function)
    if collate is not None:
        for value in collate.values:
            code.values.append(value)
            _called(semantics, code, value, None)
        if collate.open:
            code.unknown.append(Evidence("it is not known which collate function this is"))
    return code


def _take(semantics: Semantics, code: ItemCode, value: Instance) -> None:
    """A dataset, with the classes of what it holds: their methods stand for those of the classes that they derive from."""
    code.values.append(value)
    todo = [value]
    while todo:
        each = todo.pop()
        if not isinstance(each.maker, ClassValue) or each.maker.node in code.classes:
            continue
        code.classes[each.maker.node] = None
        for above in lineage(semantics, each.maker.node).classes:
            _in_class_body(semantics, code, above)
        for name in stored_names(semantics, each.maker.node):
            todo += attribute(semantics, each, name).of(Instance)
        for module in semantics.project.modules_mentioning(each.maker.node.name):
            for stores in module.attribute_stores.values():
                for store in stores:
                    if any(v.node in lineage(semantics, each.maker.node).classes for v in semantics.evaluate(store.target.value).of(ClassValue)):
                        code.unknown.append(Evidence(f"{store.target.name} of {each.maker.node.name} is replaced", store.statement.place))


def _in_class_body(semantics: Semantics, code: ItemCode, node: ir.Class) -> None:
    """What a class is made with, by name: functions of properties, factories of fields."""
    for bindings in node.inner_scope.bindings.values():
        for binding in bindings:
            for part in ir.walk(binding.value, into_functions=False) if binding.value is not None else ():
                if isinstance(part, (ir.Name, ir.Attribute, ir.LambdaExpression)):
                    _met(semantics, code, part)


def _reach(semantics: Semantics, code: ItemCode, function: ir.Function) -> None:
    if function in code.functions:
        return
    if len(code.functions) > _MOST_FUNCTIONS:
        code.unknown.append(Evidence("more functions run for a sample than were looked at", function.place))
        return
    code.functions[function] = None
    for decorator in function.decorators:
        _decorated(semantics, code, function, decorator)
    for node in ir.walk_block(function.body):
        if isinstance(node, ir.Call):
            _call(semantics, code, node)
        if isinstance(node, ir.Attribute):
            _own_method(semantics, code, node)
        if isinstance(node, (ir.Name, ir.Attribute, ir.Index, ir.Call, ir.LambdaExpression)):
            _met(semantics, code, node)


def _call(semantics: Semantics, code: ItemCode, node: ir.Call) -> None:
    callee = semantics.evaluate(node.function_expression)
    for value in callee.values:
        _called(semantics, code, value, node)
    if (callee.open or not callee.values) and not _harmless_unknown(semantics, node):
        name = ir.dotted(node.function_expression) or "a call"
        code.unknown.append(Evidence(f"what {name}(...) does is not known", node.place))


def _own_method(semantics: Semantics, code: ItemCode, node: ir.Attribute) -> None:
    """An attribute of an object: a property runs where it is read, and a class that derives from this one may have its own."""
    for value in semantics.evaluate(node.value).of(Instance):
        if not isinstance(value.maker, ClassValue):
            continue
        code.classes[value.maker.node] = None
        for concrete in list(code.classes):
            if value.maker.node in lineage(semantics, concrete).classes:
                found = lookup(semantics, ClassValue(concrete), node.name)
                if found is not None:
                    _reach(semantics, code, found)


_SHOWING = frozenset({"str", "repr", "format", "print", "join"})
_SHOWN_BY = frozenset({"__str__", "__repr__", "__format__"})


def _met(semantics: Semantics, code: ItemCode, node: ir.Expression) -> None:
    """What is handed on may be called by whoever gets it, and objects work through the methods of their operators."""
    is_callee = isinstance(node.parent, ir.Call) and node.parent.function_expression is node
    for value in semantics.evaluate(node).values:
        if isinstance(value, (FunctionValue, Partial)) and not is_callee:
            _called(semantics, code, value, None)
        elif isinstance(value, External) and not is_callee:
            if item_calls.draws_randomness(value.name) or value.name in item_calls.PROCESS_VALUES:
                call = next((a for a in node.ancestors() if isinstance(a, ir.Call)), None)
                if call is not None:
                    code.externals.setdefault(value.name, call)
        elif isinstance(value, Instance) and isinstance(value.maker, ClassValue):
            code.classes[value.maker.node] = None
            shown = isinstance(node.parent, ir.Template) or (isinstance(node.parent, ir.Call) and node.parent.method in _SHOWING)
            if isinstance(node, ir.Attribute) or not is_module(semantics, value):
                for each in lineage(semantics, value.maker.node).classes:
                    for method in each.methods:
                        if not method.name.startswith("__"):
                            continue
                        if method.name not in item_calls.METHODS_THAT_DO_NOT_RUN or (shown and method.name in _SHOWN_BY):
                            _reach(semantics, code, method)
    if isinstance(node, ir.Attribute):
        for value in semantics.evaluate(node.value).of(Instance):
            if isinstance(value.maker, ClassValue):
                found = lookup(semantics, value.maker, node.name)
                if found is not None and any("property" in ir.dotted(d) for d in found.decorators):
                    _reach(semantics, code, found)


def _decorated(semantics: Semantics, code: ItemCode, function: ir.Function, decorator: ir.Expression) -> None:
    """What a decorator puts around a function runs with it."""
    called = decorator.function_expression if isinstance(decorator, ir.Call) else decorator
    values = semantics.evaluate(called)
    for value in values.values:
        if isinstance(value, (FunctionValue, ClassValue)):
            _called(semantics, code, value, None)
        elif not (isinstance(value, External) and value.name in item_calls.QUIET_DECORATORS):
            code.unknown.append(Evidence(f"what the decorator of {function.name} does is not known", decorator.place))
    if (values.open or not values.values) and ir.dotted(called).rpartition(".")[2] not in ("setter", "getter", "deleter"):
        code.unknown.append(Evidence(f"what the decorator of {function.name} does is not known", decorator.place))


def _called(semantics: Semantics, code: ItemCode, value: Any, node: ir.Call | None) -> None:
    if isinstance(value, FunctionValue):
        _reach(semantics, code, value.node)
    elif isinstance(value, ClassValue):
        code.classes[value.node] = None
        for name in ("__new__", "__init__", "__post_init__"):
            constructor = lookup(semantics, value, name)
            if constructor is not None:
                _reach(semantics, code, constructor)
        if any(argument.keyword == "metaclass" for argument in value.node.keywords):
            code.unknown.append(Evidence(f"{value.node.name} has a metaclass of its own", value.node.place))
        _in_class_body(semantics, code, value.node)
        for name in lineage(semantics, value.node).externals:
            if node is not None:
                code.externals.setdefault(name, node)
    elif isinstance(value, External):
        if node is not None:
            code.externals.setdefault(value.name, node)
            if value.name in item_calls.OPAQUE_CALLS:
                code.unknown.append(Evidence(f"what {value.name}(...) runs is not known", node.place))
    elif isinstance(value, Partial):
        _called(semantics, code, value.target, value.call)
    elif isinstance(value, Instance):
        if isinstance(value.maker, ClassValue):
            if node is not None and is_module(semantics, value):
                code.modules_run.append(node)
            method = lookup(semantics, value.maker, "__call__") or lookup(semantics, value.maker, "forward")
            if method is not None:
                _reach(semantics, code, method)
        else:
            if node is not None and is_module(semantics, value) and not value.maker.name.startswith("torchvision.transforms"):
                code.modules_run.append(node)
            _constructor(semantics, code, value)
    elif isinstance(value, Method) and node is not None:
        receiver = value.receiver
        if isinstance(receiver, Instance) and isinstance(receiver.maker, External):
            code.externals.setdefault(f"{receiver.maker.name}.{value.name}", node)
        elif isinstance(receiver, (Tensor, Batch)):
            code.externals.setdefault(f"torch.Tensor.{value.name}", node)
        else:
            code.externals.setdefault(f"builtins.object.{value.name}", node)
    elif isinstance(value, Known) and value.value is None:
        return


def _constructor(semantics: Semantics, code: ItemCode, value: Instance, depth: int = 0) -> None:
    """An object of a library that works per sample: its class, and what it was given (transforms, functions)."""
    if value.call is None or depth > 5 or not isinstance(value.maker, External):
        return
    name = value.maker.name
    code.externals.setdefault(name, value.call)
    code.transforms.append(value)
    for argument in value.call.arguments:
        given = semantics.evaluate(argument.value)
        if argument.star:
            code.unknown.append(Evidence(f"what is handed on to {name} is not known", value.call.place))
            continue
        for inner in given.values:
            _given_object(semantics, code, inner, depth)


def _given_object(semantics: Semantics, code: ItemCode, inner: Any, depth: int) -> None:
    if isinstance(inner, Instance) and isinstance(inner.maker, External):
        _constructor(semantics, code, inner, depth + 1)
    elif isinstance(inner, Items):
        for item in inner.items:
            if item.open:
                code.unknown.append(Evidence("one of the transforms is not known"))
            for each in item.values:
                _given_object(semantics, code, each, depth + 1)
    elif isinstance(inner, (FunctionValue, Partial, Instance)):
        _called(semantics, code, inner, None)
        code.values.append(inner)


def _harmless_unknown(semantics: Semantics, node: ir.Call) -> bool:
    """A method that by its name only looks or converts, whatever it is called on."""
    return isinstance(node.function_expression, ir.Attribute) and node.method in item_calls.HARMLESS_METHODS


# --- samples


def sample_shape(semantics: Semantics, dataset: ValueSet) -> Shape:
    """The shape of one sample."""
    found = leaves(semantics, dataset)
    shapes = [_leaf_shape(semantics, leaf) for leaf in found]
    return batches.join(shapes) if shapes else batches.UNKNOWN


def _leaf_shape(semantics: Semantics, leaf: Leaf) -> Shape:
    if leaf.kind == "tensors":
        if leaf.value is not None and leaf.value.call is not None:
            parts = tuple((i, batches.of_values(semantics, _first_index(semantics, a))) for i, a in enumerate(leaf.value.call.positional))
            if leaf.value.call.has_star or not parts:
                return Shape("list", ((0, batches.TENSOR),))
            return Shape("fields", parts)
        return batches.TENSOR
    if leaf.kind == "known" and leaf.value is not None:
        if leaf.name.startswith("torchvision.datasets.") and leaf.value.call is not None:
            transform = leaf.value.call.keyword("transform")
            image = _transformed(semantics, transform)
            return Shape("fields", ((0, image), (1, batches.NUMBER)))
        return batches.UNKNOWN
    if leaf.kind == "project" and leaf.value is not None and isinstance(leaf.value.maker, ClassValue):
        for name in ("__getitem__", "__iter__"):
            method = lookup(semantics, leaf.value.maker, name)
            if method is not None:
                results = semantics.results(method)
                iterated = results.of(IteratorValue)
                if name == "__iter__":
                    if not iterated:
                        return batches.UNKNOWN
                    results = iterated[0].elements
                return batches.of_values(semantics, results)
    return batches.UNKNOWN


def _first_index(semantics: Semantics, expression: ir.Expression) -> ValueSet:
    return semantics.evaluate(expression)


def _transformed(semantics: Semantics, transform: ir.Expression | None) -> Shape:
    """What a torchvision transform makes of an image: a tensor if something in it converts to one."""
    if transform is None:
        return Shape("object", note="PIL image")
    values = semantics.evaluate(transform)
    if values.open:
        return batches.UNKNOWN
    for value in values.values:
        names = set(_names_in(semantics, value))
        if not any(n.rpartition(".")[2] in item_calls.TO_TENSOR for n in names):
            return batches.UNKNOWN
    return batches.TENSOR if values.values else batches.UNKNOWN


def _names_in(semantics: Semantics, value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, Instance) and isinstance(value.maker, External) and depth < 5:
        yield value.maker.name
        for argument in value.call.arguments if value.call is not None else ():
            for inner in semantics.evaluate(argument.value).values:
                yield from _names_in(semantics, inner, depth + 1)
    elif isinstance(value, Items):
        for item in value.items:
            for inner in item.values:
                yield from _names_in(semantics, inner, depth + 1)
    elif isinstance(value, IteratorValue):
        for inner in value.elements.values:
            yield from _names_in(semantics, inner, depth + 1)


# --- is it work?


def only_indexes_memory(semantics: Semantics, dataset: ValueSet) -> bool:
    """Whether item code only looks things up in tensors or arrays in memory: no case for workers, whatever their size."""
    found = leaves(semantics, dataset)
    return bool(found) and all(leaf.kind in ("tensors", "list") or _indexes_memory(semantics, leaf) for leaf in found)


def _indexes_memory(semantics: Semantics, leaf: Leaf) -> bool:
    if leaf.kind != "project" or leaf.iterable:
        return False
    functions = item_functions(semantics, leaf)
    if not functions:
        return False
    looked_up = False
    for function in functions:
        for node in ir.walk_block(function.body):
            if isinstance(node, ir.Call):
                if not _is_trivial(semantics, node):
                    return False
            elif isinstance(node, (ir.For, ir.While, ir.Comprehension, ir.Binary, ir.Compare, ir.If)):
                return False
            elif isinstance(node, ir.Index):
                looked_up = looked_up or _is_in_memory(semantics, node.value)
    return looked_up


def _is_trivial(semantics: Semantics, node: ir.Call) -> bool:
    names = semantics.names_of(node.function_expression)
    if names and names <= item_calls.TRIVIAL_CALLS:
        return True
    return isinstance(node.function_expression, ir.Attribute) and node.method in item_calls.TRIVIAL_METHODS


def _is_in_memory(semantics: Semantics, expression: ir.Expression) -> bool:
    values = semantics.evaluate(expression)
    return any(isinstance(v, Tensor) or (isinstance(v, Scalar) and v.kind == "ndarray") for v in values.values)


def accelerator_data(semantics: Semantics, dataset: ValueSet) -> bool:
    """Whether a dataset holds tensors that lie on a device."""
    for leaf in leaves(semantics, dataset):
        if leaf.value is None:
            continue
        if leaf.kind == "tensors" and leaf.value.call is not None:
            for argument in leaf.value.call.arguments:
                if any(t.place != "cpu" for t in semantics.evaluate(argument.value).of(Tensor)):
                    return True
        if isinstance(leaf.value.maker, ClassValue):
            for name in stored_names(semantics, leaf.value.maker.node):
                if any(t.place not in ("cpu", "unknown") for t in attribute(semantics, leaf.value, name).of(Tensor)):
                    return True
    return False


def stored_names(semantics: Semantics, node: ir.Class) -> list[str]:
    """The attributes that the methods of a class assign to `self`."""
    key = ("stored names", node)
    if key not in semantics.cache:
        found: dict[str, None] = {}
        for each in lineage(semantics, node).classes:
            for name, stores in each.module.attribute_stores.items():
                for store in stores:
                    if isinstance(store.target.value, ir.Name) and store.target.value.id == "self":
                        function = store.statement.function
                        while function is not None and function.owner_class is None:
                            function = function.function
                        if function is not None and function.owner_class is each:
                            found[name] = None
        semantics.cache[key] = list(found)
    return semantics.cache[key]  # type: ignore[no-any-return]
