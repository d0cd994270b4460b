"""Names of the project that stand for a loader class: subclasses, partials, renamed imports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir import nodes as ir
from ..knowledge import loader_apis
from .classes import lineage
from .values import Partial

if TYPE_CHECKING:
    from .evaluation import Semantics

_LAST_NAMES = frozenset(name.rpartition(".")[2] for name in loader_apis.BY_NAME)


def wrapper_names(semantics: Semantics) -> frozenset[str]:
    """Names under which some module of the project makes a loader without naming the class itself."""
    key = "wrapper names"
    if key not in semantics.cache:
        semantics.cache[key] = frozenset()
        semantics.cache[key] = frozenset(_found(semantics))
    return semantics.cache[key]  # type: ignore[no-any-return]


def _found(semantics: Semantics) -> set[str]:
    names: set[str] = set()
    known = set(_LAST_NAMES)
    todo = set(_LAST_NAMES)
    while todo:
        name = todo.pop()
        for module in semantics.project.modules_mentioning(name):
            for new in _standing_for(semantics, module, name):
                if new not in known:
                    known.add(new)
                    names.add(new)
                    todo.add(new)
    return names


def _standing_for(semantics: Semantics, module: ir.Module, name: str) -> set[str]:
    """New names that this module gives to what `name` means."""
    found = set(module.renamed.get(name, ()))
    for node in module.classes:
        if any(ir.dotted(base.value if isinstance(base, ir.Index) else base).rpartition(".")[2] == name for base in node.bases):
            if set(lineage(semantics, node).externals) & loader_apis.BY_NAME.keys():
                found.add(node.name)
    for use in module.names.get(name, []) + module.attributes.get(name, []):
        parent = use.parent
        if isinstance(parent, ir.Assign) and parent.value is use:
            found |= {t.id for t in parent.targets if isinstance(t, ir.Name)}
        elif isinstance(parent, ir.Call) and parent.positional[:1] == [use] and isinstance(parent.parent, ir.Assign):
            if semantics.evaluate(parent).of(Partial):
                found |= {t.id for t in parent.parent.targets if isinstance(t, ir.Name)}
    return found


def loader_calls(semantics: Semantics, module: ir.Module) -> list[ir.Call]:
    """Calls of a module that may make a loader, by the name that they call."""
    names = _LAST_NAMES | wrapper_names(semantics)
    found = [call for name, calls in module.calls.items() if name in names for call in calls]
    return sorted(found, key=lambda call: (call.line, call.column))
