"""What item code changes that lives longer than the sample: each worker would change a copy of its own.

Changes are found by their form: stores, deletions, methods and functions that work in place. Whether what they change
outlives the sample is followed back through local names, parameters and what functions of the project return.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ...ir import nodes as ir
from ...knowledge import item_calls
from ...semantics.callers import callers
from ...semantics.classes import self_name
from ...semantics.evaluation import Semantics
from ...semantics.values import FunctionValue, Known, Scalar

if TYPE_CHECKING:
    from collections.abc import Collection

_DEPTH = 6


def changes(semantics: Semantics, function: ir.Function, among: Collection[ir.Function]) -> Iterator[tuple[ir.Node, str]]:
    """Places in a function that change something older than the sample, and what they change, as text.

    `among` are the functions that run for a sample: a parameter is what they give it.
    """
    for node in ir.walk_block(function.body):
        for changed in changed_by(semantics, node):
            if outlives(semantics, changed, among):
                yield node, _text(changed)


def changed_by(semantics: Semantics, node: ir.Node) -> Iterator[ir.Expression]:
    """What a statement or call changes in place. A name stands for the object that it means."""
    if isinstance(node, ir.Assign):
        yield from (changed for target in node.targets for changed in _stored_into(target))
    elif isinstance(node, ir.AugmentedAssign):
        yield from _stored_into(node.target)
        if isinstance(node.target, ir.Name) and not _is_plain(semantics, node.target):
            yield node.target
    elif isinstance(node, ir.Delete):
        yield from (changed for target in node.targets for changed in _stored_into(target))
    elif isinstance(node, (ir.For, ir.With)):
        targets = [node.target] if isinstance(node, ir.For) else [t for _, t in node.items if t is not None]
        yield from (changed for target in targets for changed in _stored_into(target))
    elif isinstance(node, ir.Call):
        yield from _changed_by_call(semantics, node)


def _stored_into(target: ir.Expression) -> Iterator[ir.Expression]:
    if isinstance(target, ir.Display):
        for item in target.items:
            yield from _stored_into(item)
    elif isinstance(target, ir.Star):
        yield from _stored_into(target.value)
    elif isinstance(target, (ir.Attribute, ir.Index)):
        yield target.value if isinstance(target, ir.Index) else target
    elif isinstance(target, ir.Name) and (target.id in target.scope.globals or target.id in target.scope.nonlocals):
        yield target


def _changed_by_call(semantics: Semantics, call: ir.Call) -> Iterator[ir.Expression]:
    out = call.keyword("out")
    if out is not None:
        yield from out.items if isinstance(out, ir.Display) else (out,)
    names = semantics.names_of(call.function_expression)
    if names & item_calls.CHANGES_FIRST_ARGUMENT and call.positional:
        yield call.positional[0]
    elif call.receiver is not None and not names and _works_in_place(call) and not semantics.functions_of(call):
        yield call.receiver


def _works_in_place(call: ir.Call) -> bool:
    method = call.method
    if method in item_calls.CHANGING_METHODS:
        return isinstance(call.parent, ir.ExpressionStatement)
    if method in item_calls.TAKING_METHODS:
        return True
    # A method of a tensor whose name ends with an underscore.
    return method.endswith("_") and not method.startswith("_") and method != "requires_grad_"


def _is_plain(semantics: Semantics, name: ir.Name) -> bool:
    """Whether `name += ...` makes a new object: a number or a text."""
    values = semantics.evaluate(name)
    return all(isinstance(v, (Known, Scalar)) and getattr(v, "kind", "") not in ("object", "ndarray") for v in values.values) and (
        bool(values.values) or not values.open
    )


def changed_from_outside(semantics: Semantics, use: ir.Name | ir.Attribute) -> bool:
    """Whether the statement around a name or attribute changes what it means, or a part of that."""
    for node in ir.walk(use.statement, into_functions=False):
        for changed in changed_by(semantics, node):
            if any(part is use for part in _chain(changed)):
                return True
    return False


def _chain(expression: ir.Expression) -> Iterator[ir.Node]:
    """`a.b[c].d`, then what it is looked up in, down to `a`."""
    node: Any = expression
    while node is not None:
        yield node
        node = node.value if isinstance(node, (ir.Attribute, ir.Index)) else getattr(node, "receiver", None)


# --- how long something lives


def outlives(semantics: Semantics, expression: ir.Expression, among: Collection[ir.Function]) -> bool:
    """Whether an expression may mean (a part of) something that lives longer than one sample."""
    return _outlives(semantics, expression, among, _DEPTH)


def _outlives(semantics: Semantics, expression: ir.Expression | None, among: Collection[ir.Function], depth: int) -> bool:
    if expression is None or depth <= 0:
        return False
    node: Any = expression
    while True:
        if isinstance(node, (ir.Attribute, ir.Index)):
            if isinstance(node, ir.Attribute) and _is_self(node.value):
                return True
            node = node.value
        elif isinstance(node, ir.Call):
            if node.receiver is not None and node.method in item_calls.GIVES_A_PART:
                node = node.receiver
            elif node.positional and semantics.names_of(node.function_expression) & item_calls.GIVES_ITS_ARGUMENT:
                return any(_outlives(semantics, part, among, depth - 1) for part in node.positional)
            else:
                return _result_outlives(semantics, node, among, depth)
        elif isinstance(node, ir.Conditional):
            return any(_outlives(semantics, part, among, depth - 1) for part in (node.then, node.orelse))
        elif isinstance(node, ir.Boolean):
            return any(_outlives(semantics, part, among, depth - 1) for part in node.values)
        else:
            break
    if isinstance(node, ir.Name):
        return _name_outlives(semantics, node, among, depth)
    return False


def _is_self(node: ir.Expression) -> bool:
    if not isinstance(node, ir.Name):
        return False
    function = node.function
    while function is not None:
        if function.owner_class is not None:
            return node.id == self_name(function) and function.name != "__init__"
        function = function.function
    return False


def _result_outlives(semantics: Semantics, call: ir.Call, among: Collection[ir.Function], depth: int) -> bool:
    """Whether a call gives something that was there before: the object of a class itself, or what a function keeps."""
    if isinstance(call.function_expression, ir.Name) and call.function_expression.id in ("type", "globals", "vars", "super"):
        return True
    for function in semantics.functions_of(call):
        if function.name == "__init__":
            continue
        if any(_outlives(semantics, each.value, among, depth - 2) for each in semantics.returns(function)):
            return True
    return False


def _name_outlives(semantics: Semantics, name: ir.Name, among: Collection[ir.Function], depth: int) -> bool:
    scope: ir.Scope | None = name.scope
    while scope is not None:
        bindings = scope.bindings.get(name.id)
        if bindings and name.id not in scope.globals:
            if scope.kind in ("module", "class"):
                return True
            return any(_binding_outlives(semantics, binding, among, depth - 1) for binding in bindings)
        scope = scope.parent
    return False


def _binding_outlives(semantics: Semantics, binding: ir.Binding, among: Collection[ir.Function], depth: int) -> bool:
    if binding.kind == "parameter":
        return _parameter_outlives(semantics, binding, among, depth)
    value = binding.value
    if binding.kind == "element" and isinstance(value, ir.Call) and value.positional:
        # The container may be new: what is in it is not.
        if semantics.names_of(value.function_expression) & item_calls.KEEPS_ELEMENTS:
            value = value.positional[-1]
    return binding.kind in ("assign", "element", "enter") and _outlives(semantics, value, among, depth)


def _parameter_outlives(semantics: Semantics, binding: ir.Binding, among: Collection[ir.Function], depth: int) -> bool:
    function, parameter = binding.node, binding.parameter
    if not isinstance(function, ir.Function) or parameter is None or depth <= 0:
        return False
    if parameter.position == 0 and function.owner_class is not None and parameter.name == self_name(function):
        return function.name != "__init__"
    if isinstance(parameter.default, (ir.Display, ir.Dictionary)):
        return True  # one list for all calls
    given = list(_given(semantics, function, parameter, among))
    return any(_outlives(semantics, argument, among, depth - 1) for argument in given)


def _given(
    semantics: Semantics, function: ir.Function, parameter: ir.Parameter, among: Collection[ir.Function]
) -> Iterable[ir.Expression]:
    """What the functions that run for a sample give to a parameter of one of them."""
    for site in callers(semantics, function).sites:
        if site.call.function in among:
            argument = site.call.argument(parameter.name, parameter.position - site.offset)
            if argument is not None:
                yield argument
    if function.name in ("__call__", "forward"):
        # An object that is called: by item code itself, or by something outside that it hands the sample to.
        for caller in among:
            for node in ir.walk_block(caller.body):
                if isinstance(node, ir.Call) and not any(isinstance(v, FunctionValue) for v in semantics.evaluate(node.function_expression).values):
                    yield from node.positional[:1]


def _text(node: ir.Expression) -> str:
    return ir.dotted(node) or (ir.dotted(_root(node)) or "something older than the sample")


def _root(node: Any) -> ir.Expression:
    while isinstance(node, (ir.Attribute, ir.Index, ir.Call)) and not ir.dotted(node):
        node = node.value if not isinstance(node, ir.Call) else (node.receiver or node.function_expression)
    return node  # type: ignore[no-any-return]
