"""Classes of the project: their bases, methods, and what their attributes hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..ir import nodes as ir
from ..records import record
from .values import (
    COMPUTED,
    LITERAL,
    NOTHING,
    OPTION_DEFAULT,
    UNKNOWN,
    ClassValue,
    External,
    FunctionValue,
    Instance,
    Known,
    Mapping,
    Method,
    Origin,
    Scalar,
    Tensor,
    Value,
    ValueSet,
    one,
    union,
)

if TYPE_CHECKING:
    from .evaluation import Semantics


@record(frozen=True, slots=True)
class Lineage:
    """A class with its project bases (itself first), the outside names that it derives from, and whether some are unknown."""

    classes: tuple[ir.Class, ...]
    externals: tuple[str, ...]
    open: bool


def lineage(semantics: Semantics, node: ir.Class) -> Lineage:
    key = ("lineage", node)
    if key in semantics.cache:
        return semantics.cache[key]  # type: ignore[no-any-return]
    semantics.cache[key] = Lineage((node,), (), True)  # what a class that derives from itself would see
    classes: dict[ir.Class, None] = {node: None}
    externals: dict[str, None] = {}
    is_open = False
    for base in node.bases:
        expression = base.value if isinstance(base, ir.Index) else base  # Dataset[Tensor]
        values = semantics.evaluate(expression)
        is_open |= values.open or not values.values
        for value in values.values:
            if isinstance(value, ClassValue) and value.node is not node:
                above = lineage(semantics, value.node)
                classes.update(dict.fromkeys(above.classes))
                externals.update(dict.fromkeys(above.externals))
                is_open |= above.open
            elif isinstance(value, External):
                externals[value.name] = None
            else:
                is_open = True
    found = Lineage(tuple(classes), tuple(externals), is_open)
    semantics.cache[key] = found
    return found


def derives_from(semantics: Semantics, node: ir.Class, names: frozenset[str] | set[str]) -> bool:
    """Whether the class derives from one of these outside classes."""
    return any(name in names for name in lineage(semantics, node).externals)


def lookup(semantics: Semantics, value: ClassValue, name: str) -> ir.Function | None:
    """The method of this name, in the class or its project bases."""
    for node in lineage(semantics, value.node).classes:
        found = node.method(name)
        if found is not None:
            return found
    return None


def subclasses(semantics: Semantics, node: ir.Class) -> list[ir.Class]:
    """Classes of the project that derive from this one."""
    key = ("subclasses", node)
    if key not in semantics.cache:
        semantics.cache[key] = []
        found = []
        for module in semantics.project.modules_mentioning(node.name):
            for other in module.classes:
                if other is not node and other.bases and node in lineage(semantics, other).classes:
                    found.append(other)
        semantics.cache[key] = found
    return semantics.cache[key]  # type: ignore[no-any-return]


_FIELD_DECORATORS = frozenset(
    {
        "dataclasses.dataclass",
        "attr.s",
        "attr.attrs",
        "attr.define",
        "attr.frozen",
        "attrs.define",
        "attrs.frozen",
        "attrs.mutable",
        "pydantic.dataclasses.dataclass",
        "chex.dataclass",
        "flax.struct.dataclass",
    }
)
_FIELD_BASES = frozenset(
    {"pydantic.BaseModel", "pydantic_settings.BaseSettings", "pydantic.BaseSettings", "typing.NamedTuple", "tap.Tap", "simple_parsing.Serializable"}
)
_FIELD_FUNCTIONS = frozenset({"dataclasses.field", "attr.ib", "attr.field", "attrs.field", "pydantic.Field", "simple_parsing.field", "tyro.conf.arg"})


def holds_fields(semantics: Semantics, node: ir.Class) -> bool:
    """Whether annotated names of the class body are fields that its constructor takes (a dataclass and its like)."""
    for each in lineage(semantics, node).classes:
        for decorator in each.decorators:
            called = decorator.function_expression if isinstance(decorator, ir.Call) else decorator
            if semantics.names_of(called) & _FIELD_DECORATORS:
                return True
    return derives_from(semantics, node, _FIELD_BASES)


def fields(semantics: Semantics, node: ir.Class) -> dict[str, ir.Binding]:
    """The fields in the order of the constructor, those of bases first."""
    found: dict[str, ir.Binding] = {}
    for each in reversed(lineage(semantics, node).classes):
        for name, bindings in each.inner_scope.bindings.items():
            last = bindings[-1]
            if last.kind == "assign" and (last.annotation is not None or name in found):
                found[name] = last
    return found


def _field_value(semantics: Semantics, owner: ir.Class, name: str, binding: ir.Binding) -> ValueSet:
    value = binding.value
    if value is None:
        return NOTHING
    if isinstance(value, ir.Call) and semantics.names_of(value.function_expression) & _FIELD_FUNCTIONS:
        factory = value.keyword("default_factory") or value.keyword("factory")
        if factory is not None:
            made = NOTHING
            for each in semantics.evaluate(factory).values:
                if isinstance(each, ClassValue):
                    made = made | one(Instance(each))
                elif isinstance(each, FunctionValue):
                    made = made | semantics.results(each.node)
                else:
                    made = made.opened()
            return made
        default = value.argument("default", 0)
        if default is None:
            return NOTHING
        value = default
    return as_default(semantics.evaluate(value), f"{owner.name}.{name}", value)


def as_default(values: ValueSet, what: str, node: ir.Expression) -> ValueSet:
    """The same values, marked as what holds where the user gives nothing else."""
    found = NOTHING
    for value in values.values:
        if isinstance(value, Known) and value.origin.kind in (LITERAL, COMPUTED):
            origin = Origin(OPTION_DEFAULT, node.place, f"{what} defaults to {value.value!r}", node)
            found = found | one(Known(value.value, origin))
        else:
            found = found | one(value)
    return found.opened() if values.open else found


def _constructed_field(semantics: Semantics, value: Instance, name: str) -> ValueSet | None:
    """A field of an object made by a constructor call, None if the class has no such field."""
    assert isinstance(value.maker, ClassValue)
    node = value.maker.node
    all_fields = fields(semantics, node)
    binding = all_fields.get(name)
    if binding is None:
        return None
    default = _field_value(semantics, node, name, binding)
    call = value.call
    if call is None:
        return default if default.values else UNKNOWN
    given = call.argument(name, list(all_fields).index(name))
    if given is not None:
        return semantics.evaluate(given)
    for spread in call.spreads:
        mapping = semantics.as_mapping(semantics.evaluate(spread))
        if mapping is None or (mapping.open and name not in mapping.entries):
            return default.opened()
        if name in mapping.entries:
            return mapping.entries[name]
    return default.opened() if call.has_star else default


def fields_as_mapping(semantics: Semantics, value: Instance) -> Mapping | None:
    """`asdict(value)` or `vars(value)`, for an object whose fields are known."""
    assert isinstance(value.maker, ClassValue)
    if holds_fields(semantics, value.maker.node):
        names = fields(semantics, value.maker.node)
        return Mapping({name: attribute(semantics, value, name) for name in names}, lineage(semantics, value.maker.node).open)
    return None


def self_name(function: ir.Function) -> str:
    """The name of the first parameter of a method, "" for static methods and plain functions."""
    if function.owner_class is None or not function.parameters or function.parameters[0].kind != "plain":
        return ""
    if any(ir.dotted(d) == "staticmethod" for d in function.decorators):
        return ""
    return function.parameters[0].name


def method_of(node: ir.Node) -> ir.Function | None:
    """The method of a class around a node, also from inside of nested functions and comprehensions."""
    function = node.function
    while function is not None and function.owner_class is None:
        function = function.function
    return function


def stores(semantics: Semantics, node: ir.Class, name: str) -> Iterator[ir.AttributeStore]:
    """All `self.name = ...` in the methods of the class and its project bases."""
    for each in lineage(semantics, node).classes:
        for store in each.module.attribute_stores.get(name, ()):
            if isinstance(store.target.value, ir.Name):
                method = method_of(store.statement) if not isinstance(store.statement, ir.Function) else store.statement
                if method is not None and method.owner_class is each and store.target.value.id == self_name(method):
                    yield store


def _stored(semantics: Semantics, store: ir.AttributeStore) -> ValueSet:
    if store.kind == "augmented":
        assert isinstance(store.statement, ir.AugmentedAssign)
        added = semantics.evaluate(store.statement.value)
        tensors = added.of(Tensor)
        return one(tensors[0]) if tensors else one(Scalar("number"))
    if store.kind == "delete" or store.value is None:
        return NOTHING
    if store.kind == "element":
        values = union(semantics.element_of(v) for v in semantics.evaluate(store.value).values)
    else:
        values = semantics.evaluate(store.value)
    return semantics.project_path(values, store.path)


def foreign_stores(semantics: Semantics, node: ir.Class, name: str) -> list[ir.AttributeStore]:
    """Assignments to this attribute of an instance of the class from outside of its methods."""
    key = ("foreign", node, name)
    if key in semantics.cache:
        return semantics.cache[key]  # type: ignore[no-any-return]
    semantics.cache[key] = []
    found = []
    own = {id(s) for s in stores(semantics, node, name)}
    for module in semantics.project.modules_mentioning(name):
        for store in module.attribute_stores.get(name, ()) if module else ():
            if id(store) in own or _is_own_store(store):
                continue
            for value in semantics.evaluate(store.target.value).values:
                if isinstance(value, Instance) and isinstance(value.maker, ClassValue):
                    if node in lineage(semantics, value.maker.node).classes or value.maker.node in lineage(semantics, node).classes:
                        found.append(store)
                        break
    semantics.cache[key] = found
    return found


def _is_own_store(store: ir.AttributeStore) -> bool:
    """`self.name = ...` in a method: a class stores into itself, whichever it is."""
    receiver = store.target.value
    if not isinstance(receiver, ir.Name):
        return False
    method = method_of(store.statement)
    return method is not None and receiver.id == self_name(method)


def attribute(semantics: Semantics, value: Instance, name: str) -> ValueSet:
    """`value.name` for what a call made."""
    if isinstance(value.maker, External):
        return one(Method(value, name))
    return semantics.remember(("attribute", value, name), lambda _: _attribute(semantics, value, name))


def _attribute(semantics: Semantics, value: Instance, name: str) -> ValueSet:
    assert isinstance(value.maker, ClassValue)
    node = value.maker.node
    method = lookup(semantics, value.maker, name)
    if method is not None:
        return _bound(semantics, method, value)
    if holds_fields(semantics, node):
        field = _constructed_field(semantics, value, name)
        if field is not None:
            for store in foreign_stores(semantics, node, name):
                field = field | _stored(semantics, store)
            return field
    found = union(_stored(semantics, store) for store in stores(semantics, node, name))
    found = found | union(_stored(semantics, store) for store in foreign_stores(semantics, node, name))
    if found.values or found.open:
        return found
    defined = _defined(semantics, value.maker, name)
    if defined is not None and defined.values:
        return defined
    above = lineage(semantics, node)
    for other in subclasses(semantics, node):
        method = other.method(name)
        if method is not None:
            found = found | _bound(semantics, method, value)
        found = found | union(_stored(semantics, store) for store in stores(semantics, other, name))
    if found.values:
        return found.opened()
    if above.externals:
        return ValueSet((Method(value, name),), above.open)
    return UNKNOWN


def _bound(semantics: Semantics, method: ir.Function, value: Value) -> ValueSet:
    names = {ir.dotted(d) for d in method.decorators}
    if any(n == "property" or n.endswith(("cached_property", "lazy_property")) for n in names):
        return semantics.results(method)
    if "staticmethod" in names:
        return one(FunctionValue(method))
    return one(FunctionValue(method, value))


def class_attribute(semantics: Semantics, value: ClassValue, name: str) -> ValueSet:
    """`Class.name`: a class constant or an unbound method, or what a base outside of the project has under the name."""
    defined = _defined(semantics, value, name)
    if defined is not None:
        return defined
    above = lineage(semantics, value.node)
    for external in above.externals:
        return ValueSet((External(f"{external}.{name}"),), above.open)
    return UNKNOWN


def _defined(semantics: Semantics, value: ClassValue, name: str) -> ValueSet | None:
    """What the bodies of the class and its project bases bind to a name, None if none of them does."""
    for node in lineage(semantics, value.node).classes:
        bindings = node.inner_scope.bindings.get(name)
        if bindings:
            last = bindings[-1]
            if isinstance(last.node, ir.Function):
                if any(ir.dotted(d) == "classmethod" for d in last.node.decorators):
                    return one(FunctionValue(last.node, value))
                return one(FunctionValue(last.node))
            if last.kind == "assign" and last.value is None:
                return NOTHING
            return union(semantics.binding(b) for b in bindings)
    return None
