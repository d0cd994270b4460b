"""Comments by which the user silences findings: `# noqa`, `# feedlint: ignore[...]`, `# feedlint: skip-file`."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from typing import TYPE_CHECKING

from .config import names_rule, rule_selector
from .findings import Finding
from .records import record

if TYPE_CHECKING:
    from .source import Source

_MARK = re.compile(rb"noqa|feedlint:", re.IGNORECASE)
_CANDIDATE = re.compile(r"#.*(?:noqa|feedlint:)", re.IGNORECASE)
_NOQA = re.compile(r"#\s*noqa\b(?:\s*:\s*(?P<names>[^#]*))?", re.IGNORECASE)
_NATIVE = re.compile(
    r"#\s*feedlint:\s*(?P<verb>skip-file|ignore)(?![\w-])\s*(?:\[(?P<names>[^\]#]*)\])?(?P<reason>[^#]*)"
)
_CODE_OR_NAME = re.compile(r"[A-Za-z]+[0-9]+|[A-Za-z][a-z0-9]*(?:-[a-z0-9]+)+|ALL|FDL", re.IGNORECASE)


@record(frozen=True, slots=True)
class Suppression:
    """One comment. It silences findings on the lines from `line` to `last_line` (both from 1).

    `names` are codes, names and groups in the spelling of the rules; None silences every rule.
    """

    line: int
    column: int
    last_line: int
    names: tuple[str, ...] | None
    reason: str = ""

    def covers(self, finding: Finding, first: int, last: int) -> bool:
        """Whether it silences a finding whose statement stands on the lines from `first` to `last`."""
        if self.line > last or self.last_line < first:
            return False
        return self.names is None or any(names_rule(name, finding.code, finding.name) for name in self.names)


@record(frozen=True, slots=True)
class Suppressions:
    """All comments of a file that silence something."""

    comments: tuple[Suppression, ...] = ()
    skip_file: bool = False
    long_lines: tuple[tuple[int, int], ...] = ()
    """First and last line of every simple statement or header that takes several lines, in order."""

    def hides(self, finding: Finding) -> bool:
        """Whether a finding of this file is silenced."""
        if self.skip_file:
            return True
        first, last = self._lines_of(finding)
        return any(comment.covers(finding, first, last) for comment in self.comments)

    def _lines_of(self, finding: Finding) -> tuple[int, int]:
        """The lines of the reported statement; of a loop, a class or a function only those of its header."""
        line = finding.place.span.line
        index = bisect_right(self.long_lines, (line, sys.maxsize)) - 1
        if index >= 0 and self.long_lines[index][1] >= line:
            return self.long_lines[index]
        return line, line


_NONE = Suppressions()


def suppressions(source: Source) -> Suppressions:
    """Read the comments of a file. Costs nothing where its bytes hold no such word."""
    if not _MARK.search(source.data) or not _CANDIDATE.search(source.text):
        return _NONE
    found: list[Suppression] = []
    skip_file = False
    comments, long_lines = _comments(source)
    for line, column, text in comments:
        native = _NATIVE.search(text)
        noqa = _NOQA.search(text)
        if native and native["verb"] == "skip-file":
            skip_file = True
        elif native:
            names = None if native["names"] is None else _names(native["names"])
            last_line = line if source.lines[line - 1][:column].strip() else _next_code(source, line)
            found.append(Suppression(line, column, last_line, names, native["reason"].strip(" \t:-")))
        elif noqa:
            found.append(Suppression(line, column, line, _noqa_names(noqa["names"])))
    return Suppressions(tuple(found), skip_file, long_lines) if found or skip_file else _NONE


def _names(text: str) -> tuple[str, ...]:
    return tuple(rule_selector(name) for name in re.split(r"[\s,]+", text) if name)


def _noqa_names(text: str | None) -> tuple[str, ...] | None:
    """The codes and names behind `noqa:`; what follows them is a reason. Without any it counts as a bare `noqa`."""
    names: list[str] = []
    for word in re.split(r"[\s,]+", text or ""):
        if _CODE_OR_NAME.fullmatch(word):
            names.append(rule_selector(word))
        elif word:
            break
    return tuple(names) or None


def _next_code(source: Source, line: int) -> int:
    """The line that a comment on a line of its own speaks about: the next one with code."""
    for number, text in enumerate(source.lines[line:], start=line + 1):
        if text.strip() and not text.lstrip().startswith("#"):
            return number
    return line


def _comments(source: Source) -> tuple[list[tuple[int, int, str]], tuple[tuple[int, int], ...]]:
    """Line (from 1), column (from 0) and text of every comment, and the statements of several lines.

    Reads up to where the file is no Python any more.
    """
    import tokenize

    comments: list[tuple[int, int, str]] = []
    long_lines: list[tuple[int, int]] = []
    first = 0
    # Own lines, because tokenize knows no lone carriage return.
    lines = iter([line + "\n" for line in source.lines])
    try:
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            if token.type == tokenize.COMMENT:
                comments.append((token.start[0], token.start[1], token.string))
            elif token.type == tokenize.NEWLINE:
                if token.start[0] > first > 0:
                    long_lines.append((first, token.start[0]))
                first = 0
            elif not first and token.type not in (tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
                first = token.start[0]
    except (tokenize.TokenError, SyntaxError):
        pass
    return comments, tuple(long_lines)
