"""The stable format for machines: the record of ruff's JSON output, with more keys. See `record`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..findings import Evidence, Finding, Fix
from ..fixes.operations import Edit
from ..links import rule_url
from ..places import Place
from ..report import FileReport
from ..source import Source
from .plans import edits_by_key
from .positions import Position, end_of, sources_by_path, start_of
from .view import View, shown_findings


def render(reports: Sequence[FileReport], view: View) -> str:
    """A JSON array of records, one for each finding, of every severity unless the view narrows it."""
    return json.dumps(records(reports, view), indent=2, ensure_ascii=False) + "\n"


def records(reports: Sequence[FileReport], view: View) -> list[dict[str, Any]]:
    """The findings as plain data. Rows and columns count from 1, columns in characters; an end is behind the last one."""
    sources, edits = sources_by_path(reports), edits_by_key(reports)
    groups: dict[str, str] = {}
    return [_record(f, edits, sources, groups) for f in shown_findings(reports, view.lowest_for_machines)]


def _record(
    finding: Finding, edits: Mapping[str, Sequence[Edit]], sources: Mapping[str, Source], groups: dict[str, str]
) -> dict[str, Any]:
    fix = finding.fix
    start = start_of(finding.place, sources)
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": str(finding.severity),
        "message": finding.message,
        "filename": finding.place.path,
        "cell": start.cell,
        "location": _location(start),
        "end_location": _location(end_of(finding.place, sources)),
        "evidence": [_evidence(link, sources) for link in finding.evidence],
        "worth": finding.worth,
        "advice": finding.advice,
        "why_not": [
            {"name": o.name, "state": o.state, "evidence": [_evidence(link, sources) for link in o.evidence]}
            for o in finding.why_not
        ],
        "fix": _fix(fix, edits[fix.key], sources, groups) if fix and fix.key in edits else None,
        "noqa_row": _suppression_row(finding, sources),
        "url": rule_url(finding.code),
    }


def _fix(fix: Fix, edits: Sequence[Edit], sources: Mapping[str, Source], groups: dict[str, str]) -> dict[str, Any]:
    return {
        "applicability": fix.applicability,
        "risks": list(fix.risks),
        "obligations": [
            {
                "name": obligation.name,
                "state": obligation.state,
                "risk": obligation.risk,
                "evidence": [_evidence(link, sources) for link in obligation.evidence],
            }
            for obligation in fix.obligations
        ],
        "key": fix.key,
        "group": groups.setdefault(fix.group, f"g{len(groups) + 1}") if fix.group else None,
        "requires": list(fix.requires),
        "message": fix.message,
        "edits": [{**_where(edit.place, sources, end=True), "content": edit.content} for edit in edits],
    }


def _evidence(evidence: Evidence, sources: Mapping[str, Source]) -> dict[str, Any]:
    if evidence.place is None:
        return {"filename": None, "location": None, "message": evidence.message}
    return {**_where(evidence.place, sources), "message": evidence.message}


def _where(place: Place, sources: Mapping[str, Source], *, end: bool = False) -> dict[str, Any]:
    start = start_of(place, sources)
    found: dict[str, Any] = {"filename": place.path, "location": _location(start)}
    if start.cell is not None:
        found["cell"] = start.cell
    if end:
        found["end_location"] = _location(end_of(place, sources))
    return found


def _location(position: Position) -> dict[str, int]:
    return {"row": position.row, "column": position.column}


def _suppression_row(finding: Finding, sources: Mapping[str, Source]) -> int:
    """The row at whose end a suppression comment can stand."""
    place, source = finding.place, sources.get(finding.place.path)
    row = start_of(place, sources).row
    if source is None or finding.statement is None or place.span.line > len(source.lines):
        return row
    line = source.lines[place.span.line - 1]
    # No comment can follow a backslash or stand inside a string; the end of the statement takes one.
    inside = line.rstrip().endswith("\\") or line.count('"""') % 2 or line.count("'''") % 2
    return end_of(finding.statement, sources).row if inside else row
