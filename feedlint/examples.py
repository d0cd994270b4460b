"""The example programs of a rule: what its tests run and what its page shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

from .records import record

MAIN_FILE = "train.py"
"""The name of the file where an example is a single text."""

_MARKER = re.compile(r"[ \t]*#! (?P<codes>[A-Z]+[0-9]+(?: [A-Z]+[0-9]+)*)[ \t]*$", re.MULTILINE)

Program: TypeAlias = str | Mapping[str, str]
"""One file `train.py`, or several files by their relative paths (with forward slashes)."""


@record(frozen=True, slots=True)
class Bad:
    """A program in which the rule must speak, exactly on the lines that end with a marker such as `#! FDL101`.

    `fixed` is the exact text after this rule's fix and those that it requires, with the risks in `accept` accepted; of
    several files it needs only those that change. None means that no edit is offered under those risks.
    `note` is shown above the example on the rule's page.
    """

    code: Program
    fixed: Program | None = None
    accept: tuple[str, ...] = ()
    note: str = ""

    @property
    def files(self) -> dict[str, str]:
        """The program without its markers."""
        return {path: _MARKER.sub("", text) for path, text in _files(self.code).items()}

    @property
    def marked(self) -> dict[tuple[str, int], tuple[str, ...]]:
        """The codes that are expected, by path and line (from 1)."""
        return {
            (path, number): tuple(found["codes"].split(" "))
            for path, text in _files(self.code).items()
            for number, line in enumerate(text.split("\n"), start=1)
            if (found := _MARKER.search(line))
        }

    @property
    def fixed_files(self) -> dict[str, str] | None:
        """The whole program after the fix, or None where no edit is offered."""
        return None if self.fixed is None else {**self.files, **_files(self.fixed)}

    def shown(self, arrow: str = "  # <- ") -> dict[str, str]:
        """The program for readers: each marker is a plain comment."""
        return {path: _MARKER.sub(lambda m: arrow + m["codes"], text) for path, text in _files(self.code).items()}


@record(frozen=True, slots=True)
class Good:
    """A program that comes near to what the rule looks for and is right as it is; `why` says why, in one sentence."""

    code: Program
    why: str

    @property
    def files(self) -> dict[str, str]:
        return _files(self.code)


def _files(program: Program) -> dict[str, str]:
    return {MAIN_FILE: program} if isinstance(program, str) else dict(program)
