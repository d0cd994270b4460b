"""Why something was found at a line, or why not: what is known of the loaders and loops there, what is proven, what not."""

from __future__ import annotations

from collections.abc import Iterator

from .findings import Evidence, Finding, Obligation
from .ir import Module
from .project import Project
from .source import SourceProblem


def explain(project: Project, path: str, line: int) -> list[str]:
    """Paragraphs about one line of a file, counted from 1."""
    from .engine import judge

    parsed = project.parsed(path)
    if isinstance(parsed, SourceProblem):
        return [f"The file was not judged: {parsed.reason}."]
    if not isinstance(parsed, Module):
        return [f"The file was not judged: {parsed.reason} (line {parsed.line})."]
    report = judge(project, path)
    found = [f for f in report.findings if _covers(f, line)]
    paragraphs = [text for finding in found for text in _of_finding(project, finding)]
    paragraphs += _silences(project, parsed, line, {f.code for f in found})
    return paragraphs or ["Nothing on this line makes, feeds or reads anything that a rule judges."]


def _covers(finding: Finding, line: int) -> bool:
    return finding.place.span.line <= line <= finding.place.span.end_line


def _of_finding(project: Project, finding: Finding) -> Iterator[str]:
    yield f"{finding.code} {finding.name} ({finding.severity}): {finding.message}."
    for evidence in finding.evidence:
        yield f"  because {_said(project, evidence)}"
    if finding.fix is None:
        yield "  no edit is offered" + (": " + finding.advice if finding.advice else "")
    else:
        yield f"  the fix is {finding.fix.applicability}: {finding.fix.message}"
        for obligation in finding.fix.obligations:
            yield f"  {_answer(project, obligation)}"
    for obligation in finding.why_not:
        yield f"  {_answer(project, obligation)}"


def _answer(project: Project, obligation: Obligation) -> str:
    text = "; ".join(_said(project, e) for e in obligation.evidence)
    risk = f" (risk: {obligation.risk})" if obligation.state == "unknown" else ""
    return f"{obligation.state:8} {obligation.name}{risk}" + (f": {text}" if text else "")


def _said(project: Project, evidence: Evidence) -> str:
    if evidence.place is None:
        return evidence.message
    path = evidence.place.path.removeprefix(project.root + "/")
    return f"{evidence.message} ({path}:{evidence.place.span.line})"


def _silences(project: Project, module: Module, line: int, found: set[str]) -> Iterator[str]:
    """Why the rules for loaders say nothing about a loader on the line."""
    from .domain.loaders import loaders

    for loader in loaders(project.semantics, module, project.settings):
        if not loader.place.span.line <= line <= loader.place.span.end_line:
            continue
        yield "This makes a loader."
        if not loader.feeds_steps:
            yield "  silent: no step loop was found that iterates over it"
        if "FDL101" not in found:
            yield f"  FDL101 is silent: {_workers(loader)}"
        if "FDL102" not in found and not loader.could_be_pinned:
            yield "  FDL102 is silent: nothing was found that copies its batches from the host to an accelerator"


def _workers(loader: object) -> str:
    values = loader.workers.values  # type: ignore[attr-defined]
    if values.open:
        return "its worker count could not be found out"
    if not values.are_all(0):
        return f"its worker count is {', '.join(str(c) for c in values.constants or ['not 0'])}"
    return loader.better_without_workers or "nothing says that it feeds a step"  # type: ignore[attr-defined]
