"""One line for each finding: what grep, editors and people in a hurry read."""

from __future__ import annotations

from collections.abc import Sequence

from ..report import FileReport
from .characters import visible
from .positions import shown_place, sources_by_path
from .style import Style
from .view import View, shown_findings


def render(reports: Sequence[FileReport], view: View) -> str:
    """`path:row:column: CODE message`, one line each; in a notebook `path:cell 3:row:column: CODE message`."""
    sources = sources_by_path(reports)
    style = Style(view.colour, view.links)
    return "".join(
        f"{shown_place(finding.place, sources, view.base)}: "
        f"{style.of_severity(finding.code, finding.severity)} {visible(finding.message)}\n"
        for finding in shown_findings(reports, view.lowest_for_people)
    )
