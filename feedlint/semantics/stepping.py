"""By names alone: which calls may lead to the step of an optimizer.

To find out what a call runs is costly, and most loops of a project train nothing. Names say so at once: a call can reach a
`backward` or a `step` only through functions whose names lead there, or through a function that is handed on as a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..ir import nodes as ir

if TYPE_CHECKING:
    from .evaluation import Semantics


class _Leading(NamedTuple):
    """`names` lead to a step; where `by_value`, so may what is called by the name of a variable."""

    names: frozenset[str]
    by_value: bool


def may_step(semantics: Semantics, call: ir.Call) -> bool:
    """Whether a call may be, or lead to, a backward pass or the step of an optimizer."""
    key = "names that lead to a step"
    if key not in semantics.cache:
        semantics.cache[key] = _found(semantics)
    leading: _Leading = semantics.cache[key]
    if call.method in leading.names:
        return True
    if not leading.by_value:
        return False
    callee = call.function_expression
    if isinstance(callee, ir.Name):
        return _is_variable(callee)
    return not isinstance(callee, ir.Attribute) or _is_stored(semantics, callee.name)


def _found(semantics: Semantics) -> _Leading:
    names = {"backward", "step"}
    todo = list(names)
    by_value = False
    while todo:
        name = todo.pop()
        # A lambda has no name to call it by, and the language itself calls what has two underscores, and a forward.
        by_value = by_value or not name or name == "forward" or name.startswith("__")
        for module in semantics.project.modules_mentioning(name):
            by_value = by_value or _is_handed_on(module, name)
            leading = set(module.renamed.get(name, ()))
            for call in module.calls.get(name, ()):
                leading.update(_run_by(call))
            todo += leading - names
            names |= leading
    return _Leading(frozenset(names), by_value)


def _run_by(call: ir.Call) -> list[str]:
    """The names by which the functions around a call are run: of a class for its constructor, "" for a lambda."""
    found = []
    function = call.function
    while function is not None:
        owner = function.owner_class if function.name == "__init__" else None
        found.append(owner.name if owner is not None else function.name)
        function = function.function
    return found


def _is_handed_on(module: ir.Module, name: str) -> bool:
    """Whether a module uses the name for something else than to call it, so that others may call what it means."""
    uses = (*module.names.get(name, ()), *module.attributes.get(name, ()))
    return any(not (isinstance(use.parent, ir.Call) and use.parent.function_expression is use) for use in uses)


def _is_variable(name: ir.Name) -> bool:
    """Whether a name is bound by anything but a definition or an import."""
    scope: ir.Scope | None = name.scope
    while scope is not None:
        found = scope.bindings.get(name.id)
        if found:
            return any(binding.kind not in ("function", "class", "import") for binding in found)
        scope = scope.parent
    return False


def _is_stored(semantics: Semantics, name: str) -> bool:
    """Whether some object gets something under this name, which calling it would run."""
    key = ("stored", name)
    if key not in semantics.cache:
        semantics.cache[key] = any(
            name in module.attribute_stores or any(_binds(node, name) for node in module.classes)
            for module in semantics.project.modules_mentioning(name)
        )
    return semantics.cache[key]  # type: ignore[no-any-return]


def _binds(node: ir.Class, name: str) -> bool:
    return any(binding.kind != "function" for binding in node.inner_scope.bindings.get(name, ()))
