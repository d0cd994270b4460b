"""Find the rules: those that come with feedlint and those of third-party packs, through the same door.

A pack names a module or a package in the entry-point group `feedlint.rules`. Its rules are the Rule classes that are
defined in it and, where it is a package, in its modules that are named after a code (`fdl101_loader_no_workers`).
Nothing is loaded before the first question.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import import_module
from types import ModuleType

from .rule import Rule, RuleError, described, validate

ENTRY_POINT_GROUP = "feedlint.rules"
BUILT_IN = "feedlint.rules"
"""The package of the built-in rules."""
BUILT_IN_PREFIX = "FDL"
"""Codes with this prefix belong to feedlint itself."""
EVERYTHING = "ALL"

_MODULE_OF_A_RULE = re.compile(r"[a-z]+[0-9]{3}(?:_\w+)?")


class UnknownRule(LookupError):
    """A code, name or group that no rule has. The message suggests the nearest one."""


@lru_cache(maxsize=1)
def all_rules() -> tuple[Rule, ...]:
    """Every rule, by its code. Raises RuleError where one cannot be used."""
    packs = {pack.__name__: pack for pack in (import_module(BUILT_IN), *_third_party_packs())}
    return collect(kind for pack in packs.values() for kind in rules_in(pack))


def collect(kinds: Iterable[type[Rule]]) -> tuple[Rule, ...]:
    """Validate rule classes and make their rules, by code. Raises RuleError, also for a code or name used twice."""
    by_code: dict[str, type[Rule]] = {}
    by_name: dict[str, type[Rule]] = {}
    for kind in kinds:
        validate(kind)
        if kind.code.startswith(BUILT_IN_PREFIX) and not kind.__module__.startswith(BUILT_IN + "."):
            raise RuleError(f"{described(kind)}: codes that begin with {BUILT_IN_PREFIX} belong to feedlint itself")
        for known, key in ((by_code, kind.code), (by_name, kind.name)):
            if key in known:
                raise RuleError(f"{described(kind)}: {key} is already taken by {described(known[key])}")
            known[key] = kind
    return tuple(by_code[code]() for code in sorted(by_code))


def rules_in(pack: ModuleType) -> Iterator[type[Rule]]:
    """The rule classes of a module and, if it is a package, of its modules that are named after a code."""
    modules = [pack]
    if hasattr(pack, "__path__"):
        from pkgutil import iter_modules

        names = sorted(found.name for found in iter_modules(pack.__path__))
        modules += [_import(f"{pack.__name__}.{name}") for name in names if _MODULE_OF_A_RULE.fullmatch(name)]
    for module in modules:
        for value in vars(module).values():
            # A helper class with an underscore, or a rule that another file imports, is not a rule of this file.
            if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == module.__name__:
                if not value.__name__.startswith("_"):
                    yield value


def resolve(selector: str) -> tuple[Rule, ...]:
    """The rules that a user means by `ALL`, a code, a name or a group such as `FDL1`.

    Upper and lower case are the same. Raises UnknownRule with the nearest known word.
    """
    wanted = selector.strip()
    upper, lower = wanted.upper(), wanted.lower()
    rules = all_rules()
    if upper == EVERYTHING:
        return rules
    exact = tuple(rule for rule in rules if upper == rule.code or lower == rule.name)
    if exact:
        return exact
    group = tuple(rule for rule in rules if re.fullmatch("[A-Z]{2,}[0-9]{0,2}", upper) and rule.code.startswith(upper))
    if group:
        return group
    raise UnknownRule(f"no rule is called {wanted!r}{_suggestion(wanted, rules)}")


def find_rule(selector: str) -> Rule:
    """The one rule with this code or name. Raises UnknownRule."""
    found = resolve(selector)
    if len(found) != 1 or selector.strip().lower() not in (found[0].code.lower(), found[0].name):
        raise UnknownRule(f"{selector!r} is a group of {len(found)} rules, not one rule")
    return found[0]


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is most like a mistyped one, or None where none is near."""
    from difflib import get_close_matches

    by_lower = {candidate.lower(): candidate for candidate in known}
    found = get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[found[0]] if found else None


def _suggestion(wanted: str, rules: tuple[Rule, ...]) -> str:
    near = nearest(wanted, [word for rule in rules for word in (rule.code, rule.name)])
    return f"; did you mean {near!r}?" if near else ""


def _import(name: str) -> ModuleType:
    try:
        return import_module(name)
    except RuleError:
        raise
    except Exception as error:
        raise RuleError(f"{name} cannot be imported: {type(error).__name__}: {error}") from error


def _third_party_packs() -> Iterator[ModuleType]:
    if not _some_distribution_names_the_group():
        return
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINT_GROUP):
        if point.attr:
            raise RuleError(
                f"the entry point {point.name!r} of {ENTRY_POINT_GROUP} names {point.value!r}, not a module"
            )
        yield _import(point.module)


def _some_distribution_names_the_group() -> bool:
    """A quick look through the installed metadata, because `importlib.metadata` costs more than a whole clean run."""
    group = f"[{ENTRY_POINT_GROUP}]".encode()
    for folder in dict.fromkeys(sys.path):
        try:
            with os.scandir(folder or ".") as entries:
                points = [
                    os.path.join(entry.path, "entry_points.txt")
                    for entry in entries
                    if entry.name.endswith((".dist-info", ".egg-info"))
                ]
        except NotADirectoryError:
            # An archive on the path: only the slow way can tell.
            return True
        except OSError:
            continue
        for path in points:
            try:
                with open(path, "rb") as file:
                    if group in file.read():
                        return True
            except OSError:
                continue
    return False
