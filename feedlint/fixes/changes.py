"""Changes of a text by offsets, and which of them can be made together."""

from __future__ import annotations

from typing import NamedTuple

from ..places import Place, Span
from ..source import Source
from .operations import Edit

CLOSES, AMONG, OPENS = 0, 1, 2
"""Where an insertion goes among others at the same offset: it ends what lies before, belongs to neither, or starts what
comes after."""


class Change(NamedTuple):
    """Replaces the text from `start` to `end`. `reach` is the other end of the expression that an insertion opens or closes:
    an outer one opens before and closes behind an inner one."""

    start: int
    end: int
    content: str
    side: int = AMONG
    reach: int = 0


class Refused(Exception):
    """An operation can't be made; the message is for the user."""


def around(start: int, end: int, before: str, after: str) -> list[Change]:
    """The changes that put text around an extent."""
    made = [Change(start, start, before, OPENS, end), Change(end, end, after, CLOSES, start)]
    return [change for change in made if change.content]


def overlap(one: Change, other: Change) -> bool:
    """Whether two changes touch the same text. An insertion at the edge of something doesn't touch it."""
    if one.start == one.end or other.start == other.end:
        point, extent = (one, other) if one.start == one.end else (other, one)
        return extent.start < point.start < extent.end
    return one.start < other.end and other.start < one.end


def in_order(changes: list[Change]) -> list[Change]:
    """The changes as they follow in the text."""
    return sorted(changes, key=lambda change: (change.start, change.end > change.start, change.side, -change.reach))


def as_edits(source: Source, changes: list[Change]) -> tuple[Edit, ...]:
    """Edits in the order of the text; changes that touch become one, so that no editor must guess their order."""
    joined: list[Change] = []
    for change in in_order(changes):
        assert not joined or joined[-1].end <= change.start
        if joined and joined[-1].end == change.start:
            before = joined.pop()
            change = Change(before.start, change.end, before.content + change.content)
        joined.append(change)
    edits = []
    for change in joined:
        span = Span(*source.position(change.start), *source.position(change.end))
        edits.append(Edit(Place(source.path, span), change.content))
    return tuple(edits)
