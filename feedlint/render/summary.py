"""The last lines: how many findings, what `--fix` would do about them, and what was not judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..findings import Finding, Severity
from ..fixes.plan import Plan, count
from ..report import FileReport
from .view import View, shown_findings

_MOST_CHOICES = 4
"""How many choices of risks are listed; where there are more, the last is to accept all."""


def summary(reports: Sequence[FileReport], view: View) -> list[str]:
    """One line about the findings, and one about what was not judged where there is something."""
    findings = list(shown_findings(reports, view.lowest_for_people))
    lines = [_counts(findings) + _fixable(view.plan_for(reports))]
    hidden = sum(len(report.findings) for report in reports) - len(findings)
    if hidden:
        how = "`-v` shows them" if view.min_severity is None else "below the asked severity"
        lines[0] += f" Not shown: {counted(hidden, 'finding')} of less weight ({how})."
    unjudged = sum(len(report.unjudged) for report in reports)
    if unjudged and not view.show_unjudged:
        were = "was" if unjudged == 1 else "were"
        lines.append(
            f"{counted(unjudged, 'loader or loop', 'loaders or loops')} {were} not judged; `--show-unjudged` says why."
        )
    return lines


def counted(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _counts(findings: Sequence[Finding]) -> str:
    if not findings:
        return "No findings."
    by_severity = Counter(finding.severity for finding in findings)
    kinds = ", ".join(counted(by_severity[s], str(s)) for s in sorted(Severity, reverse=True) if by_severity[s])
    files = len({finding.place.path for finding in findings})
    return f"{counted(len(findings), 'finding')} ({kinds}) in {counted(files, 'file')}."


def _fixable(plan: Plan) -> str:
    now, more = count(plan.applied), unlocked(plan)
    text = f" {now} fixable with `--fix`" if now else ""
    if more:
        text += (", more: " if now else " Fixable: ") + ", ".join(more)
    return text + "." if text else text


def unlocked(plan: Plan) -> list[str]:
    """How many more fixes each choice of risks would bring, with what to type for it."""
    choices = plan.choices
    more = [f"{number} with `--accept {','.join(sorted(risks))}`" for risks, number in choices[:_MOST_CHOICES]]
    if len(choices) > _MOST_CHOICES:
        more.append(f"{plan.unlocked_by(frozenset().union(*(risks for risks, _ in choices)))} with `--unsafe-fixes`")
    return more
