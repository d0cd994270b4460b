"""Which of the offered fixes are applied: whole plans, by what is proven and what the user accepts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from ..findings import Fix
from .operations import Edit

ELSEWHERE = "its edit belongs in a file that was not named"
NOT_OFFERED = "what it requires has no fix"


@dataclass(frozen=True, slots=True)
class Plan:
    """`applied` in the order offered; `held_back` with the reason in words; `risky` with the risks not accepted."""

    applied: tuple[Fix, ...]
    held_back: tuple[tuple[Fix, str], ...]
    risky: tuple[tuple[Fix, frozenset[str]], ...]

    def unlocked_by(self, risks: Collection[str]) -> int:
        """How many more fixes would be applied if these risks were accepted too."""
        return sum(missing <= set(risks) for _, missing in self.risky)


def make_plan(
    fixes: Iterable[Fix],
    edits: Mapping[str, tuple[Edit, ...]],
    accepted: Collection[str],
    editable: Collection[str],
    refused: Collection[str] = (),
) -> Plan:
    """Choose. A fix is applied only if it and all that it requires, also indirectly, carry no risk but accepted ones.

    `edits` holds the text edits by key; `refused` the keys that were tried and taken back.
    """
    offered = {fix.key: fix for fix in fixes if edits.get(fix.key) and fix.key not in refused}
    applied: list[Fix] = []
    held_back: list[tuple[Fix, str]] = []
    risky: list[tuple[Fix, frozenset[str]]] = []
    for fix in offered.values():
        together = _with_required(fix, offered)
        if together is None:
            held_back.append((fix, NOT_OFFERED))
        elif any(edit.place.path not in editable for each in together for edit in edits[each.key]):
            held_back.append((fix, ELSEWHERE))
        else:
            missing = frozenset(risk for each in together for risk in each.risks if risk not in accepted)
            if missing:
                risky.append((fix, missing))
            else:
                applied.append(fix)
    return Plan(tuple(applied), tuple(held_back), tuple(risky))


def _with_required(fix: Fix, offered: Mapping[str, Fix]) -> list[Fix] | None:
    """The fix and all that it requires; None where one of them is not offered."""
    found: dict[str, Fix] = {}
    waiting = [fix.key]
    while waiting:
        key = waiting.pop()
        if key in found:
            continue
        each = offered.get(key)
        if each is None:
            return None
        found[key] = each
        waiting += each.requires
    return list(found.values())
