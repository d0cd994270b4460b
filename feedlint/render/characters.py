"""Characters on a terminal: how wide they are, which must not be sent to it, and how a long line is cut."""

from __future__ import annotations

from itertools import accumulate
from unicodedata import category, east_asian_width

from ..records import record

TAB_WIDTH = 4
ELLIPSIS = "…"


@record(frozen=True, slots=True)
class ShownLine:
    """A source line as it is shown. `starts` holds the column of every character and, last, of the end of the line."""

    text: str
    starts: tuple[int, ...]

    def columns(self, start: int, end: int) -> tuple[int, int]:
        """The columns of the characters from `start` to `end`, at least one: also an empty span needs a caret."""
        last = len(self.starts) - 1
        left, right = self.starts[min(start, last)], self.starts[min(end, last)]
        return left, max(right, left + 1)


def visible(text: str) -> str:
    """The text on one line, without characters that steer a terminal or turn the reading direction."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible_character(character) for character in text)


def width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return len(text) if text.isascii() else sum(map(_character_width, text))


def show_line(line: str, start: int, end: int, room: int) -> ShownLine:
    """Show a source line in `room` columns. One that is too long is cut so that the span stays in sight.

    Tabs become spaces.
    """
    pieces = [" " * TAB_WIDTH if character == "\t" else _visible_character(character) for character in line]
    widths = [width(piece) for piece in pieces]
    first, last = 0, len(pieces)
    if sum(widths) > room:
        first, last = _window(widths, min(start, last), min(end, last), room)
    before, after = (ELLIPSIS if first > 0 else ""), (ELLIPSIS if last < len(pieces) else "")
    starts = [0] * (first + 1) + list(accumulate(widths[first:last]))
    # What was cut away on the right counts as the ellipsis.
    starts += [starts[-1] + 1] * (len(pieces) - last)
    return ShownLine(before + "".join(pieces[first:last]) + after, tuple(column + len(before) for column in starts))


def _window(widths: list[int], start: int, end: int, room: int) -> tuple[int, int]:
    """The characters to show: the span if it has room, else its beginning, and as much around it as there is room for."""
    room = max(room - 2 * len(ELLIPSIS), 1)
    first, last, used = start, start, 0
    while last < max(end, start + 1) and last < len(widths) and used + widths[last] <= room:
        used += widths[last]
        last += 1
    # Two thirds of the rest go to what stands before the span: there is the name that is assigned.
    before = 2 * (room - used) // 3
    while first > 0 and widths[first - 1] <= before:
        first -= 1
        before -= widths[first]
        used += widths[first]
    while last < len(widths) and used + widths[last] <= room:
        used += widths[last]
        last += 1
    while first > 0 and used + widths[first - 1] <= room:
        first -= 1
        used += widths[first]
    return first, last


def _visible_character(character: str) -> str:
    if character == "\t":
        return " "
    # Cc: control characters, Cf: among others those that turn the reading direction, Zl and Zp: line breaks, Cs: halves.
    if category(character) in ("Cc", "Cf", "Zl", "Zp", "Cs"):
        return " " if character in "\n\r\f\u2028\u2029" else "\N{REPLACEMENT CHARACTER}"
    return character


def _character_width(character: str) -> int:
    if category(character) in ("Mn", "Me"):
        return 0
    return 2 if east_asian_width(character) in ("W", "F") else 1
