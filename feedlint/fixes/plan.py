"""Which of the offered fixes are applied: whole plans, by what is proven and what the user accepts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from ..findings import REFUTED, Fix
from .operations import Edit

ELSEWHERE = "its edit belongs in a file that was not named"
NOT_WRITABLE = "the code around it leaves no place for its edit"
NOT_SAFE_AT_ALL = "it is known to change what the program does"
INCOMPLETE = "another fix that it requires cannot be applied"


@dataclass(frozen=True, slots=True)
class Plan:
    """`applied` in the order offered; `held_back` with the reason in words; `risky` with the risks not yet accepted.

    The risks of a fix are the smallest set that would have to be accepted: its own and those of what it requires.
    """

    applied: tuple[Fix, ...] = ()
    held_back: tuple[tuple[Fix, str], ...] = ()
    risky: tuple[tuple[Fix, frozenset[str]], ...] = ()

    def unlocked_by(self, risks: Collection[str]) -> int:
        """How many more fixes would be applied if these risks, and no others, were accepted too."""
        return sum(missing <= set(risks) for _, missing in self.risky)

    def together(self, key: str) -> list[str]:
        """The keys of an applied fix and of all that it requires."""
        found = with_required({fix.key: fix for fix in self.applied}, key) or ()
        return [fix.key for fix in found]


def make_plan(
    fixes: Iterable[Fix],
    edits: Mapping[str, tuple[Edit, ...]],
    accepted: Collection[str],
    editable: Collection[str],
    refused: Collection[str] = (),
) -> Plan:
    """Choose. A fix is applied only if it and all that it requires, also indirectly, carry no risk but accepted ones.

    `edits` holds the text edits by key, `editable` the paths that the user named. `refused` are the keys of fixes that
    were tried in vain; the plan does not speak of them.
    """
    offered = {fix.key: fix for fix in fixes if fix.key not in refused}
    obstacles = {key: _obstacle(fix, edits.get(key, ()), editable) for key, fix in offered.items()}
    applied: list[Fix] = []
    held_back: list[tuple[Fix, str]] = []
    risky: list[tuple[Fix, frozenset[str]]] = []
    for key, fix in offered.items():
        together = with_required(offered, key)
        obstacle = obstacles[key]
        if obstacle is None and (together is None or any(obstacles[each.key] for each in together)):
            elsewhere = together is not None and any(obstacles[each.key] == ELSEWHERE for each in together)
            obstacle = ELSEWHERE if elsewhere else INCOMPLETE
        missing = frozenset(risk for each in together or () for risk in each.risks if risk not in accepted)
        if obstacle is not None:
            held_back.append((fix, obstacle))
        elif missing:
            risky.append((fix, missing))
        else:
            applied.append(fix)
    return Plan(tuple(applied), tuple(held_back), tuple(risky))


def _obstacle(fix: Fix, edits: tuple[Edit, ...], editable: Collection[str]) -> str | None:
    """Why a fix cannot be applied whatever the user accepts."""
    if any(obligation.state == REFUTED for obligation in fix.obligations):
        return NOT_SAFE_AT_ALL
    if not edits:
        return NOT_WRITABLE
    return ELSEWHERE if any(edit.place.path not in editable for edit in edits) else None


def with_required(offered: Mapping[str, Fix], key: str) -> list[Fix] | None:
    """A fix and all that it requires, also indirectly; None where one of them is not offered."""
    found: dict[str, Fix] = {}
    waiting = [key]
    while waiting:
        key = waiting.pop()
        if key not in found:
            if key not in offered:
                return None
            found[key] = offered[key]
            waiting += offered[key].requires
    return list(found.values())


def complete(fixes: Iterable[Fix]) -> list[Fix]:
    """Those of some fixes that have all that they require among them."""
    offered = {fix.key: fix for fix in fixes}
    return [fix for key, fix in offered.items() if with_required(offered, key) is not None]
