"""A file that could not be read or parsed."""

from __future__ import annotations

from ..places import Place
from ..records import record


@record(frozen=True, slots=True)
class Unreadable:
    """`reason` is in words for the user, `place` where reading stopped."""

    place: Place
    reason: str

    @property
    def statement(self) -> Place:
        return self.place

    @property
    def card(self) -> str:
        return f"{self.place.path}:unreadable"
