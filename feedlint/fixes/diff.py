"""The changes as a unified diff, that `patch -p0` understands; of a notebook cell by cell."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator
from typing import Any

from ..source import Source, source_from_bytes

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
"""Other line breaks belong to the line: a diff is a text of lines that end with a line feed."""


def unified(path: str, shown: str, before: bytes, after: bytes) -> str:
    """The difference between two contents of a file, under the name `shown`."""
    if path.endswith(".ipynb"):
        old, new = _cells(before), _cells(after)
        return "".join(_diff(f"{shown}:cell {number}", text, new.get(number, "")) for number, text in old.items())
    return _diff(shown, _text(path, before), _text(path, after))


def encoded(diff: str, path: str, before: bytes) -> bytes:
    """A diff of a file in the bytes of the file's own encoding, for programs that apply it."""
    source = source_from_bytes(path, before)
    encoding = source.encoding if isinstance(source, Source) and source.cells is None else "utf-8"
    lines = _LINE.findall(diff)
    return b"".join(
        line.encode("utf-8", "surrogateescape") if number < 2 else line.encode(encoding, "surrogateescape")
        for number, line in enumerate(lines)
    )


def _diff(name: str, before: str, after: str) -> str:
    return "".join(_lines(difflib.unified_diff(_LINE.findall(before), _LINE.findall(after), name, name)))


def _lines(diff: Iterator[str]) -> Iterator[str]:
    for line in diff:
        yield line
        if not line.endswith("\n"):
            yield "\n\\ No newline at end of file\n"


def _text(path: str, data: bytes) -> str:
    source = source_from_bytes(path, data)
    if not isinstance(source, Source):
        return data.decode("utf-8", "replace")
    return "\ufeff" * source.has_bom + source.text


def _cells(data: bytes) -> dict[int, str]:
    """The texts of a notebook's cells, whatever they hold, by their numbers from 1."""
    notebook: dict[str, Any] = json.loads(data)
    sheets = [notebook, *notebook.get("worksheets", ())]
    cells = [cell for sheet in sheets for cell in sheet.get("cells", ())]
    texts = ["".join(cell.get("source", cell.get("input", ""))) for cell in cells]
    return dict(enumerate(texts, start=1))
