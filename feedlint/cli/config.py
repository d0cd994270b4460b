"""`feedlint config`: what can be set, and what is set."""

from __future__ import annotations

import os
from collections.abc import Mapping

import click

from ..config import FACT_KEYS, KEYS, ConfigError, Settings, nearest, shown
from ..runner import Workspace
from .check import vocabulary
from .options import configuration_overrides, settings_options
from .terminal import write


@click.command("config", short_help="Show the settings and their values.")
@click.argument("key", required=False)
@settings_options
def command(key: str | None, isolated: bool, configuration: tuple[str, ...]) -> None:
    """Show the settings for the current folder: all of them, or what KEY means and what it is set to."""
    settings = Workspace(configuration_overrides(configuration, isolated), vocabulary).settings_of(os.getcwd())
    values = _values(settings)
    if key is None:
        origin = f"# from {shown(settings.file)}\n" if settings.file else "# no configuration file\n"
        write(origin + "".join(f"{name} = {_spelt(value)}\n" for name, value in values.items()))
        return
    meanings = {name.name: name for name in KEYS} | {f"facts.{name.name}": name for name in FACT_KEYS}
    if key not in meanings:
        close = nearest(key, tuple(meanings)) or nearest(f"facts.{key}", tuple(meanings))
        raise ConfigError([f"there is no setting {key!r}{close or '; known are ' + ', '.join(meanings)}"])
    found = meanings[key]
    write(f"{key} = {_spelt(values[key])}\n\n{found.meaning[0].upper()}{found.meaning[1:]}.\nTakes {found.expected}.\n")


def _values(settings: Settings) -> dict[str, object]:
    values = {key.name: getattr(settings, key.field) for key in KEYS}
    values |= {f"facts.{key.name}": getattr(settings.facts, key.field) for key in FACT_KEYS}
    for code, options in settings.rules.items():
        values |= {f"rules.{code}.{option}": value for option, value in options.items()}
    return values


def _spelt(value: object) -> str:
    """A value as it would stand in the file; the default where none was given."""
    if value is None:
        return "(not set)"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and type(value) is int:
        return str(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f'"{key}" = {_spelt(item)}' for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        if value and isinstance(value[0], tuple):
            return _spelt(dict(value))
        return "[" + ", ".join(_spelt(item) for item in value) + "]"
    return f'"{value}"'
