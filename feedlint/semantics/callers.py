"""Who calls a function of the project, and what its parameters get from that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir import nodes as ir
from ..records import record
from . import entry
from .classes import lookup, self_name, subclasses
from .values import (
    COMPUTED,
    FUNCTION_DEFAULT,
    LITERAL,
    NOTHING,
    UNKNOWN,
    ClassValue,
    FunctionValue,
    Instance,
    Iterator,
    Known,
    Mapping,
    Origin,
    Partial,
    ValueSet,
    one,
    union,
)

if TYPE_CHECKING:
    from .evaluation import Semantics


@record(frozen=True, slots=True)
class Site:
    """A call that runs a function; its first `offset` parameters are bound already (self, or arguments of a partial)."""

    call: ir.Call
    offset: int
    bound: ir.Call | None = None  # the `partial(...)` that gave the first ones


@record(frozen=True, slots=True)
class Callers:
    sites: tuple[Site, ...]
    open: bool  # it may be called from places that are not seen


def callers(semantics: Semantics, function: ir.Function) -> Callers:
    key = ("callers", function)
    if key not in semantics.cache:
        semantics.cache[key] = Callers((), True)  # while it is being found out
        semantics.cache[key] = _callers(semantics, function)
    return semantics.cache[key]  # type: ignore[no-any-return]


def _callers(semantics: Semantics, function: ir.Function) -> Callers:
    if not function.name:
        return Callers((), True)
    owner = function.owner_class
    constructor = owner is not None and function.name == "__init__"
    if owner is not None and not constructor and function.name.startswith("__"):
        return Callers((), True)  # called by the language, not by name
    names = [owner.name if constructor and owner else function.name]
    if constructor and owner is not None:
        names += [c.name for c in subclasses(semantics, owner) if c.method("__init__") is None]
        if any(c.method("__init__") is not None for c in subclasses(semantics, owner)):
            names.append("__init__")
    sites: list[Site] = []
    is_open = _unseen(semantics, function)
    for name in dict.fromkeys(names):
        for module in semantics.project.modules_mentioning(name):
            for bound in _local_names(module, name):
                for call in module.calls.get(bound, ()):
                    site, maybe = _site(semantics, function, call)
                    if site is not None:
                        sites.append(site)
                    is_open |= maybe
                is_open |= _escapes(semantics, function, module, bound, sites)
    return Callers(tuple(sites), is_open)


def _local_names(module: ir.Module, name: str) -> list[str]:
    """The names under which a module may call it: its own, and what an import renames it to."""
    found = dict.fromkeys([name, *module.renamed.get(name, ())])
    for use in module.names.get(name, ()):
        if isinstance(use.parent, ir.Assign) and use.parent.value is use:
            found.update(dict.fromkeys(t.id for t in use.parent.targets if isinstance(t, ir.Name)))
    return list(found)


def _unseen(semantics: Semantics, function: ir.Function) -> bool:
    """Whether the open world may call it: a public function of a package that others can install."""
    if not semantics.project.installable:
        return False
    if function.name.startswith("_") and function.name != "__init__":
        return False
    folder = function.module.path.rpartition("/")[0]
    return semantics.project.exists(folder + "/__init__.py")


def _site(semantics: Semantics, function: ir.Function, call: ir.Call) -> tuple[Site | None, bool]:
    """The call as a site of the function, and whether it may be one without that being known."""
    values = semantics.evaluate(call.function_expression)
    for value in values.values:
        if isinstance(value, FunctionValue) and value.node is function:
            bound = value.receiver is not None and bool(self_name(function))
            return Site(call, 1 if bound else 0), False
        if isinstance(value, ClassValue) and function.name == "__init__":
            if lookup(semantics, value, "__init__") is function:
                return Site(call, 1), False
        if isinstance(value, Partial) and isinstance(value.target, FunctionValue) and value.target.node is function:
            return Site(call, len(value.call.positional) - 1, value.call), False
    if function.owner_class is not None and (values.open or not values.values) and function.name != "__init__":
        if isinstance(call.function_expression, ir.Attribute):
            if _only_definition(semantics, function):
                return Site(call, 1 if self_name(function) else 0), False
            return None, True
    return None, False


def _only_definition(semantics: Semantics, function: ir.Function) -> bool:
    """Whether no other class or module of the project defines this name (a name that torch has too is never that sure)."""
    if function.name in _COMMON:
        return False
    count = 0
    for module in semantics.project.modules_mentioning(function.name):
        count += sum(f.name == function.name for f in module.functions)
    return count == 1


_COMMON = frozenset({"update", "step", "forward", "add", "get", "set", "load", "save", "reset", "run", "train", "eval", "fit", "compute", "log", "to", "append", "close", "read", "write"})


def _escapes(semantics: Semantics, function: ir.Function, module: ir.Module, name: str, sites: list[Site]) -> bool:
    """Whether the function is handed on as a value, so that somebody else calls it. Known starters become sites."""
    if function.name == "__init__":
        return False
    uses: list[ir.Expression] = list(module.names.get(name, ())) + list(module.attributes.get(name, ()))
    for use in uses:
        parent = use.parent
        if isinstance(parent, ir.Call):
            if parent.function_expression is use:
                continue
        elif isinstance(parent, ir.Assign) and parent.value is use and all(isinstance(t, ir.Name) for t in parent.targets):
            continue  # another name for it: calls of that name are found too
        elif isinstance(parent, (ir.Assign, ir.For)) and use not in (getattr(parent, "value", None), getattr(parent, "iterable", None)):
            continue  # it is bound here, not used
        values = semantics.evaluate(use)
        if not any(isinstance(v, FunctionValue) and v.node is function for v in values.values):
            continue
        if isinstance(parent, ir.Call):
            started = entry.started_with(semantics, parent, use)
            if started is not None:
                sites.append(Site(started, 0))
                continue
            if entry.is_partial(semantics, parent):
                continue  # calls of the partial are found where it is called
        return True
    return False


def parameter(semantics: Semantics, function: ir.Function, parameter: ir.Parameter) -> ValueSet:
    """The union of what the visible callers give, with the default where one leaves it out."""
    owner = function.owner_class
    if owner is not None and parameter.position == 0 and self_name(function) == parameter.name:
        if any(ir.dotted(d) == "classmethod" for d in function.decorators):
            return one(ClassValue(owner))
        return one(Instance(ClassValue(owner)))
    special = entry.parameter(semantics, function, parameter)
    if special is not None:
        return special
    known = callers(semantics, function)
    found = NOTHING
    for site in known.sites:
        found = found | _given(semantics, function, parameter, site)
    annotated = entry.from_annotation(semantics, parameter.annotation)
    if not known.sites:
        default = default_of(semantics, function, parameter)
        found = (default | annotated) if annotated.values else default
        if not default.values or default.are_all(None):
            return found.opened() if found.values else UNKNOWN
        if entry.is_command_line(semantics, function) or _made_by_framework(semantics, function):
            return found  # a run without options gets the default
        return found.opened()
    if not found.values and annotated.values:
        found = annotated
    return found.opened() if known.open else found


def _made_by_framework(semantics: Semantics, function: ir.Function) -> bool:
    """Whether a command line of a framework makes objects of the class: nobody else in the project does."""
    owner = function.owner_class
    if owner is None or function.name != "__init__":
        return False
    return entry.framework_of(semantics, owner) in ("data-module", "module-trainer")


def default_of(semantics: Semantics, function: ir.Function, parameter: ir.Parameter) -> ValueSet:
    """What a parameter gets where a call leaves it out; nothing if it has no default."""
    if parameter.kind == "**":
        return one(Mapping({}, False))
    if parameter.kind == "*":
        return one(Iterator(NOTHING, held=True))
    if parameter.default is None:
        return NOTHING
    found = NOTHING
    values = semantics.evaluate(parameter.default)
    for value in values.values:
        if isinstance(value, Known) and value.origin.kind in (LITERAL, COMPUTED):
            owner = function.owner_class
            called = owner.name if owner is not None and function.name == "__init__" else function.name
            note = f"{parameter.name} of {called}() defaults to {value.value!r}"
            origin = Origin(FUNCTION_DEFAULT, parameter.default.place, note, parameter.default)
            found = found | one(Known(value.value, origin))
        else:
            found = found | one(value)
    return found.opened() if values.open else found


def _given(semantics: Semantics, function: ir.Function, parameter: ir.Parameter, site: Site) -> ValueSet:
    """What one call gives to a parameter."""
    call = site.call
    named = {p.name for p in function.parameters}
    if parameter.kind == "**":
        extra = {a.keyword: semantics.evaluate(a.value) for a in call.arguments if a.keyword and a.keyword not in named}
        is_open = False
        for spread in call.spreads:
            mapping = semantics.as_mapping(semantics.evaluate(spread))
            if mapping is None:
                is_open = True
            else:
                is_open |= mapping.open
                extra.update({k: v for k, v in mapping.entries.items() if k not in named})
        return one(Mapping(extra, is_open, call))
    if parameter.kind == "*":
        rest = call.positional[max(sum(p.kind == "plain" for p in function.parameters) - site.offset, 0) :]
        return one(Iterator(union(semantics.evaluate(r) for r in rest), held=True))
    value = call.keyword(parameter.name)
    if value is not None:
        return semantics.evaluate(value)
    if parameter.kind == "plain":
        position = parameter.position - site.offset
        positional = call.positional
        if 0 <= position < len(positional):
            return semantics.evaluate(positional[position])
        if call.has_star and position >= len(positional):
            return default_of(semantics, function, parameter).opened()
    if site.bound is not None:
        bound = site.bound.keyword(parameter.name)
        if bound is not None:
            return semantics.evaluate(bound)
        if parameter.kind == "plain" and parameter.position < site.offset:
            return semantics.evaluate(site.bound.positional[parameter.position + 1])
    for spread in call.spreads:
        mapping = semantics.as_mapping(semantics.evaluate(spread))
        if mapping is None or (mapping.open and parameter.name not in mapping.entries):
            return default_of(semantics, function, parameter).opened()
        if parameter.name in mapping.entries:
            return mapping.entries[parameter.name]
    return default_of(semantics, function, parameter)
