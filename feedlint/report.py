"""What is known about one file after it was judged: what the renderers, the editor and the fixing rounds read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from .findings import Finding, Unjudged
from .fixes.operations import Edit
from .records import record
from .source import Source


@record(frozen=True, slots=True)
class FileReport:
    """The findings of one file, in the order of their places.

    `path` is absolute. `source` is None where the file could not be read. `edits` holds the text edits of every fix that
    can be rendered, by the key of the fix; they may lie in other files.
    """

    path: str
    findings: tuple[Finding, ...] = ()
    unjudged: tuple[Unjudged, ...] = ()
    source: Source | None = None
    edits: Mapping[str, tuple[Edit, ...]] = field(default_factory=dict)
