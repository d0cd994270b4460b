"""How the user wants to see the reports."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import field

from ..findings import Finding, Severity
from ..fixes.plan import Plan, plan_of
from ..records import record
from ..report import FileReport


@record(frozen=True, slots=True)
class View:
    """What to show and how.

    `base` is the folder that paths are shown relative to. `verbosity` is -1 for `-q`, 1 for `-v`. `min_severity` is None
    where the user did not say: people then see warnings and errors (with `-v` also infos), machines everything.
    `accepted` are the risks that `--fix` would accept. `plan` is what it would do; without one it is worked out from the
    reports, as if every file might be changed. `width` is in columns.
    """

    colour: bool = False
    links: bool = False
    base: str = field(default_factory=os.getcwd)
    verbosity: int = 0
    min_severity: Severity | None = None
    show_unjudged: bool = False
    accepted: frozenset[str] = frozenset()
    plan: Plan | None = None
    width: int = 100

    @property
    def lowest_for_people(self) -> Severity:
        if self.min_severity is not None:
            return self.min_severity
        return Severity.INFO if self.verbosity > 0 else Severity.WARNING

    @property
    def lowest_for_machines(self) -> Severity:
        return Severity.INFO if self.min_severity is None else self.min_severity

    def plan_for(self, reports: Sequence[FileReport]) -> Plan:
        """What `--fix` would do about these reports."""
        return plan_of(reports, self.accepted) if self.plan is None else self.plan


def shown_findings(reports: Sequence[FileReport], lowest: Severity) -> Iterator[Finding]:
    """The findings of at least this severity, in order."""
    return (finding for report in reports for finding in report.findings if finding.severity >= lowest)
