"""The changes as a unified diff."""

from __future__ import annotations

import difflib

from ..source import Source, SourceProblem, source_from_bytes


def unified(path: str, shown: str, before: bytes, after: bytes) -> str:
    """The difference between two contents of a file, under the name `shown`; of a notebook, that of its joined cells."""
    old, new = _lines(path, before), _lines(path, after)
    found = []
    for line in difflib.unified_diff(old, new, shown, shown, lineterm=""):
        found.append(line if line.endswith("\n") else line + "\n")
        if not line.endswith("\n") and not line.startswith(("---", "+++", "@@")):
            found.append("\\ No newline at end of file\n")
    return "".join(found)


def _lines(path: str, data: bytes) -> list[str]:
    source = source_from_bytes(path, data)
    text = source.text if isinstance(source, Source) else data.decode("utf-8", "replace")
    return text.replace("\r\n", "\n").splitlines(keepends=True)


__all__ = ["SourceProblem", "unified"]
