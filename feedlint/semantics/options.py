"""Command line options: what `args.workers` is when the user gives nothing.

The default of an option counts as the value of a run without it; that a user may give another value is kept in the
origin (`OPTION_DEFAULT`), not in the set.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..ir import nodes as ir
from .values import (
    NOTHING,
    OPTION_DEFAULT,
    UNKNOWN,
    External,
    Instance,
    Known,
    Mapping,
    Options,
    Origin,
    Scalar,
    ValueSet,
    one,
)

if TYPE_CHECKING:
    from .evaluation import Semantics


def destination(semantics: Semantics, call: ir.Call) -> str | None:
    """The attribute that an `add_argument` call fills."""
    given = call.keyword("dest")
    if given is not None:
        constants = semantics.evaluate(given).constants
        return constants[0] if constants and isinstance(constants[0], str) else None
    flags = []
    for argument in call.positional:
        value = semantics.evaluate(argument).single
        if not isinstance(value, Known) or not isinstance(value.value, str):
            return None
        flags.append(value.value)
    if not flags:
        return None
    chosen = next((f for f in flags if f.startswith("--")), flags[0])
    return chosen.lstrip("-").replace("-", "_")


def flag(semantics: Semantics, call: ir.Call) -> str:
    """The option as a user types it."""
    texts = [v.value for a in call.positional for v in semantics.evaluate(a).of(Known) if isinstance(v.value, str)]
    return next((t for t in texts if t.startswith("--")), texts[0] if texts else "option")


def _declarations(semantics: Semantics) -> dict[str, list[ir.Call]]:
    """All `add_argument` calls of the project by what they fill."""
    key = "option declarations"
    if key not in semantics.cache:
        found: dict[str, list[ir.Call]] = {}
        semantics.cache[key] = found
        for module in semantics.project.modules_mentioning("add_argument"):
            for call in module.calls.get("add_argument", ()) if module else ():
                name = destination(semantics, call)
                if name is not None:
                    found.setdefault(name, []).append(call)
    return semantics.cache[key]  # type: ignore[no-any-return]


def _root_parsers(semantics: Semantics, receiver: ValueSet, depth: int = 0) -> set[Any]:
    """The parsers that a receiver of `add_argument` belongs to, through groups and sub-parsers."""
    found: set[Any] = set()
    for value in receiver.values:
        if not isinstance(value, Instance):
            continue
        call = value.call
        if (
            isinstance(value.maker, External)
            and call is not None
            and isinstance(call.function_expression, ir.Attribute)
            and call.method in ("add_argument_group", "add_mutually_exclusive_group", "add_parser", "add_subparsers")
            and depth < 5
        ):
            found |= _root_parsers(semantics, semantics.evaluate(call.function_expression.value), depth + 1)
        else:
            found.add((value.maker, value.call))
            if call is not None:
                for parents in (call.keyword("parents"),):
                    if isinstance(parents, ir.Display):
                        for item in parents.items:
                            found |= _root_parsers(semantics, semantics.evaluate(item), depth + 1)
    return found


def _of_parser(semantics: Semantics, options: Options, name: str) -> Iterator[tuple[ir.Call, bool]]:
    """The declarations of one option, and whether it is certain that they belong to this parser."""
    candidates = _declarations(semantics).get(name, [])
    parser = options.parser
    wanted = _root_parsers(semantics, one(parser))
    sure = []
    unsure = []
    for call in candidates:
        receiver = call.receiver
        values = semantics.evaluate(receiver)
        roots = _root_parsers(semantics, values)
        if roots & wanted:
            sure.append(call)
        elif values.open or not roots:
            unsure.append(call)
    if sure:
        yield from ((call, True) for call in sure)
    else:
        yield from ((call, len(candidates) == 1) for call in unsure)


def option(semantics: Semantics, options: Options, name: str) -> ValueSet:
    """The value of one option in a run that does not give it, with what the program assigns to it."""
    return semantics.remember(("option", options, name), lambda _: _option(semantics, options, name))


def _option(semantics: Semantics, options: Options, name: str) -> ValueSet:
    if name in ("__dict__",):
        mapping = all_options(semantics, options)
        return one(mapping) if mapping is not None else UNKNOWN
    found = NOTHING
    declared = False
    for call, certain in _of_parser(semantics, options, name):
        declared = True
        values = declared_default(semantics, call)
        found = found | (values if certain else values.opened())
    found = found | _changed(semantics, options, name)
    if not declared and not found.values:
        return UNKNOWN
    return found


def _changed(semantics: Semantics, options: Options, name: str) -> ValueSet:
    """What the program itself stores into the parsed options, and `set_defaults`."""
    found = NOTHING
    for module in semantics.project.modules_mentioning(name):
        for store in module.attribute_stores.get(name, ()):
            if options in semantics.evaluate(store.target.value).values:
                if store.kind == "assign" and store.value is not None:
                    found = found | semantics.project_path(semantics.evaluate(store.value), store.path)
                else:
                    found = found | one(Scalar("number"))
        for call in module.calls.get("set_defaults", ()):
            value = call.keyword(name)
            if value is not None:
                found = found | semantics.evaluate(value)
    return found


def declared_default(semantics: Semantics, call: ir.Call) -> ValueSet:
    """The default that one `add_argument` declares, as the user would get it."""
    action = semantics.evaluate(call.keyword("action")).single if call.keyword("action") else None
    name = flag(semantics, call)
    default = call.keyword("default")
    if default is None:
        if isinstance(action, Known) and action.value in ("store_true", "store_false"):
            implied = action.value == "store_false"
            return one(Known(implied, Origin(OPTION_DEFAULT, call.place, f"{name} is {implied} unless given", call)))
        if not name.startswith("-") or semantics.evaluate(call.keyword("required")).are_all(True):
            return UNKNOWN  # the user has to give it
        return one(Known(None, Origin(OPTION_DEFAULT, call.place, f"{name} has no default", call)))
    values = semantics.evaluate(default)
    found = NOTHING
    converters = semantics.names_of(call.keyword("type")) if call.keyword("type") is not None else set()  # type: ignore[arg-type]
    for value in values.values:
        if isinstance(value, Known):
            constant = value.value
            if isinstance(constant, str):  # argparse converts a default that is a string
                try:
                    if "builtins.int" in converters:
                        constant = int(constant)
                    elif "builtins.float" in converters:
                        constant = float(constant)
                except ValueError:
                    return UNKNOWN
            note = f"{name} defaults to {constant!r}"
            found = found | one(Known(constant, Origin(OPTION_DEFAULT, default.place, note, default)))
        else:
            found = found | one(value)
    return found.opened() if values.open else found


def all_options(semantics: Semantics, options: Options) -> Mapping | None:
    """`vars(args)`: every option of the parser."""
    entries = {}
    for name in _declarations(semantics):
        if any(certain for _, certain in _of_parser(semantics, options, name)):
            entries[name] = option(semantics, options, name)
    return Mapping(entries, True)


def namespace(semantics: Semantics, call: ir.Call, maker: str) -> ValueSet:
    """`SimpleNamespace(a=1, **more)`, `EasyDict(mapping)`, `dict(a=1)`: a mapping, with attribute access if `maker` is set."""
    entries: dict[str, ValueSet] = {}
    is_open = call.has_star
    for given in call.positional:
        mapping = semantics.as_mapping(semantics.evaluate(given))
        if mapping is None:
            is_open = True
        else:
            entries.update(mapping.entries)
            is_open |= mapping.open
    for argument in call.arguments:
        if argument.star == "**":
            mapping = semantics.as_mapping(semantics.evaluate(argument.value))
            if mapping is None:
                is_open = True
            else:
                entries.update(mapping.entries)
                is_open |= mapping.open
        elif argument.keyword is not None:
            entries[argument.keyword] = semantics.evaluate(argument.value)
    return one(Mapping(entries, is_open, call, maker))
