"""`feedlint rule`: what a rule is about."""

from __future__ import annotations

import json

import click

from ..config import ConfigError
from .options import OneOf
from .terminal import write


@click.command("rule", short_help="Show the page of a rule.")
@click.argument("rule", required=False, metavar="CODE|NAME")
@click.option("--all", "every", is_flag=True, help="Show all rules.")
@click.option("--output-format", type=OneOf(["text", "json"]), default="text", show_default=True, metavar="text|json")
def command(rule: str | None, every: bool, output_format: str) -> None:
    """Show what a rule finds, why that starves the GPU, what it is worth, and when its fix is safe."""
    from ..documentation import rule_text
    from ..links import rule_url
    from ..registry import UnknownRule, all_rules, find_rule

    if every == (rule is not None):
        raise click.UsageError("Name one rule, or give --all.")
    if rule is None:
        chosen = tuple(all_rules())
    else:
        try:
            chosen = (find_rule(rule),)
        except UnknownRule as error:
            raise ConfigError([str(error)]) from None
    if output_format == "text":
        write("\n".join(rule_text(one) for one in chosen))
        return
    records = [
        {
            "code": one.code,
            "name": one.name,
            "status": one.status,
            "severity": str(one.severity),
            "since": one.since,
            "worth": one.worth,
            "options": dict(one.options),
            "url": rule_url(one.code),
            "explanation": rule_text(one),
        }
        for one in chosen
    ]
    write(json.dumps(records if every else records[0], indent=2, ensure_ascii=False) + "\n")
