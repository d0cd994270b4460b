"""Whether something changes the memory of a host tensor after its copy to the device was started.

A place is where a tensor is kept: the name, and the attributes and keys that lead on from it. Views, slices and arrays over
the same memory have the place of what they look into; a name that is bound to one has it too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...ir import nodes as ir
from ...knowledge import item_calls
from ...semantics.callers import callers
from ...semantics.evaluation import Semantics
from .changes import changed_by

_DEPTH = 3
_VIEWS = frozenset({"data", "T", "mT", "real"})

Kept = tuple[str, ...]


def written_after(semantics: Semantics, source: ir.Expression, copy: ir.Node, depth: int = _DEPTH) -> ir.Node | None:
    """A node that changes what `source` means after `copy`, in the same function or in one that called it."""
    place = place_of(semantics, source)
    if place is None:
        return None
    found = _in_function(semantics, place, copy, depth)
    if found is not None or depth <= 0:
        return found
    function = copy.function
    parameter = function.parameter(place[0]) if function is not None and function.name else None
    if function is None or parameter is None:
        return None
    for site in callers(semantics, function).sites:
        given = site.call.argument(parameter.name, parameter.position - site.offset)
        if given is not None:
            found = written_after(semantics, given, site.call, depth - 1)
            if found is not None:
                return found
    return None


def _in_function(semantics: Semantics, place: Kept, copy: ir.Node, depth: int) -> ir.Node | None:
    taken = _rebound(copy.statement)
    for node in _nodes_after(copy):
        for changed in changed_by(semantics, node):
            if _is_inside(semantics, changed, place, taken):
                return node
        if isinstance(node, ir.Call) and depth > 0:
            for argument in node.arguments:
                if _is_inside(semantics, argument.value, place, taken) and _callee_changes(semantics, node, argument, depth):
                    return node
    return None


def _nodes_after(copy: ir.Node) -> Iterator[ir.Node]:
    """What runs after the statement of a copy, in the step: the rest of the function, and of a loop that goes round."""
    statement = copy.statement
    function = copy.function
    block = function.body if function is not None else copy.module.body
    around = [a for a in statement.ancestors() if isinstance(a, (ir.For, ir.While)) and a.function is function]
    # The innermost loop brings a new batch in its next round; another loop around the step does not run before that.
    again = around[0] if around and len(around) > 1 and not _binds_anew(around[0], copy) else None
    for node in ir.walk_block(block):
        if not isinstance(node, ir.Statement) and node.statement is statement:
            continue
        place = node if isinstance(node, ir.Statement) else node.statement
        if place is statement:
            continue
        if place.order > statement.order or (again is not None and any(a is again for a in place.ancestors())):
            yield node


def _binds_anew(loop: ir.For | ir.While, copy: ir.Node) -> bool:
    """Whether each round of the loop has a source of its own."""
    if not isinstance(loop, ir.For):
        return False
    bound = {n.id for n in ir.walk(loop.target) if isinstance(n, ir.Name)}
    return any(isinstance(n, ir.Name) and n.id in bound for n in ir.walk(copy))


def _rebound(statement: ir.Statement) -> set[str]:
    """The names that mean something else after a statement."""
    if not isinstance(statement, ir.Assign):
        return set()
    return {n.id for target in statement.targets for n in ([target] if isinstance(target, ir.Name) else _names(target))}


def _names(target: ir.Expression) -> list[ir.Name]:
    return [item for item in target.items if isinstance(item, ir.Name)] if isinstance(target, ir.Display) else []


def _is_inside(semantics: Semantics, expression: ir.Expression, place: Kept, taken: set[str]) -> bool:
    """Whether an expression means the memory of a place, or a part of it."""
    root = _root(expression)
    if root is None or (root.id in taken and root.id == place[0]):
        return False
    found = place_of(semantics, expression)
    return found is not None and found[: len(place)] == place


def _callee_changes(semantics: Semantics, call: ir.Call, argument: ir.Argument, depth: int) -> bool:
    for function in semantics.functions_of(call):
        for parameter in function.parameters:
            given = call.argument(parameter.name, parameter.position) if parameter.position >= 0 else None
            if given is not argument.value and argument.keyword != parameter.name:
                # A method is called without its first argument.
                given = call.argument(parameter.name, parameter.position - 1) if parameter.position > 0 else None
            if given is argument.value and _changes_parameter(semantics, function, parameter.name, depth - 1):
                return True
    return False


def _changes_parameter(semantics: Semantics, function: ir.Function, name: str, depth: int) -> bool:
    for node in ir.walk_block(function.body):
        if any(_is_inside(semantics, changed, (name,), set()) for changed in changed_by(semantics, node)):
            return True
        if isinstance(node, ir.Call) and depth > 0:
            for argument in node.arguments:
                if _is_inside(semantics, argument.value, (name,), set()) and _callee_changes(semantics, node, argument, depth):
                    return True
    return False


# --- places


def place_of(semantics: Semantics, expression: ir.Expression | None, depth: int = 6) -> Kept | None:
    """Where the tensor of an expression is kept; None for a new one."""
    steps: list[str] = []
    node: Any = expression
    while True:
        if isinstance(node, ir.Index):
            if not _is_slice(node.index):
                steps.append(f"[{_key(node.index)}]")
            node = node.value
        elif isinstance(node, ir.Attribute):
            if node.name not in _VIEWS:
                steps.append(node.name)
            node = node.value
        elif isinstance(node, ir.Call) and node.receiver is not None and node.method in item_calls.GIVES_A_PART:
            node = node.receiver
        elif isinstance(node, ir.Call) and node.positional and semantics.names_of(node.function_expression) & item_calls.GIVES_ITS_ARGUMENT:
            node = node.positional[0]
        else:
            break
    if not isinstance(node, ir.Name):
        return None
    steps.reverse()
    return (*_place_of_name(semantics, node, depth), *steps)


def _place_of_name(semantics: Semantics, name: ir.Name, depth: int) -> Kept:
    bindings = [b for b in name.scope.bindings.get(name.id, ()) if b.kind != "augmented"]
    if depth > 0 and len(bindings) == 1 and bindings[0].kind == "assign":
        binding = bindings[0]
        behind = place_of(semantics, binding.value, depth - 1)
        if behind is not None and behind[0] != name.id:
            return (*behind, *(f"[{step!r}]" for step in binding.path))
    return (name.id,)


def _is_slice(index: ir.Expression) -> bool:
    parts = index.items if isinstance(index, ir.Display) else [index]
    return any(isinstance(part, ir.Slice) or (isinstance(part, ir.Constant) and part.value in (..., None)) for part in parts)


def _key(index: ir.Expression) -> str:
    return repr(index.value) if isinstance(index, ir.Constant) else ir.dotted(index) or "?"


def _root(expression: ir.Expression) -> ir.Name | None:
    node: Any = expression
    while not isinstance(node, ir.Name):
        if isinstance(node, (ir.Index, ir.Attribute)):
            node = node.value
        elif isinstance(node, ir.Call) and (node.receiver is not None or node.positional):
            node = node.receiver if node.method in item_calls.GIVES_A_PART and node.receiver is not None else next(iter(node.positional), None)
        else:
            return None
    return node
