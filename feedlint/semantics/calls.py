"""What calls give: project functions, builtins, the standard library, and through `tensors` what torch computes."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..ir import nodes as ir
from ..knowledge import configuration, iteration
from . import documents, options, tensors
from .classes import fields_as_mapping, lineage, lookup, stores
from .entry import framework_of
from .tensors import attribute as tensor_attribute
from .tensors import combined, compared, indexed
from .values import (
    COMPUTED,
    ENVIRONMENT,
    LITERAL,
    NOTHING,
    UNKNOWN,
    UNKNOWN_DEVICE,
    Batch,
    ClassValue,
    Device,
    Document,
    External,
    FunctionValue,
    Instance,
    Items,
    Iterator,
    Known,
    Mapping,
    Method,
    Options,
    Origin,
    Partial,
    Scalar,
    Tensor,
    Value,
    ValueSet,
    one,
    union,
)

if TYPE_CHECKING:
    from .evaluation import Semantics

__all__ = ["call", "combined", "compared", "fetches_batches", "indexed", "iterated", "joined_path", "tensor_attribute"]


def call(semantics: Semantics, node: ir.Call) -> ValueSet:
    """All values that a call may give."""
    callee = semantics.evaluate(node.function_expression)
    found = union(called(semantics, node, value) for value in callee.values)
    if callee.open or not callee.values:
        return found | _unknown_callee(semantics, node)
    return found


def called(semantics: Semantics, node: ir.Call, value: Value) -> ValueSet:
    """What calling one value with the arguments of `node` gives."""
    if isinstance(value, FunctionValue):
        passed_on = _passed_on(semantics, node, value) if value.node.is_generator else None
        return semantics.results(value.node, value.receiver) if passed_on is None else passed_on
    if isinstance(value, ClassValue):
        return one(Instance(value, node))
    if isinstance(value, External):
        return _external(semantics, node, value.name)
    if isinstance(value, Method):
        return _method(semantics, node, value.receiver, value.name)
    if isinstance(value, Partial):
        return _partial(semantics, node, value)
    if isinstance(value, Instance):
        return called_instance(semantics, node, value)
    return UNKNOWN


def _keeps_it(semantics: Semantics, base: ValueSet, name: str) -> bool:
    """Whether objects of the project hold what is called in an attribute: a model that they were given."""
    return all(
        isinstance(value, Instance)
        and isinstance(value.maker, ClassValue)
        and lookup(semantics, value.maker, name) is None
        and any(True for _ in stores(semantics, value.maker.node, name))
        for value in base.values
    )


def _passed_on(semantics: Semantics, node: ir.Call, value: FunctionValue) -> ValueSet | None:
    """What a generator gives that only hands on the elements of an argument, such as one that logs on the way.

    Without this look at the one call, what all calls are given would run together: training and validation loaders.
    """
    function = value.node
    for loop in ir.walk_block(function.body, into_functions=False):
        source = loop.iterable if isinstance(loop, ir.For) else None
        target = loop.target if isinstance(loop, ir.For) else None
        if isinstance(source, ir.Call) and source.method == "enumerate" and source.positional and isinstance(target, ir.Display):
            source, target = source.positional[0], target.items[-1]
        parameter = function.parameter(source.id) if isinstance(source, ir.Name) and source.scope.node is function else None
        if parameter is None or not isinstance(target, ir.Name) or len(function.inner_scope.bindings.get(parameter.name, ())) != 1:
            continue
        yielded = [n.value for n in ir.walk_block(function.body) if isinstance(n, ir.Yielding)]
        if not yielded or not all(isinstance(y, ir.Name) and y.id == target.id for y in yielded):
            continue
        given = node.argument(parameter.name, parameter.position - (1 if value.receiver is not None else 0))
        if given is None:
            continue
        values = semantics.evaluate(given)
        return one(Iterator(_elements(semantics, values, node), values.values))
    return None


def _unknown_callee(semantics: Semantics, node: ir.Call) -> ValueSet:
    """Something unseen is called: methods that only tensors have, or a model that came in as a parameter."""
    receiver = node.receiver
    if receiver is not None:
        known = tensors.method_of_unknown(semantics, node, receiver)
        if known is not None:
            return known
        base = semantics.evaluate(receiver)
        if base.values and not base.open and not _keeps_it(semantics, base, node.method):
            return UNKNOWN
    given = [v for a in node.arguments for v in semantics.evaluate(a.value).of(Tensor)]
    moved = [t for t in given if t.place not in ("cpu",)]
    if moved and tensors.may_be_model(node):
        return ValueSet((Tensor(tensors.join_places(t.place for t in moved), None, "model", certain=False),), True)
    return UNKNOWN


def called_instance(semantics: Semantics, node: ir.Call, value: Instance) -> ValueSet:
    """Calling an object: a module runs its forward, a loss gives a scalar, anything else its `__call__`."""
    given = [v for a in node.arguments for v in semantics.evaluate(a.value).of(Tensor, Batch)]
    if isinstance(value.maker, External):
        if value.maker.name in ("collections.namedtuple", "typing.NamedTuple"):
            return one(Instance(External(f"{value.maker.name}.made"), node))
        return tensors.module_called(semantics, value, given)
    kind = framework_of(semantics, value.maker.node)
    method = lookup(semantics, value.maker, "__call__") or lookup(semantics, value.maker, "forward")
    if kind in ("module", "module-trainer") or (method is not None and method.name == "forward"):
        if method is None:
            return one(Tensor(tensors.place_of(given), None, "model", certain=False))
        return tensors.placed(semantics.results(method), given)
    if method is not None:
        return semantics.results(method)
    return UNKNOWN


def _partial(semantics: Semantics, node: ir.Call, value: Partial) -> ValueSet:
    target = value.target
    if isinstance(target, ClassValue):
        return one(Instance(target, value.call))
    if isinstance(target, FunctionValue):
        return semantics.results(target.node, target.receiver)
    if isinstance(target, External):
        return one(Instance(target, value.call))
    return UNKNOWN


# --- things outside of the project


def _external(semantics: Semantics, node: ir.Call, name: str) -> ValueSet:
    handler = _EXTERNAL.get(name)
    if handler is not None:
        return handler(semantics, node)
    wrapper = iteration.ITERATES.get(name)
    if wrapper is not None:
        return _wrapped(semantics, node, wrapper)
    if name in iteration.SAME:
        given = node.positional
        if given:
            values = union(semantics.evaluate(g) for g in given[:1]) if len(given) == 1 else one(Items("tuple", tuple(semantics.evaluate(g) for g in given)))
            return values
        return UNKNOWN
    if name in configuration.PATH_MAKERS:
        return _path(semantics, node)
    if name in configuration.DOCUMENT_LOADERS:
        return _document(semantics, node)
    if name in configuration.NAMESPACES:
        return options.namespace(semantics, node, name)
    if name in configuration.CORE_COUNTS:
        return one(Scalar("cpu-count"))
    if name.startswith(("torch.", "numpy.")) or name in tensors.EXTRA:
        found = tensors.function(semantics, node, name)
        if found is not None:
            return found
    return one(Instance(External(name), node))


def _wrapped(semantics: Semantics, node: ir.Call, shape: str) -> ValueSet:
    """An iterator over what it is given; the position of the iterable is the first argument."""
    given = node.positional
    if shape == "zip" and len(node.arguments) == 1 and node.arguments[0].star == "*":
        return _turned(semantics, semantics.evaluate(node.arguments[0].value))
    if shape == "zip":
        parts = tuple(_elements(semantics, semantics.evaluate(g), node) for g in given)
        sources = tuple(v for g in given for v in semantics.evaluate(g).values)
        return one(Iterator(one(Items("tuple", parts)), sources))
    source = given[0] if given else (node.keyword("iterable") or node.keyword("sequence"))
    if source is None:
        return UNKNOWN
    values = semantics.evaluate(source)
    elements = _elements(semantics, values, node)
    if shape == "index":
        elements = one(Items("tuple", (one(Scalar("int")), elements)))
    if shape == "moved":
        elements = one(Tensor(UNKNOWN_DEVICE, None, "batch", certain=False))
    if shape == "chain":
        for other in given[1:]:
            elements = elements | _elements(semantics, semantics.evaluate(other), node)
        values = union(semantics.evaluate(g) for g in given)
    return ValueSet((Iterator(elements, values.values),), False)


def _turned(semantics: Semantics, rows: ValueSet) -> ValueSet:
    """`zip(*samples)`: all first parts, then all second parts, where each sample has the same number of them."""
    elements = union(semantics.element_of(value) for value in rows.values)
    samples = elements.of(Items)
    if rows.open or elements.open or not samples or len(samples) != len(elements.values) or len({len(s.items) for s in samples}) != 1:
        return UNKNOWN
    columns = zip(*(sample.items for sample in samples))
    return one(Items("tuple", tuple(one(Iterator(union(column), held=True)) for column in columns)))


def _elements(semantics: Semantics, values: ValueSet, node: ir.Call) -> ValueSet:
    found = union(semantics.element_of(v, node) for v in values.values)
    if not values.open and values.values:
        return found
    loop = _loop_over(node)
    return found | unknown_batches(loop) if loop is not None and fetches_batches(loop) else found.opened()


def _loop_over(node: ir.Call) -> ir.For | None:
    """The loop that iterates over what a call gives, also through further calls such as `tqdm(enumerate(...))`."""
    child: ir.Node = node
    while isinstance(child.parent, ir.Call) and child.parent.positional[:1] == [child]:
        child = child.parent
    return child.parent if isinstance(child.parent, ir.For) and child.parent.iterable is child else None


def _next(semantics: Semantics, node: ir.Call) -> ValueSet:
    given = node.positional
    if not given:
        return UNKNOWN
    values = semantics.evaluate(given[0])
    found = NOTHING
    for value in values.values:
        if isinstance(value, Instance) and isinstance(value.maker, ClassValue):
            method = lookup(semantics, value.maker, "__next__")
            if method is not None:
                found = found | semantics.results(method)
                continue
        found = found | semantics.element_of(value, given[0])
    if len(given) > 1:
        found = found | semantics.evaluate(given[1])
    return found.opened() if values.open or not values.values else found


def _iter(semantics: Semantics, node: ir.Call) -> ValueSet:
    return _wrapped(semantics, node, "same")


def _convert(kind: type) -> Callable[[Semantics, ir.Call], ValueSet]:
    def handler(semantics: Semantics, node: ir.Call) -> ValueSet:
        found = NOTHING
        values = semantics.evaluate(node.positional[0]) if node.positional else UNKNOWN
        for value in values.values:
            if isinstance(value, Known):
                try:
                    made = kind(value.value)
                except (TypeError, ValueError, OverflowError):
                    continue
                origin = value.origin
                found = found | one(Known(made, Origin(COMPUTED if origin.kind == LITERAL else origin.kind, origin.place, origin.note, origin.node)))
            elif isinstance(value, Scalar) and value.kind == "cpu-count":
                found = found | one(value)
            else:
                found = found | one(Scalar(kind.__name__))
        if values.open and kind in (int, float, bool):
            return found | one(Scalar(kind.__name__))  # whatever it is given, it gives one of these
        return found.opened() if values.open else found

    return handler


def _extreme(semantics: Semantics, node: ir.Call) -> ValueSet:
    function = min if node.method == "min" else max
    sets = [semantics.evaluate(g) for g in node.positional]
    if len(sets) == 1:
        items = sets[0].single
        if not isinstance(items, Items):
            inner = sets[0].of(Tensor)
            return one(Scalar("number")) if not inner else one(inner[0])
        sets = list(items.items)
    constants = [s.constants for s in sets]
    if constants and all(c is not None and len(c) == 1 for c in constants):
        try:
            best = function(c[0] for c in constants if c is not None)
        except TypeError:
            return UNKNOWN
        origin = next(o for s in sets for o in s.origins)
        for s in sets:
            for o in s.origins:
                origin = origin.weakest(o)
        return one(Known(best, Origin(COMPUTED if origin.kind == LITERAL else origin.kind, origin.place, origin.note)))
    given = [v for s in sets for v in s.of(Tensor)]
    if given:
        return combined(given)
    if any(isinstance(v, Scalar) and v.kind == "cpu-count" for s in sets for v in s.values):
        return one(Scalar("usable-cpus"))
    return one(Scalar("number"))


def _scalar(kind: str) -> Callable[[Semantics, ir.Call], ValueSet]:
    result = one(Scalar(kind))
    return lambda semantics, node: result


def _string(semantics: Semantics, node: ir.Call) -> ValueSet:
    if node.positional:
        value = semantics.evaluate(node.positional[0])
        if value.constants is not None and all(isinstance(c, str) for c in value.constants):
            return value
    return one(Scalar("str"))


def _getattr(semantics: Semantics, node: ir.Call) -> ValueSet:
    given = node.positional
    if len(given) < 2:
        return UNKNOWN
    names = semantics.evaluate(given[1]).constants
    if names is None:
        return UNKNOWN
    base = semantics.evaluate(given[0])
    found = union(semantics.attribute(v, n) for v in base.values for n in names if isinstance(n, str))
    if len(given) > 2 and (base.open or not found.values):
        found = found | semantics.evaluate(given[2])
    return found.opened() if base.open else found


def _vars(semantics: Semantics, node: ir.Call) -> ValueSet:
    if not node.positional:
        return UNKNOWN
    found = NOTHING
    values = semantics.evaluate(node.positional[0])
    for value in values.values:
        mapping: Mapping | None = None
        if isinstance(value, Options):
            mapping = options.all_options(semantics, value)
        elif isinstance(value, Instance) and isinstance(value.maker, ClassValue):
            mapping = fields_as_mapping(semantics, value)
        elif isinstance(value, (Mapping,)):
            mapping = value
        found = found | (one(mapping) if mapping is not None else UNKNOWN)
    return found.opened() if values.open else found


def _locals(semantics: Semantics, node: ir.Call) -> ValueSet:
    """`locals()`, which programs use to collect the parameters of a function."""
    function = node.function
    if function is None:
        return UNKNOWN
    entries = {
        name: semantics.parameter(bindings[0])
        for name, bindings in function.inner_scope.bindings.items()
        if bindings[0].kind == "parameter" and len(bindings) == 1
    }
    return one(Mapping(entries, True, node))


def _dict(semantics: Semantics, node: ir.Call) -> ValueSet:
    given = node.positional
    if given and semantics.as_mapping(semantics.evaluate(given[0])) is None:
        inner = semantics.evaluate(given[0])
        moved = [v for s in inner.of(Iterator) for i in s.elements.of(Items) for part in i.items for v in part.of(Tensor, Batch)]
        if moved:
            return union(one(v) for v in moved)
    return options.namespace(semantics, node, "")


def _sequence(kind: str) -> Callable[[Semantics, ir.Call], ValueSet]:
    def handler(semantics: Semantics, node: ir.Call) -> ValueSet:
        if not node.positional:
            return one(Items(kind, (), node))
        values = semantics.evaluate(node.positional[0])
        found = NOTHING
        for value in values.values:
            if isinstance(value, Items):
                found = found | one(Items(kind, value.items, node))
            else:
                found = found | one(Iterator(semantics.element_of(value, node), (value,), held=True))
        return found.opened() if values.open or not values.values else found

    return handler


def _super(semantics: Semantics, node: ir.Call) -> ValueSet:
    function = node.function
    while function is not None and function.owner_class is None:
        function = function.function
    owner = function.owner_class if function is not None else None
    if owner is None:
        return UNKNOWN
    above = lineage(semantics, owner)
    if len(above.classes) > 1:
        return one(Instance(ClassValue(above.classes[1])))
    if above.externals:
        return ValueSet((Instance(External(above.externals[0])),), above.open)
    return UNKNOWN


def _make_partial(semantics: Semantics, node: ir.Call) -> ValueSet:
    if not node.positional:
        return UNKNOWN
    values = semantics.evaluate(node.positional[0])
    found = union(one(Partial(v, node)) for v in values.values)
    return found.opened() if values.open else found


def _filter(semantics: Semantics, node: ir.Call) -> ValueSet:
    given = node.positional
    if len(given) < 2:
        return UNKNOWN
    values = semantics.evaluate(given[1])
    return one(Iterator(_elements(semantics, values, node), values.values))


def _map(semantics: Semantics, node: ir.Call) -> ValueSet:
    given = node.positional
    if len(given) < 2:
        return UNKNOWN
    found = NOTHING
    for value in semantics.evaluate(given[0]).values:
        if isinstance(value, FunctionValue):
            found = found | semantics.results(value.node)
        else:
            found = found.opened()
    return one(Iterator(found.opened(), semantics.evaluate(given[1]).values))


def _environment(semantics: Semantics, node: ir.Call) -> ValueSet:
    default = node.argument("default", 1)
    if default is None:
        return UNKNOWN
    found = NOTHING
    for value in semantics.evaluate(default).values:
        if isinstance(value, Known):
            names = semantics.evaluate(node.positional[0]).constants if node.positional else None
            note = f"the environment variable {names[0]} defaults to {value.value!r}" if names else ""
            found = found | one(Known(value.value, Origin(ENVIRONMENT, default.place, note, default)))
        else:
            found = found | one(value)
    return found


def _copy(semantics: Semantics, node: ir.Call) -> ValueSet:
    return semantics.evaluate(node.positional[0]) if node.positional else UNKNOWN


def _sum(semantics: Semantics, node: ir.Call) -> ValueSet:
    values = semantics.evaluate(node.positional[0]) if node.positional else UNKNOWN
    inner = [t for v in values.values for e in [semantics.element_of(v)] for t in e.of(Tensor)]
    return combined(inner) if inner else one(Scalar("number"))


# --- paths and documents


def joined_path(a: Value, b: Value) -> ValueSet | None:
    """`Path(...) / "name"`, None if this is no path."""
    if isinstance(a, Known) and isinstance(b, Known) and isinstance(a.value, str) and isinstance(b.value, str):
        return one(Known(posixpath.join(a.value, b.value), Origin(COMPUTED)))
    if isinstance(a, Scalar) and a.kind == "path":
        return one(a)
    return None


def path_part(value: Known, name: str) -> ValueSet:
    """`path.parent` and its like, of a constant path."""
    if name == "parent":
        return one(Known(posixpath.dirname(value.value), Origin(COMPUTED)))
    if name == "parents":
        above: list[str] = []
        folder = posixpath.dirname(value.value)
        while folder and (not above or folder != above[-1]):
            above.append(folder)
            folder = posixpath.dirname(folder)
        return one(Items("tuple", tuple(one(Known(folder, Origin(COMPUTED))) for folder in above)))
    base = posixpath.basename(value.value)
    return one(Known(base if name == "name" else base.rpartition(".")[0] or base, Origin(COMPUTED)))


def _path(semantics: Semantics, node: ir.Call) -> ValueSet:
    """Constant paths: `os.path.join`, `Path(...)`, `abspath`, `dirname`."""
    parts: list[str] = []
    for given in node.positional:
        value = semantics.evaluate(given).single
        if not isinstance(value, Known) or not isinstance(value.value, str):
            return one(Scalar("path"))
        parts.append(value.value)
    if not parts:
        return one(Scalar("path"))
    if node.method == "dirname":
        return one(Known(posixpath.dirname(parts[0]), Origin(COMPUTED)))
    if node.method == "basename":
        return one(Known(posixpath.basename(parts[0]), Origin(COMPUTED)))
    return one(Known(posixpath.normpath(posixpath.join(*parts)), Origin(COMPUTED)))


def _document(semantics: Semantics, node: ir.Call) -> ValueSet:
    """What parsing a configuration file gives, where its path is constant."""
    if not node.positional:
        return UNKNOWN
    source = node.positional[0]
    return documents.load(semantics, file_path(semantics, source), node.module.path)


def file_path(semantics: Semantics, source: ir.Expression) -> ValueSet:
    """The path behind an open file, a text read from it, or a path itself."""
    found = NOTHING
    for value in semantics.evaluate(source).values:
        if isinstance(value, Known) and isinstance(value.value, str):
            found = found | one(value)
        elif isinstance(value, Instance) and isinstance(value.maker, External) and value.call is not None:
            if value.maker.name in ("builtins.open", "io.open") and value.call.positional:
                found = found | semantics.evaluate(value.call.positional[0])
            elif value.maker.name == "builtins.open.read" and value.call.receiver is not None:
                found = found | file_path(semantics, value.call.receiver)
            elif value.maker.name in ("path.read_text", "path.open", "path.read_bytes") and value.call.receiver is not None:
                found = found | semantics.evaluate(value.call.receiver)
            else:
                return UNKNOWN
        else:
            return UNKNOWN
    return found if found.values else UNKNOWN


# --- methods of what is not a project class


def _method(semantics: Semantics, node: ir.Call, receiver: Any, name: str) -> ValueSet:
    if isinstance(receiver, (Tensor, Batch)):
        return tensors.method(semantics, node, receiver, name)
    if isinstance(receiver, Mapping):
        return _mapping_method(semantics, node, receiver, name)
    if isinstance(receiver, Known):
        return _constant_method(semantics, node, receiver, name)
    if isinstance(receiver, Document):
        return _document_method(semantics, node, receiver, name)
    if isinstance(receiver, Items):
        if name in ("index", "count"):
            return one(Scalar("int"))
        if name == "copy":
            return one(receiver)
        if name == "pop":
            return union(receiver.items).opened()
        return one(Known(None, Origin(COMPUTED)))
    if isinstance(receiver, Scalar):
        if receiver.kind == "path":
            return one(Instance(External("path.open"), node)) if name == "open" else one(Scalar("path"))
        return one(Scalar("str" if receiver.kind == "str" else "object")) if receiver.kind != "ndarray" else tensors.array_method(name)
    if isinstance(receiver, Iterator):
        return one(Known(None, Origin(COMPUTED))) if name not in ("__next__", "next") else receiver.elements
    if isinstance(receiver, Instance):
        return _instance_method(semantics, node, receiver, name)
    return UNKNOWN


def _instance_method(semantics: Semantics, node: ir.Call, receiver: Instance, name: str) -> ValueSet:
    maker = receiver.maker
    if name in ("parse_args", "parse_known_args", "parse_intermixed_args") and _is_parser(semantics, receiver):
        parsed = one(Options(receiver))
        if name == "parse_known_args":
            return one(Items("tuple", (parsed, UNKNOWN)))
        return parsed
    if name in ("parse_args_into_dataclasses", "parse_yaml_file", "parse_json_file") and isinstance(maker, External):
        return _parsed_classes(semantics, receiver)
    if name in ("prepare", "setup", "setup_dataloaders") and isinstance(maker, External) and maker.name in iteration.PREPARERS:
        given = [_prepared(semantics, semantics.evaluate(g)) for g in node.positional]
        return given[0] if len(given) == 1 else one(Items("tuple", tuple(given)))
    if name in ("cuda", "to", "cpu", "eval", "train", "half", "float", "double", "bfloat16", "requires_grad_", "share_memory", "compile", "apply"):
        if tensors.is_module(semantics, receiver):
            return one(receiver)
    if name in ("parameters", "buffers", "named_parameters", "named_buffers") and tensors.is_module(semantics, receiver):
        return tensors.parameters(receiver, name)
    if isinstance(maker, External):
        if maker.name == "builtins.open" and name == "read":
            return one(Instance(External("builtins.open.read"), node))
        found = tensors.instance_method(semantics, node, receiver, name)
        if found is not None:
            return found
        if node.function_expression is not None and name in ("__iter__",):
            return one(Iterator(iterated(semantics, receiver), (receiver,)))
        return one(Instance(External(f"{maker.name}.{name}"), node))
    if name == "__init__":
        return one(Known(None, Origin(COMPUTED)))
    if name == "forward" or name == "__call__":
        return called_instance(semantics, node, receiver)
    found = tensors.instance_method(semantics, node, receiver, name)
    return found if found is not None else UNKNOWN


def _prepared(semantics: Semantics, values: ValueSet) -> ValueSet:
    """What a framework makes of a loader: one that gives its batches on the device."""
    found = NOTHING
    for value in values.values:
        if isinstance(value, Instance) and Batch(value) in iterated(semantics, value).values:
            moved = Tensor(UNKNOWN_DEVICE, None, "batch", certain=False, batch=Batch(value))
            found = found | one(Iterator(one(moved), (value,)))
        else:
            found = found | one(value)
    return found.opened() if values.open else found


def _is_parser(semantics: Semantics, receiver: Instance) -> bool:
    if isinstance(receiver.maker, External):
        return receiver.maker.name in configuration.PARSERS
    return bool(set(lineage(semantics, receiver.maker.node).externals) & configuration.PARSERS)


def _parsed_classes(semantics: Semantics, receiver: Instance) -> ValueSet:
    """`HfArgumentParser((A, B)).parse_args_into_dataclasses()`: objects with the defaults of their classes."""
    if receiver.call is None or not receiver.call.positional:
        return UNKNOWN
    given = semantics.evaluate(receiver.call.positional[0]).single
    items = given.items if isinstance(given, Items) else (one(given),) if given is not None else ()
    made = []
    for item in items:
        value = item.single
        if isinstance(value, (ClassValue, External)):
            made.append(one(Instance(value)))
        else:
            made.append(UNKNOWN)
    return one(Items("tuple", tuple(made))) if made else UNKNOWN


def _mapping_method(semantics: Semantics, node: ir.Call, receiver: Mapping, name: str) -> ValueSet:
    given = node.positional
    if name in ("get", "pop", "setdefault") and given:
        keys = semantics.evaluate(given[0]).constants
        if keys is None:
            return UNKNOWN
        found = NOTHING
        for key in keys:
            entry = receiver.entries.get(key)
            if entry is not None:
                found = found | entry
            elif receiver.open:
                found = found.opened()
            else:
                found = found | (semantics.evaluate(given[1]) if len(given) > 1 else one(Known(None, Origin(COMPUTED))))
        return found
    if name == "items":
        pair = Items("tuple", (one(Scalar("str")), union(receiver.entries.values())))
        return one(Iterator(one(pair), (receiver,)))
    if name == "values":
        return one(Iterator(union(receiver.entries.values()), (receiver,)))
    if name == "keys":
        return one(Iterator(one(Scalar("str")), (receiver,)))
    if name == "copy":
        return one(receiver)
    if name == "update":
        return one(Known(None, Origin(COMPUTED)))
    return UNKNOWN


def _document_method(semantics: Semantics, node: ir.Call, receiver: Document, name: str) -> ValueSet:
    mapping = receiver.content.as_mapping()
    return _mapping_method(semantics, node, mapping, name) if mapping is not None else UNKNOWN


def _constant_method(semantics: Semantics, node: ir.Call, receiver: Known, name: str) -> ValueSet:
    if isinstance(receiver.value, str):
        if name in ("read_text", "open", "read_bytes"):
            return one(Instance(External("path." + name), node))
        if name in ("resolve", "absolute", "expanduser", "as_posix", "strip", "lower"):
            return one(receiver)
        if name in ("with_name", "joinpath") and node.positional:
            other = semantics.evaluate(node.positional[0]).single
            if isinstance(other, Known) and isinstance(other.value, str):
                base = posixpath.dirname(receiver.value) if name == "with_name" else receiver.value
                return one(Known(posixpath.join(base, other.value), Origin(COMPUTED)))
            return one(Scalar("path"))
        if name in ("startswith", "endswith", "isdigit"):
            return one(Scalar("bool"))
        return one(Scalar("str"))
    return one(Scalar("object"))


# --- iteration


def iterated(semantics: Semantics, value: Instance) -> ValueSet:
    """What iterating over an object gives: batches for a loader, the yields of its `__iter__` for a project class."""
    if isinstance(value.maker, External):
        if value.maker.name in iteration.LOADER_NAMES or iteration.is_stated(value.maker.name, semantics.project.facts.wrappers):
            return one(Batch(value))
        if value.maker.name.startswith(("torch.utils.data.", "torch_geometric.", "monai.data.")):
            return one(Batch(value))
        return UNKNOWN
    above = lineage(semantics, value.maker.node)
    method = lookup(semantics, value.maker, "__iter__")
    if method is not None:
        results = semantics.results(method)
        found = union(r.elements for r in results.of(Iterator))
        for result in results.of(Instance):
            following = lookup(semantics, result.maker, "__next__") if isinstance(result.maker, ClassValue) else None
            if following is not None:
                found = found | semantics.results(following)
        if found.values or not set(above.externals) & iteration.LOADER_NAMES:
            return found if found.values else UNKNOWN
    if set(above.externals) & iteration.LOADER_NAMES:
        return one(Batch(value))
    method = lookup(semantics, value.maker, "__next__")
    if method is not None:
        return semantics.results(method)
    method = lookup(semantics, value.maker, "__getitem__")
    if method is not None:
        return semantics.results(method)
    return UNKNOWN


def fetches_batches(loop: ir.For) -> bool:
    """Whether a loop over something unknown looks like one that is fed with batches: it steps an optimizer itself."""
    for node in ir.walk_block(loop.body, into_functions=False):
        if isinstance(node, ir.Call) and node.method in ("backward", "step"):
            receiver = ir.dotted(node.receiver) if node.receiver is not None else ""
            if node.method == "backward" or "optim" in receiver.lower() or receiver.lower().startswith("opt"):
                inner = next((a for a in node.ancestors() if isinstance(a, (ir.For, ir.While))), None)
                if inner is loop:
                    return True
    return False


def unknown_batches(loop: ir.For) -> ValueSet:
    """The element of such a loop."""
    return ValueSet((Batch(loop),), True)


def attribute_of_unknown(semantics: Semantics, node: ir.Attribute, found: ValueSet) -> ValueSet:
    """An attribute of something that is not (only) known."""
    if node.name == "device" and not isinstance(node.parent, ir.Call):
        return (found | one(Device(UNKNOWN_DEVICE))).opened()
    return found.opened()


_EXTERNAL: dict[str, Callable[[Any, ir.Call], ValueSet]] = {
    "builtins.next": _next,
    "builtins.iter": _iter,
    "builtins.int": _convert(int),
    "builtins.float": _convert(float),
    "builtins.bool": _convert(bool),
    "builtins.round": _convert(round),  # type: ignore[arg-type]
    "builtins.abs": _convert(abs),  # type: ignore[arg-type]
    "builtins.str": _string,
    "builtins.min": _extreme,
    "builtins.max": _extreme,
    "builtins.len": _scalar("int"),
    "builtins.range": lambda semantics, node: one(Iterator(one(Scalar("int")), held=True)),
    "builtins.print": _scalar("none"),
    "builtins.isinstance": _scalar("bool"),
    "builtins.hasattr": _scalar("bool"),
    "builtins.any": _scalar("bool"),
    "builtins.all": _scalar("bool"),
    "builtins.input": _scalar("str"),
    "builtins.getattr": _getattr,
    "builtins.vars": _vars,
    "builtins.dict": _dict,
    "collections.OrderedDict": _dict,
    "builtins.locals": _locals,
    "builtins.list": _sequence("list"),
    "builtins.tuple": _sequence("tuple"),
    "builtins.sorted": _sequence("list"),
    "builtins.set": _sequence("set"),
    "builtins.super": _super,
    "builtins.map": _map,
    "builtins.filter": _filter,
    "builtins.sum": _sum,
    "functools.partial": _make_partial,
    "os.environ.get": _environment,
    "os.getenv": _environment,
    "copy.copy": _copy,
    "copy.deepcopy": _copy,
    "dataclasses.asdict": _vars,
    "attr.asdict": _vars,
    "attrs.asdict": _vars,
    "time.time": _scalar("float"),
    "time.perf_counter": _scalar("float"),
    "os.getcwd": _scalar("path"),
    "typing.cast": lambda semantics, node: semantics.evaluate(node.positional[1]) if len(node.positional) > 1 else UNKNOWN,
}

