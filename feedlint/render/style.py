"""Colours and links for terminals, only where they were asked for."""

from __future__ import annotations

from ..findings import Severity
from ..records import record

BOLD, DIM = "1", "2"
_OF_SEVERITY = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.INFO: "1;36"}


@record(frozen=True, slots=True)
class Style:
    colour: bool = False
    links: bool = False

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text

    def of_severity(self, text: str, severity: Severity) -> str:
        return self.paint(text, _OF_SEVERITY[severity])

    def link(self, text: str, url: str | None) -> str:
        return f"\x1b]8;;{url}\x1b\\{text}\x1b]8;;\x1b\\" if self.links and url else text

    def file_link(self, text: str, path: str) -> str:
        if not self.links:
            return text
        from pathlib import Path

        return self.link(text, Path(path).as_uri())
