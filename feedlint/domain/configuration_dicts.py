"""Loaders that a configuration file of mmengine describes as dictionaries, with inheritance through `_base_`."""

from __future__ import annotations

import posixpath

from ..ir import nodes as ir
from ..semantics.evaluation import Semantics
from ..semantics.values import UNKNOWN, Items, Known, ValueSet
from .arguments import Given


def resolve(semantics: Semantics, call: ir.Call, name: str, default: ValueSet) -> Given:
    """A key of a loader's dictionary: its own, else that of the file it inherits from, else the default of torch."""
    node = call.keyword(name)
    if node is not None:
        return Given(semantics.evaluate(node), node, call, False)
    if call.spreads:
        return Given(UNKNOWN, None, None, False)
    if not _starts_anew(semantics, call):
        for base in _base_calls(semantics, call):
            if base is None:
                return Given(UNKNOWN, None, None, False)
            inherited = resolve(semantics, base, name, default)
            if inherited.given:
                return inherited
    return Given(default, None, call, True)


def _starts_anew(semantics: Semantics, call: ir.Call) -> bool:
    given = call.keyword("_delete_")
    return given is not None and semantics.evaluate(given).are_all(True)


def _base_calls(semantics: Semantics, call: ir.Call) -> list[ir.Call | None]:
    """The dictionaries of the same name in the files of `_base_`; None for one that can't be found."""
    statement = call.statement
    target = statement.targets[0] if isinstance(statement, ir.Assign) else None
    if not isinstance(target, ir.Name):
        return []
    module = call.module
    bindings = module.inner_scope.bindings.get("_base_")
    if not bindings:
        return []
    found: list[ir.Call | None] = []
    for path in _paths(semantics, bindings[-1].value):
        other = None if path is None else semantics.project.module(posixpath.normpath(posixpath.join(posixpath.dirname(module.path), path)))
        if other is None:
            found.append(None)
            continue
        named = other.inner_scope.bindings.get(target.id)
        value = named[-1].value if named else None
        if isinstance(value, ir.Call):
            found.append(value)
        elif value is not None or "_base_" in other.inner_scope.bindings:
            found.append(None)
    return found


def _paths(semantics: Semantics, value: ir.Expression | None) -> list[str | None]:
    single = semantics.evaluate(value).single
    items = [item.single for item in single.items] if isinstance(single, Items) else [single]
    return [item.value if isinstance(item, Known) and isinstance(item.value, str) else None for item in items]
