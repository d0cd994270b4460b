"""Kinds of option values, and what to say about a mistyped one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from ..config import Overrides, nearest
from ..findings import Severity


class OneOf(click.Choice):  # type: ignore[type-arg, unused-ignore]
    """A choice that suggests the nearest known word."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            known = [str(choice) for choice in self.choices]
            hint = nearest(str(value), known) or f"; known are {', '.join(known)}"
            self.fail(f"{value!r} is not known{hint}", param, ctx)


class Names(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """Names joined by commas."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        return tuple(name.strip() for name in str(value).split(",") if name.strip())


def split(groups: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """One tuple of an option that was given several times."""
    return tuple(name for group in groups for name in group)


def settings_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say where settings come from."""
    for option in (
        click.option("--isolated", is_flag=True, help="Ignore all configuration files."),
        click.option(
            "--config",
            "configuration",
            multiple=True,
            metavar="FILE|KEY=VALUE",
            help="Read settings from FILE instead of the nearest one, or set one value, such as workers=8.",
        ),
    ):
        command = option(command)
    return command


def configuration_overrides(configuration: Sequence[str], isolated: bool) -> Overrides:
    """What `--config` and `--isolated` say."""
    import os

    files = [text for text in configuration if "=" not in text or os.path.isfile(text)]
    if len(files) > 1:
        raise click.UsageError(f"--config names two files, {files[0]} and {files[1]}; at most one can be used.")
    inline = tuple(text for text in configuration if text not in files)
    return Overrides(file=files[0] if files else None, isolated=isolated, inline=inline)


def severity(name: str | None) -> Severity | None:
    """The severity of a name that an option took."""
    return None if name is None else Severity[name.upper()]
