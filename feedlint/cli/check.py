"""`feedlint check`: judge files, show what was found, fix what may be fixed."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from ..config import ConfigError, Overrides, Vocabulary, shown
from ..discovery import Found
from ..findings import Severity
from ..fixes.plan import Plan, plan_of
from ..records import record
from ..render import FORMATS, View, renderer
from ..runner import Outcome, Workspace, judge_files
from . import USAGE_ERROR
from .options import Names, OneOf, configuration_overrides, settings_options, severity, split
from .terminal import is_terminal, progress, say, wants_colour, width, write, write_aside

if TYPE_CHECKING:
    from ..report import FileReport

_SEVERITIES = [str(severity) for severity in Severity]


@record(frozen=True, slots=True)
class Request:
    """What one `check` was asked for, apart from the settings."""

    paths: tuple[str, ...]
    fix: bool
    unsafe_fixes: bool
    diff: bool
    show_fixes: bool
    output_format: str
    output_file: str | None
    stdin_filename: str | None
    statistics: bool
    exit_zero: bool
    exit_non_zero_on_fix: bool
    force_exclude: bool
    show_files: bool
    show_unjudged: bool
    verbosity: int
    colour: str

    @property
    def standard_input(self) -> bool:
        return "-" in self.paths


@click.command("check", short_help="Find starved training code, and fix it with --fix.")
@click.argument("paths", nargs=-1, metavar="[PATHS|-]")
@click.option("--fix", is_flag=True, help="Apply the fixes that are proven to change nothing that a run computes.")
@click.option(
    "--accept",
    multiple=True,
    type=Names(),
    metavar="RISK,..",
    help="With --fix apply also the fixes that carry no other risks than these (see docs/risks.md).",
)
@click.option("--unsafe-fixes", is_flag=True, help="With --fix apply all fixes, whatever they risk.")
@click.option("--diff", is_flag=True, help="Show what --fix would change and change nothing; exit 1 if there is any.")
@click.option("--show-fixes", is_flag=True, help="Name every fix that was applied.")
@click.option("--select", multiple=True, type=Names(), metavar="CODE,..", help="Judge by these rules only.")
@click.option("--ignore", multiple=True, type=Names(), metavar="CODE,..", help="Leave these rules out.")
@click.option("--extend-select", multiple=True, type=Names(), metavar="CODE,..", help="Judge by these rules, too.")
@click.option("--preview/--no-preview", default=None, help="Judge by preview rules, too.")
@click.option("--min-severity", type=OneOf(_SEVERITIES), help="The lowest severity to show.")
@click.option("--fail-on", type=OneOf(_SEVERITIES), help="The lowest severity that makes the exit status 1.")
@settings_options
@click.option(
    "--output-format",
    type=OneOf(FORMATS),
    envvar="FEEDLINT_OUTPUT_FORMAT",
    default="full",
    show_default=True,
    show_envvar=True,
    metavar="|".join(FORMATS),
    help="How to write the findings.",
)
@click.option("-o", "--output-file", metavar="FILE", help="Write the findings to FILE.")
@click.option("--stdin-filename", metavar="FILE", help="The name of what comes from standard input (PATHS is -).")
@click.option("--statistics", is_flag=True, help="Show how many findings each rule has, instead of the findings.")
@click.option("--exit-zero", is_flag=True, help="Exit 0 even if there are findings.")
@click.option("--exit-non-zero-on-fix", is_flag=True, help="Exit 1 if anything was fixed, even if nothing is left.")
@click.option("--force-exclude", is_flag=True, help="Leave excluded and git-ignored files out even if they are named.")
@click.option("--show-files", is_flag=True, help="List the files that would be judged.")
@click.option("--show-unjudged", is_flag=True, help="List the loaders and loops that could not be judged, and why.")
@click.option("--no-cache", is_flag=True, help="Accepted for later versions: this one keeps no cache.")
@click.option("-q", "--quiet", is_flag=True, help="Show nothing but findings and errors.")
@click.option("-v", "--verbose", is_flag=True, help="Show also findings of severity info, and what was read.")
@click.option("--color", "colour", type=OneOf(["auto", "always", "never"]), default="auto", help="When to use colours.")
def command(
    paths: tuple[str, ...],
    fix: bool,
    accept: Sequence[tuple[str, ...]],
    unsafe_fixes: bool,
    diff: bool,
    show_fixes: bool,
    select: Sequence[tuple[str, ...]],
    ignore: Sequence[tuple[str, ...]],
    extend_select: Sequence[tuple[str, ...]],
    preview: bool | None,
    min_severity: str | None,
    fail_on: str | None,
    isolated: bool,
    configuration: tuple[str, ...],
    output_format: str,
    output_file: str | None,
    stdin_filename: str | None,
    statistics: bool,
    exit_zero: bool,
    exit_non_zero_on_fix: bool,
    force_exclude: bool,
    show_files: bool,
    show_unjudged: bool,
    no_cache: bool,
    quiet: bool,
    verbose: bool,
    colour: str,
) -> int:
    """Find the places in PATHS that starve the GPU.

    PATHS are files and folders; without any the current folder is judged, and `-` is standard input. CODE is a rule's
    code or name, a group such as FDL1, or ALL.
    """
    if "-" in paths and len(paths) > 1:
        raise click.UsageError("`-` (standard input) cannot be mixed with other paths.")
    if quiet and verbose:
        raise click.UsageError("--quiet and --verbose contradict each other.")
    overrides = replace(
        configuration_overrides(configuration, isolated),
        select=split(select) if select else None,
        ignore=split(ignore),
        extend_select=split(extend_select),
        accept=split(accept),
        preview=preview,
        min_severity=severity(min_severity),
        fail_on=severity(fail_on),
    )
    request = Request(
        paths=paths or (".",),
        fix=fix,
        unsafe_fixes=unsafe_fixes,
        diff=diff,
        show_fixes=show_fixes,
        output_format=output_format,
        output_file=output_file,
        stdin_filename=stdin_filename,
        statistics=statistics,
        exit_zero=exit_zero,
        exit_non_zero_on_fix=exit_non_zero_on_fix,
        force_exclude=force_exclude,
        show_files=show_files,
        show_unjudged=show_unjudged,
        verbosity=verbose - quiet,
        colour=colour,
    )
    return _check(request, overrides)


def vocabulary() -> Vocabulary:
    """The names of rules, options and risks. Loads the rules."""
    from ..knowledge.risks import RISKS
    from ..registry import all_rules

    rules = all_rules()
    return Vocabulary(
        {"FDL000": "unreadable-file", **{rule.code: rule.name for rule in rules}},
        {rule.code: rule.options for rule in rules},
        tuple(risk.name for risk in RISKS),
    )


def _check(request: Request, overrides: Overrides) -> int:
    overlays: dict[str, bytes] = {}
    if request.standard_input:
        path = os.path.abspath(request.stdin_filename or "-")
        overlays[path] = sys.stdin.buffer.read()
        workspace = Workspace(overrides, vocabulary, overlays)
        found = Found((path,), frozenset({path}))
    else:
        workspace = Workspace(overrides, vocabulary)
        found = workspace.find(request.paths, request.force_exclude)
    for missing in found.missing:
        say(f"feedlint: {missing.path}: there is no such file or folder")
    for folder, reason in found.unreadable:
        say(f"feedlint: warning: {shown(folder)}: cannot be searched: {reason}")
    if not found.files and not found.missing and request.verbosity >= 0:
        say("feedlint: warning: no Python files or notebooks to check")
    if request.show_files:
        write("".join(f"{path}\n" for path in found.files))
        return USAGE_ERROR if found.missing else 0
    if request.verbosity > 0:
        for source in sorted({workspace.settings_of(path).file or "" for path in found.files} - {""}):
            say(f"feedlint: settings from {shown(source)}")

    step, end = progress(len(found.files))
    try:
        outcome = judge_files(workspace, found.files, step)
    finally:
        end()
    _say_errors(request, outcome)
    if request.fix or request.diff:
        from .fixing import apply_fixes

        return apply_fixes(request, workspace, found, outcome, overlays, _report, _accepted(request, workspace, found.files))
    return _report(request, workspace, found, outcome)


def _say_errors(request: Request, outcome: Outcome) -> None:
    for error in outcome.errors:
        say(f"feedlint: internal error, {shown(error.path)} was not judged: {error.message}")
        if request.verbosity > 0:
            say(error.details)
    if outcome.errors:
        say("feedlint: please report it" + ("" if request.verbosity > 0 else "; -v shows the details"))


def _report(
    request: Request, workspace: Workspace, found: Found, outcome: Outcome, plan: Plan | None = None
) -> int:
    """Show what was found, with the plan for it; the exit status."""
    reports = _narrowed(outcome.reports, workspace)
    if plan is None:
        plan = plan_of(outcome.reports, _accepted(request, workspace, found.files), frozenset(found.files))
    view = replace(_view(request, workspace, found.files), plan=plan)
    # With --fix, standard output is for the fixed text of standard input.
    taken = request.fix and not request.diff and request.standard_input
    _deliver(_text(request, reports, view), request.output_file, write_aside if taken else write)
    for_people = not request.statistics and request.output_format in ("full", "concise")
    if outcome.reports and for_people and request.verbosity >= 0:
        from ..render.summary import summary

        for line in summary(reports, view):
            say(line)
    if found.missing or outcome.errors:
        return USAGE_ERROR
    failing = any(
        finding.severity >= workspace.settings_of(report.path).fail_on
        for report in outcome.reports
        for finding in report.findings
    )
    return 1 if failing and not request.exit_zero else 0


def _narrowed(reports: Sequence[FileReport], workspace: Workspace) -> list[FileReport]:
    """Without the findings that a project's own `min-severity` hides."""
    kept = []
    for report in reports:
        lowest = workspace.settings_of(report.path).min_severity
        if lowest is not None and any(finding.severity < lowest for finding in report.findings):
            report = replace(report, findings=tuple(f for f in report.findings if f.severity >= lowest))
        kept.append(report)
    return kept


def _accepted(request: Request, workspace: Workspace, files: Sequence[str]) -> frozenset[str]:
    """The risks that applied fixes may carry. What one project accepts is not accepted for another one beside it."""
    if request.unsafe_fixes:
        return frozenset(vocabulary().risks)
    settings = {id(found): found for found in map(workspace.settings_of, files)}.values()
    return frozenset.intersection(*(frozenset(found.accept) for found in settings)) if settings else frozenset()


def _view(request: Request, workspace: Workspace, files: Sequence[str]) -> View:
    settings = {id(found): found for found in map(workspace.settings_of, files)}.values()
    # What makes the exit status 1 must be seen.
    given = [found.min_severity for found in settings if found.min_severity is not None]
    given += [found.fail_on for found in settings if found.fail_on < Severity.WARNING]
    colour = request.output_file is None and wants_colour(request.colour, sys.stdout)
    return View(
        colour=colour,
        links=colour and is_terminal(sys.stdout),
        verbosity=request.verbosity,
        min_severity=min(given) if given else None,
        show_unjudged=request.show_unjudged,
        accepted=_accepted(request, workspace, files),
        width=width(sys.stdout),
    )


def _text(request: Request, reports: Sequence[FileReport], view: View) -> str:
    if request.statistics:
        return _statistics(reports, view, request.output_format)
    if request.output_format in ("full", "concise") and not any(r.findings or r.unjudged for r in reports):
        # Nothing to show: what shows it need not be loaded.
        return ""
    if request.output_format == "full":
        # The summary goes to standard error.
        view = replace(view, verbosity=-1, min_severity=view.lowest_for_people)
    return renderer(request.output_format)(reports, view)


def _statistics(reports: Sequence[FileReport], view: View, output_format: str) -> str:
    machine = output_format == "json"
    lowest = view.lowest_for_machines if machine else view.lowest_for_people
    findings = [finding for report in reports for finding in report.findings if finding.severity >= lowest]
    counts = Counter((finding.code, finding.name) for finding in findings)
    with_fix = Counter(finding.code for finding in findings if finding.fix is not None)
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if machine:
        import json

        table = [
            {"code": code, "name": name, "count": count, "fixable": with_fix[code]} for (code, name), count in rows
        ]
        return json.dumps(table, indent=2) + "\n"
    digits = len(str(rows[0][1])) if rows else 1
    return "".join(f"{count:{digits}}  {code}  {name}  ({with_fix[code]} with a fix)\n" for (code, name), count in rows)


def _deliver(text: str, output_file: str | None, out: Callable[[str], None]) -> None:
    if output_file is None:
        out(text)
        return
    try:
        with open(output_file, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise ConfigError([f"{output_file}: cannot be written: {error.strerror}"]) from None
