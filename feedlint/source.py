"""Bytes of a file <-> its text, without losing a byte: encoding, byte order mark and line breaks stay as they are."""

from __future__ import annotations

import codecs
import os
import re
import stat
from bisect import bisect_right
from dataclasses import field

from .places import Span
from .records import record

SIZE_LIMIT = 10_000_000
"""Largest Python file that is read, in bytes. Nobody writes more by hand."""

NOTEBOOK_SIZE_LIMIT = 50_000_000
"""Largest notebook that is read, in bytes: their outputs hold pictures."""

# `ast` knows these three line breaks; str.splitlines would also break at form feeds, U+2028 and others.
_LINE_BREAK = re.compile(r"\r\n|\n|\r")
_BYTES_LINE_BREAK = re.compile(rb"\r\n|\n|\r")
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_COMMENT_OR_BLANK = re.compile(rb"^[ \t\f]*(?:#|$)")


@record(frozen=True, slots=True)
class Cell:
    """One code cell of a notebook in the joined module.

    `number` counts all cells of the notebook from 1. Its text stands on the joined lines from `first_line` (from 1) up
    to, but without, `end_line`; the row in the cell is `line - first_line + 1`.
    """

    number: int
    first_line: int
    end_line: int


@record(frozen=True, slots=True)
class SourceProblem:
    """Why a file has no text that could be judged. `line` counts from 1, `column` from 0."""

    path: str
    reason: str
    line: int = 1
    column: int = 0


class NotFaithful(ValueError):
    """The text cannot be written back without changing bytes that nobody asked to change."""


@record(frozen=True, slots=True)
class Source:
    """A file as bytes and as text.

    `path` is absolute. `text` has no byte order mark and the file's own line breaks. For a notebook `text` is the
    joined module of its code cells (see `feedlint.notebook`) and `cells` tells where each stands; else `cells` is None.
    """

    path: str
    data: bytes
    text: str
    encoding: str
    has_bom: bool
    cells: tuple[Cell, ...] | None = None
    _cache: dict[str, object] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines without their line breaks. A line break at the end opens no further line."""
        known = self._cache.get("lines")
        if known is None:
            pieces = _LINE_BREAK.split(self.text)
            if pieces[-1] == "":
                pieces.pop()
            known = self._cache["lines"] = tuple(pieces)
        assert isinstance(known, tuple)
        return known

    @property
    def line_starts(self) -> tuple[int, ...]:
        """Offset in `text` of every line, and after a last line break also that of the empty line behind it."""
        known = self._cache.get("line_starts")
        if known is None:
            known = self._cache["line_starts"] = (0, *(found.end() for found in _LINE_BREAK.finditer(self.text)))
        assert isinstance(known, tuple)
        return known

    @property
    def newline(self) -> str:
        """The line break to use for new lines: the file's first one, else a line feed."""
        found = _LINE_BREAK.search(self.text)
        return found.group() if found else "\n"

    def offset(self, line: int, column: int) -> int:
        """Index in `text` of a position (line from 1, column from 0 in characters).

        Raises IndexError for a line that the text does not have, or a column beyond the next line's start.
        """
        starts = self.line_starts
        if not 1 <= line <= len(starts):
            raise IndexError(f"line {line} of {len(starts)}")
        position = starts[line - 1] + column
        end = starts[line] if line < len(starts) else len(self.text)
        if column < 0 or position > end:
            raise IndexError(f"column {column} of line {line}")
        return position

    def position(self, offset: int) -> tuple[int, int]:
        """Line (from 1) and column (from 0, in characters) of an index in `text`: the inverse of `offset`."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1]

    def character_column(self, line: int, byte_column: int) -> int:
        """Turn a column as `ast` counts it (bytes of UTF-8) into characters."""
        start = self.line_starts[line - 1]
        text = self.text[start : start + byte_column]
        if text.isascii():
            return byte_column
        return len(text.encode("utf-8")[:byte_column].decode("utf-8", "ignore"))

    def span_text(self, span: Span) -> str:
        """The text that a span covers."""
        return self.text[self.offset(span.line, span.column) : self.offset(span.end_line, span.end_column)]

    def cell_position(self, line: int) -> tuple[int, int] | None:
        """The cell (from 1, over all cells) and the row in it (from 1) of a joined line; None outside notebooks."""
        if self.cells is None:
            return None
        if not self.cells:
            return 1, line
        index = max(0, bisect_right([cell.first_line for cell in self.cells], line) - 1)
        cell = self.cells[index]
        return cell.number, max(1, line - cell.first_line + 1)

    def encode(self, text: str) -> bytes:
        """The bytes of the file with `text` in the place of its text.

        Raises NotFaithful where that would change other bytes too, and UnicodeEncodeError for a character that the
        file's encoding does not have.
        """
        if self.cells is not None:
            from .notebook import splice

            return splice(self, text)
        bom = codecs.BOM_UTF8 if self.has_bom else b""
        if bom + self.text.encode(self.encoding) != self.data:
            raise NotFaithful(f"the encoding {self.encoding} does not give back the bytes of the file")
        return bom + text.encode(self.encoding)


def read_source(path: str | os.PathLike[str]) -> Source | SourceProblem:
    """Read a file. What keeps it from being read or decoded is the value that comes back."""
    data = read_bytes(path)
    return data if isinstance(data, SourceProblem) else source_from_bytes(path, data)


def read_bytes(path: str | os.PathLike[str]) -> bytes | SourceProblem:
    """The content of a regular file that is not too large, else the reason why it is not read."""
    absolute = os.path.abspath(os.fspath(path))
    limit = NOTEBOOK_SIZE_LIMIT if absolute.endswith(".ipynb") else SIZE_LIMIT
    try:
        state = os.stat(absolute)
        if stat.S_ISDIR(state.st_mode):
            return SourceProblem(absolute, "it is a folder, not a file")
        if not stat.S_ISREG(state.st_mode):
            # Opening a pipe or a device could wait for ever.
            return SourceProblem(absolute, "it is not a regular file")
        if state.st_size > limit:
            return SourceProblem(absolute, _too_large(state.st_size, limit))
        with open(absolute, "rb") as file:
            return file.read(limit + 1)
    except FileNotFoundError:
        return SourceProblem(absolute, "there is no such file")
    except OSError as error:
        return SourceProblem(absolute, f"it cannot be read: {error.strerror or error}")


def source_from_bytes(path: str | os.PathLike[str], data: bytes) -> Source | SourceProblem:
    """Decode the bytes of a file (or of an editor's buffer) as Python would. `.ipynb` is read as a notebook."""
    absolute = os.path.abspath(os.fspath(path))
    if absolute.endswith(".ipynb"):
        if len(data) > NOTEBOOK_SIZE_LIMIT:
            return SourceProblem(absolute, _too_large(len(data), NOTEBOOK_SIZE_LIMIT))
        from .notebook import notebook_source

        return notebook_source(absolute, data)
    if len(data) > SIZE_LIMIT:
        return SourceProblem(absolute, _too_large(len(data), SIZE_LIMIT))
    nul = data.find(b"\0")
    if nul >= 0:
        line, column = _byte_position(data, nul, "latin-1")
        return SourceProblem(absolute, "it is a binary file: it holds NUL bytes", line, column)

    has_bom = data.startswith(codecs.BOM_UTF8)
    body = data[len(codecs.BOM_UTF8) :] if has_bom else data
    cookie, cookie_line = _cookie(body)
    encoding = _normal_name(cookie) if cookie else "utf-8"
    try:
        codec = codecs.lookup(encoding)
    except LookupError:
        return SourceProblem(absolute, f"its encoding comment names the unknown encoding {cookie!r}", cookie_line)
    # Some codecs turn bytes into bytes (hex) or text into text (rot13).
    if not getattr(codec, "_is_text_encoding", True):
        return SourceProblem(absolute, f"its encoding comment names {cookie!r}, which is no text encoding", cookie_line)
    if has_bom and codec.name != "utf-8":
        reason = f"it starts with a UTF-8 byte order mark, but its encoding comment says {cookie!r}"
        return SourceProblem(absolute, reason, cookie_line)
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        line, column = _byte_position(body, error.start, encoding)
        said = f"as its encoding comment says ({cookie})" if cookie else "UTF-8, and no encoding comment names another"
        return SourceProblem(absolute, f"byte 0x{body[error.start]:02x} is not {said}", line, column)
    except (UnicodeError, ValueError) as error:
        return SourceProblem(absolute, f"it cannot be decoded as {cookie}: {error}")
    return Source(absolute, data, text, codec.name, has_bom)


def _cookie(data: bytes) -> tuple[str | None, int]:
    """The encoding that a comment on one of the first two lines names, and the number of that line."""
    rest = data[:2000]
    for number in (1, 2):
        line = _BYTES_LINE_BREAK.split(rest, maxsplit=1)[0]
        found = _COOKIE.match(line)
        if found:
            return found.group(1).decode("ascii", "replace"), number
        if not _COMMENT_OR_BLANK.match(line):
            break
        line_break = _BYTES_LINE_BREAK.search(rest)
        if not line_break:
            break
        rest = rest[line_break.end() :]
    return None, 1


def _normal_name(name: str) -> str:
    """Python reads `utf-8-unix` and `latin-1-dos`, as Emacs writes them, without their ending."""
    plain = name[:12].lower().replace("_", "-")
    if plain == "utf-8" or plain.startswith("utf-8-"):
        return "utf-8"
    for latin in ("latin-1", "iso-8859-1", "iso-latin-1"):
        if plain == latin or plain.startswith(latin + "-"):
            return "iso-8859-1"
    return name


def _byte_position(data: bytes, offset: int, encoding: str) -> tuple[int, int]:
    """Line (from 1) and column (from 0, in characters) of a byte."""
    starts = [0, *(found.end() for found in _BYTES_LINE_BREAK.finditer(data, 0, offset))]
    return len(starts), len(data[starts[-1] : offset].decode(encoding, "replace"))


def _too_large(size: int, limit: int) -> str:
    return f"it is too large: {size / 1e6:.1f} MB, the limit is {limit / 1e6:.0f} MB"
