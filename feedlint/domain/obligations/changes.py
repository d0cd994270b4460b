"""What item code changes that lives longer than the sample: each worker would change a copy of its own.

Changes are found by their form: stores, deletions, methods and functions that work in place. Whether what they change
outlives the sample is followed back through local names, parameters and what functions of the project return.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ...ir import nodes as ir
from ...knowledge import item_calls
from ...semantics.classes import self_name
from ...semantics.evaluation import Semantics
from ...semantics.values import External, FunctionValue, Instance, Known, Scalar, Tensor
from ...semantics.values import Iterator as IteratorValue

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
    """What a statement or expression changes in place. A name stands for the object that it means."""
    if isinstance(node, ir.Assign):
        yield from (changed for target in node.targets for changed in _stored_into(target))
    elif isinstance(node, ir.AugmentedAssign):
        yield from _stored_into(node.target)
        if not _is_plain(semantics, node.target):
            yield node.target
    elif isinstance(node, ir.Delete):
        yield from (changed for target in node.targets for changed in _stored_into(target))
    elif isinstance(node, (ir.For, ir.With)):
        targets = [node.target] if isinstance(node, ir.For) else [t for _, t in node.items if t is not None]
        yield from (changed for target in targets for changed in _stored_into(target))
        if isinstance(node, ir.For) and _is_used_up(semantics, node.iterable):
            yield node.iterable
    elif isinstance(node, ir.Call):
        yield from _changed_by_call(semantics, node)
    elif isinstance(node, ir.Attribute):
        if not _is_callee(node) and node.name in item_calls.CHANGING_METHODS | item_calls.TAKING_METHODS:
            if not isinstance(node.parent, ir.Attribute) and not _is_stored(node):
                yield node.value  # a method handed on, to be called by somebody
    elif isinstance(node, ir.Index) and not _is_stored(node) and _is_default_dict(semantics, node.value):
        yield node.value  # looking a key up puts it in


def _is_callee(node: ir.Expression) -> bool:
    return isinstance(node.parent, ir.Call) and node.parent.function_expression is node


def _is_stored(node: ir.Expression) -> bool:
    return isinstance(node.parent, (ir.Assign, ir.Delete)) and any(target is node for target in node.parent.targets)


def _is_default_dict(semantics: Semantics, node: ir.Expression) -> bool:
    return any(isinstance(v.maker, External) and v.maker.name == "collections.defaultdict" for v in semantics.evaluate(node).of(Instance))


def _is_used_up(semantics: Semantics, node: ir.Expression) -> bool:
    """Whether going through something moves it on: an iterator or a generator that has a name, an open file."""
    if not isinstance(node, (ir.Name, ir.Attribute)):
        return False
    for value in semantics.evaluate(node).values:
        if isinstance(value, IteratorValue) and not value.held:
            return True
        if isinstance(value, Instance) and isinstance(value.maker, External):
            if value.maker.name.startswith("itertools.") or value.maker.name in item_calls.HANDLES:
                return True
    return False


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
    positional = call.positional
    flag = call.keyword("inplace")
    if flag is not None and positional and not semantics.evaluate(flag).are_all(False):
        yield positional[0]
    if positional and any(_changes_first(name) for name in names):
        yield positional[0]
    elif len(positional) > 2 and names & item_calls.ELEMENTWISE_FUNCTIONS:
        yield positional[2]
    elif len(positional) > 1 and names & item_calls.UNARY_FUNCTIONS:
        yield positional[-1]
    elif call.receiver is not None and not names and _works_in_place(semantics, call) and not semantics.functions_of(call):
        yield call.receiver
    yield from (given for given in positional if _is_used_up(semantics, given))


def _changes_first(name: str) -> bool:
    if name in item_calls.CHANGES_FIRST_ARGUMENT or (name.startswith("numpy.") and name.endswith(".at")):
        return True
    owner, _, method = name.rpartition(".")
    if owner.startswith("torch") and method.endswith("_") and not method.startswith("_"):
        return True
    # `list.append(container, value)`
    return owner.startswith(("builtins.", "collections.")) and method in item_calls.CHANGING_METHODS | item_calls.TAKING_METHODS | {"__setattr__"}


def _works_in_place(semantics: Semantics, call: ir.Call) -> bool:
    method = call.method
    if method in item_calls.AMBIGUOUS_METHODS and not isinstance(call.parent, ir.ExpressionStatement):
        held = semantics.evaluate(call.receiver).values
        return not any(isinstance(v, (Tensor, Scalar)) or (isinstance(v, Known) and isinstance(v.value, str)) for v in held)
    if method in item_calls.CHANGING_METHODS or method in item_calls.TAKING_METHODS:
        return True
    # A method of a tensor whose name ends with an underscore.
    return method.endswith("_") and not method.startswith("_") and method != "requires_grad_"


def _is_plain(semantics: Semantics, target: ir.Expression) -> bool:
    """Whether `target += ...` makes a new object: a number or a text."""
    values = semantics.evaluate(target)
    return all(isinstance(v, (Known, Scalar)) and getattr(v, "kind", "") not in ("object", "ndarray") for v in values.values) and (
        bool(values.values) or not values.open
    )


def changed_from_outside(semantics: Semantics, use: ir.Name | ir.Attribute) -> bool:
    """Whether the statement around a name or attribute changes what it means, or a part of that."""
    for node in ir.walk(use.statement, into_functions=False):
        for changed in changed_by(semantics, node):
            if any(part is use for part in _chain(changed)):
                return True
        if isinstance(node, ir.Call):
            for given in (*(argument.value for argument in node.arguments), node.receiver):
                if given is not None and any(part is use for part in _chain(given)) and _handed_to_change(semantics, node, given, 2):
                    return True
    return False


def changes_parameter(semantics: Semantics, function: ir.Function, name: str, depth: int = 3) -> bool:
    """Whether a function changes what it gets under a parameter, itself or through others that it hands it to."""
    for node in ir.walk_block(function.body):
        for changed in changed_by(semantics, node):
            if any(isinstance(part, ir.Name) and part.id == name and part.scope.node is function for part in _chain(changed)):
                return True
        if isinstance(node, ir.Call) and depth > 0 and any(_handed_to_change(semantics, node, each, depth - 1) for each in _named(node, name)):
            return True
    return False


def _named(call: ir.Call, name: str) -> Iterator[ir.Expression]:
    for argument in call.arguments:
        if any(isinstance(part, ir.Name) and part.id == name for part in _chain(argument.value)):
            yield argument.value
    receiver = call.receiver
    if receiver is not None and any(isinstance(part, ir.Name) and part.id == name for part in _chain(receiver)):
        yield receiver


def _handed_to_change(semantics: Semantics, call: ir.Call, given: ir.Expression, depth: int) -> bool:
    """Whether a function of the project that is called with (or on) something changes it."""
    for function in semantics.functions_of(call):
        own = self_name(function) if function.owner_class is not None else ""
        if given is call.receiver:
            if own and changes_parameter(semantics, function, own, depth):
                return True
            continue
        for parameter in function.parameters:
            offset = 1 if own else 0
            if call.argument(parameter.name, parameter.position - offset) is given and changes_parameter(semantics, function, parameter.name, depth):
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
    return _outlives(semantics, expression, among, _DEPTH, False)


def _outlives(
    semantics: Semantics, expression: ir.Expression | None, among: Collection[ir.Function], depth: int, inside: bool
) -> bool:
    """`inside`: not the thing itself is meant, but something that it holds. A new list may hold old things."""
    if expression is None or depth <= 0:
        return False
    node: Any = expression
    while True:
        if isinstance(node, (ir.Attribute, ir.Index)):
            if isinstance(node, ir.Attribute) and _is_self(node.value):
                return True
            node, inside = node.value, True
        elif isinstance(node, ir.Call):
            if node.receiver is not None and node.method in item_calls.GIVES_A_PART and not semantics.functions_of(node):
                node, inside = node.receiver, True
                continue
            return _call_outlives(semantics, node, among, depth, inside)
        elif isinstance(node, ir.Star):
            node = node.value
        else:
            break
    parts: list[Any] = []
    if isinstance(node, ir.Conditional):
        parts = [node.then, node.orelse]
    elif isinstance(node, ir.Boolean):
        parts = node.values
    elif isinstance(node, ir.Walrus):
        parts = [node.value]
    elif inside and isinstance(node, ir.Display):
        parts = node.items
    elif inside and isinstance(node, ir.Dictionary):
        parts = node.values
    elif inside and isinstance(node, ir.Comprehension):
        parts = [node.element]
    elif isinstance(node, ir.Name):
        return _name_outlives(semantics, node, among, depth, inside)
    return any(_outlives(semantics, part, among, depth - 1, inside) for part in parts)


def _is_self(node: ir.Expression) -> bool:
    if not isinstance(node, ir.Name):
        return False
    function = node.function
    while function is not None:
        if function.owner_class is not None:
            return node.id == self_name(function) and function.name != "__init__"
        function = function.function
    return False


def _call_outlives(semantics: Semantics, call: ir.Call, among: Collection[ir.Function], depth: int, inside: bool) -> bool:
    """Whether a call gives something that was there before: a view, the object of a class itself, what a function keeps."""
    if isinstance(call.function_expression, ir.Name) and call.function_expression.id in ("type", "globals", "vars", "super"):
        return True
    names = semantics.names_of(call.function_expression)
    if names & item_calls.GIVES_ITS_ARGUMENT:
        return any(_outlives(semantics, part, among, depth - 1, True) for part in call.positional)
    copies = names & item_calls.KEEPS_ELEMENTS or (call.method == "copy" and not names)
    if copies and inside:
        given = call.positional or ([call.receiver] if call.receiver is not None else [])
        return any(_outlives(semantics, part, among, depth - 1, True) for part in given)
    for function in semantics.functions_of(call):
        if function.name != "__init__" and any(_outlives(semantics, each, among, depth - 2, inside) for each in _given_back(semantics, function)):
            return True
    return False


def _given_back(semantics: Semantics, function: ir.Function) -> Iterator[ir.Expression]:
    for statement in semantics.returns(function):
        if statement.value is not None:
            yield statement.value
    if function.is_generator:
        yield from (n.value for n in ir.walk_block(function.body) if isinstance(n, ir.Yielding) and n.value is not None)


def _name_outlives(semantics: Semantics, name: ir.Name, among: Collection[ir.Function], depth: int, inside: bool) -> bool:
    scope: ir.Scope | None = name.scope
    while scope is not None:
        bindings = scope.bindings.get(name.id)
        if bindings and name.id not in scope.globals:
            if scope.kind in ("module", "class"):
                return True
            return any(_binding_outlives(semantics, binding, among, depth - 1, inside) for binding in bindings)
        scope = scope.parent
    return False


def _binding_outlives(
    semantics: Semantics, binding: ir.Binding, among: Collection[ir.Function], depth: int, inside: bool
) -> bool:
    if binding.kind == "parameter":
        return _parameter_outlives(semantics, binding, among, depth, inside)
    if binding.kind not in ("assign", "element", "enter"):
        return False
    value = binding.value
    for step in binding.path:
        if isinstance(value, ir.Display) and isinstance(step, int) and -len(value.items) <= step < len(value.items):
            value = value.items[step]
        else:
            inside = True
    return _outlives(semantics, value, among, depth, inside or binding.kind == "element")


def _parameter_outlives(
    semantics: Semantics, binding: ir.Binding, among: Collection[ir.Function], depth: int, inside: bool
) -> bool:
    function, parameter = binding.node, binding.parameter
    if not isinstance(function, ir.Function) or parameter is None or depth <= 0:
        return False
    if parameter.position == 0 and function.owner_class is not None and parameter.name == self_name(function):
        return function.name != "__init__"
    if _is_kept_default(semantics, parameter.default):
        return True  # one object for all calls
    given = list(_given(semantics, function, parameter, among))
    if any(_outlives(semantics, argument, among, depth - 1, inside) for argument in given):
        return True
    # Samples come to a collate function as the dataset gave them.
    is_collate = not given and function in among and function.owner_class is None and parameter.position == 0
    return is_collate and inside and any(
        _outlives(semantics, each, among, depth - 2, True)
        for other in among
        if other.name == "__getitem__"
        for each in _given_back(semantics, other)
    )


def _is_kept_default(semantics: Semantics, default: ir.Expression | None) -> bool:
    if isinstance(default, (ir.Display, ir.Dictionary)):
        return not (isinstance(default, ir.Display) and default.kind == "tuple")
    if not isinstance(default, ir.Call):
        return False
    names = semantics.names_of(default.function_expression)
    plain = {f"builtins.{n}" for n in "int float str bool tuple frozenset bytes".split()} | {"torch.device", "pathlib.Path"}
    return not (names and names <= plain)


def _given(
    semantics: Semantics, function: ir.Function, parameter: ir.Parameter, among: Collection[ir.Function]
) -> Iterable[ir.Expression]:
    """What the functions that run for a sample give to a parameter of one of them, also where it is called as a value."""
    is_method = function.owner_class is not None and bool(self_name(function))
    for caller in among:
        for node in ir.walk_block(caller.body):
            if not isinstance(node, ir.Call):
                continue
            if function in semantics.functions_of(node):
                argument = node.argument(parameter.name, parameter.position - (1 if is_method else 0))
                if argument is not None:
                    yield argument
            elif _hands_on(semantics, node, function):
                yield from node.positional
            elif function.name in ("__call__", "forward") and not semantics.functions_of(node):
                yield from node.positional[:1]  # an object that something outside calls with the sample


def _hands_on(semantics: Semantics, call: ir.Call, function: ir.Function) -> bool:
    return any(
        isinstance(value, FunctionValue) and value.node is function
        for argument in call.positional
        for value in semantics.evaluate(argument).values
    )


def _text(node: ir.Expression) -> str:
    return ir.dotted(node) or (ir.dotted(_root(node)) or "something older than the sample")


def _root(node: Any) -> ir.Expression:
    while isinstance(node, (ir.Attribute, ir.Index, ir.Call)) and not ir.dotted(node):
        node = node.value if not isinstance(node, ir.Call) else (node.receiver or node.function_expression)
    return node  # type: ignore[no-any-return]
