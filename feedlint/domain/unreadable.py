"""A file that could not be read or parsed."""

from __future__ import annotations

from dataclasses import dataclass

from ..places import Place


@dataclass(frozen=True, slots=True)
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
