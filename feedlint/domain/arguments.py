"""What a call gives to the parameters of a loader, whatever way it takes: keyword, position, spread, partial, subclass."""

from __future__ import annotations

from ..ir import nodes as ir
from ..records import record
from ..semantics.callers import default_of
from ..semantics.classes import lineage, lookup
from ..semantics.evaluation import Semantics
from ..semantics.values import (
    UNKNOWN,
    ClassValue,
    Known,
    Mapping,
    Origin,
    Partial,
    ValueSet,
)


@record(frozen=True, slots=True)
class Given:
    """One parameter of a loader.

    `values` is what it gets, the API's default included. `node` is the expression that gives it, None where it is left
    out; `call` is the call that an edit would change, None where no edit can reach it (a spread, a subclass).
    """

    values: ValueSet
    node: ir.Expression | None
    call: ir.Call | None
    is_default: bool

    @property
    def given(self) -> bool:
        return not self.is_default


def resolve(
    semantics: Semantics, maker: object, call: ir.Call, name: str, positional: tuple[str, ...], default: ValueSet
) -> Given:
    """What the parameter `name` gets where `call` makes a loader through `maker`."""
    if isinstance(maker, ClassValue):
        return _through_subclass(semantics, maker, call, name, positional, default)
    found = _in_call(semantics, call, name, positional)
    if found is not None:
        return found
    callee = semantics.evaluate(call.function_expression)
    for value in callee.of(Partial):
        bound = _in_partial(semantics, value.call, name, positional)
        if bound is not None:
            return bound
    return Given(default, None, None if call.has_star else call, True)


def _position(name: str, positional: tuple[str, ...]) -> int | None:
    return positional.index(name) if name in positional else None


def _in_call(semantics: Semantics, call: ir.Call, name: str, positional: tuple[str, ...]) -> Given | None:
    """The parameter as this call gives it; an open spread makes it unknown."""
    node = call.argument(name, _position(name, positional))
    if node is not None:
        return Given(semantics.evaluate(node), node, call, False)
    if call.has_star:
        index = _position(name, positional)
        if index is not None and index >= len(call.positional):
            return Given(UNKNOWN, None, None, False)
    for spread in call.spreads:
        mapping = semantics.as_mapping(semantics.evaluate(spread))
        if mapping is None:
            return Given(UNKNOWN, None, None, False)
        entry = mapping.entries.get(name)
        if entry is not None:
            node = _entry_node(mapping, name)
            # What comes from a whole configuration object is its owner's business: nothing at the call says it.
            return Given(entry if node is not None else entry.opened(), node, None, False)
        if mapping.open:
            return Given(UNKNOWN, None, None, False)
    return None


def _entry_node(mapping: Mapping, name: str) -> ir.Expression | None:
    node = mapping.node
    if isinstance(node, ir.Dictionary):
        for key, value in zip(node.keys, node.values):
            if isinstance(key, ir.Constant) and key.value == name:
                return value
    if isinstance(node, ir.Call):
        return node.keyword(name)
    return None


def _in_partial(semantics: Semantics, bound: ir.Call, name: str, positional: tuple[str, ...]) -> Given | None:
    node = bound.keyword(name)
    if node is not None:
        return Given(semantics.evaluate(node), node, bound, False)
    index = _position(name, positional)
    if index is not None and index + 1 < len(bound.positional):
        node = bound.positional[index + 1]
        return Given(semantics.evaluate(node), node, bound, False)
    for spread in bound.spreads:
        mapping = semantics.as_mapping(semantics.evaluate(spread))
        if mapping is None:
            return Given(UNKNOWN, None, None, False)
        if name in mapping.entries:
            return Given(mapping.entries[name], _entry_node(mapping, name), None, False)
        if mapping.open:
            return Given(UNKNOWN, None, None, False)
    return None


def _through_subclass(
    semantics: Semantics, maker: ClassValue, call: ir.Call, name: str, positional: tuple[str, ...], default: ValueSet
) -> Given:
    """What a subclass of the project hands up to `super().__init__`."""
    constructor = lookup(semantics, maker, "__init__")
    if constructor is None:
        return _in_call(semantics, call, name, positional) or _field(semantics, maker, name) or Given(default, None, call, True)
    above = super_call(semantics, maker, constructor)
    if above is None:
        return Given(UNKNOWN, None, None, False)
    found = _in_call(semantics, above, name, positional)
    if found is None:
        return Given(default, None, above, True)
    # The same parameter under the same name in the subclass: its call can be edited like the loader's own.
    if isinstance(found.node, ir.Name):
        parameter = constructor.parameter(found.node.id)
        if parameter is not None:
            own = call.argument(parameter.name, parameter.position - 1 if parameter.kind == "plain" else None)
            if own is not None:
                return Given(semantics.evaluate(own), own, call, False)
            if not call.spreads and not call.has_star and parameter.default is not None:
                return Given(default_of(semantics, constructor, parameter), parameter.default, None, False)
    return Given(found.values, found.node, None, False)


def _field(semantics: Semantics, maker: ClassValue, name: str) -> Given | None:
    """A field of a configuration class of the project that sets the parameter for all its objects."""
    for node in lineage(semantics, maker.node).classes:
        bindings = node.inner_scope.bindings.get(name)
        if bindings and bindings[-1].value is not None:
            return Given(semantics.evaluate(bindings[-1].value), bindings[-1].value, None, False)
    return None


def super_call(semantics: Semantics, maker: ClassValue, constructor: ir.Function) -> ir.Call | None:
    """The call in a constructor that runs the constructor of the loader class above the project."""
    for node in ir.walk_block(constructor.body, into_functions=False):
        if not isinstance(node, ir.Call) or node.method != "__init__" or node.receiver is None:
            continue
        receiver = node.receiver
        if isinstance(receiver, ir.Call) and ir.dotted(receiver.function_expression) == "super":
            owner = constructor.owner_class
            above = lineage(semantics, owner).classes[1:] if owner is not None else ()
            for parent in above:
                inherited = parent.method("__init__")
                if inherited is not None:
                    return super_call(semantics, ClassValue(parent), inherited)
            return node
    return None


def constant(value: object) -> ValueSet:
    """A default of an API as a value set."""
    return ValueSet((Known(value, Origin("literal", None, "default")),))
