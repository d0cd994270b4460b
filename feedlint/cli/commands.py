"""The commands and how their errors are told. A command's module is imported when it is asked for."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import click

from .. import __version__
from ..config import ConfigError, nearest
from . import USAGE_ERROR
from .terminal import prepare_streams, say

_COMMANDS = {
    "check": "Find starved training code, and fix it with --fix.",
    "explain": "Say why a line was reported, or why not.",
    "rule": "Show the page of a rule.",
    "config": "Show the settings and their values.",
}

_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(f".{cmd_name}", __package__).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            hint = nearest(args[0], tuple(_COMMANDS))
            if not hint and (args[0].endswith((".py", ".ipynb")) or "/" in args[0] or args[0] == "."):
                hint = f" - did you mean `feedlint check {args[0]}`?"
            ctx.fail(f"There is no command {args[0]!r}{hint or '; known are ' + ', '.join(_COMMANDS)}")
        return super().resolve_command(ctx, args)


def _show_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        click.echo(f"feedlint {__version__}")
        ctx.exit()


@click.group(cls=_Commands, context_settings=_SETTINGS)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
def feedlint() -> None:
    """Find the places where a PyTorch program lets its GPU starve, and fix them.

    Exit status: 0 nothing found, 1 findings (or a diff), 2 wrong usage, wrong configuration or an internal error.
    """


def run(arguments: list[str]) -> int:
    """Run one command line; every error of the user comes out as lines on standard error and exit status 2."""
    prepare_streams()
    try:
        status: Any = feedlint.main(arguments, prog_name="feedlint", standalone_mode=False)
    except click.ClickException as error:
        error.show(sys.stderr)
        return USAGE_ERROR
    except click.Abort:
        raise KeyboardInterrupt from None
    except ConfigError as error:
        for message in error.messages:
            say(f"feedlint: {message}")
        return USAGE_ERROR
    except Exception as error:
        from ..rule import RuleError

        if isinstance(error, RuleError):
            say(f"feedlint: {error}")
        else:
            import traceback

            say(traceback.format_exc().rstrip())
            say("feedlint: internal error, please report it with the lines above")
        return USAGE_ERROR
    return status if isinstance(status, int) else 0
