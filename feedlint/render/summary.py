"""The last lines: how many findings, what `--fix` would do about them, and what was not judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..findings import Finding, Severity
from ..report import FileReport
from .plans import offered_fixes, risks_of_plan
from .view import View, shown_findings

_MOST_RISKS = 4
"""How many combinations of risks are listed; the rest is one number."""


def summary(reports: Sequence[FileReport], view: View) -> list[str]:
    """One line about the findings, and one about what was not judged where there is something."""
    findings = list(shown_findings(reports, view.lowest_for_people))
    lines = [_counts(findings) + _fixable(findings, reports, view)]
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


def _fixable(findings: Sequence[Finding], reports: Sequence[FileReport], view: View) -> str:
    fixes = offered_fixes(reports)
    plans = [risks_of_plan(f.fix.key, fixes) for f in findings if f.fix is not None]
    risks = Counter(frozenset(plan - view.accepted) for plan in plans if plan is not None)
    now = risks.pop(frozenset(), 0)
    text = f" {now} fixable with `--fix`" if now else ""
    if risks:
        more = [f"{number} with `--accept {','.join(sorted(risk))}`" for risk, number in risks.most_common(_MOST_RISKS)]
        rest = sum(risks.values()) - sum(number for _, number in risks.most_common(_MOST_RISKS))
        if rest:
            more.append(f"{rest} with `--unsafe-fixes`")
        text += (", more: " if now else " Fixable: ") + ", ".join(more)
    return text + "." if text else text
