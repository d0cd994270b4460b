"""Which of the offered fixes are applied: whole plans, by what is proven and what the user accepts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from ..findings import REFUTED, Fix
from ..records import record
from ..report import FileReport
from .operations import Edit, EnsureImport, Operation

ELSEWHERE = "its edit belongs in a file that was not named"
NOT_WRITABLE = "the code around it leaves no place for its edit"
NOT_SAFE_AT_ALL = "it is known to change what the program does"
INCOMPLETE = "another fix that it requires cannot be applied"


@record(frozen=True, slots=True)
class Plan:
    """`applied` in the order offered; `held_back` with the reason in words; `risky` with the risks not yet accepted.

    The risks of a fix are the smallest set that would have to be accepted: its own, those of what it requires, and those
    of every fix that asks for one of its edits too, since the edit is made for all of them.
    """

    applied: tuple[Fix, ...] = ()
    held_back: tuple[tuple[Fix, str], ...] = ()
    risky: tuple[tuple[Fix, frozenset[str]], ...] = ()

    def unlocked_by(self, risks: Collection[str]) -> int:
        """How many more fixes would be applied if these risks, and no others, were accepted too."""
        unlocked = [fix for fix, missing in self.risky if missing <= set(risks)]
        return count([*self.applied, *unlocked]) - count(self.applied)

    @property
    def choices(self) -> list[tuple[frozenset[str], int]]:
        """The smallest sets of risks that unlock something, each with the number of fixes; few risks come first."""
        sets = {missing for _, missing in self.risky}
        found = [(missing, self.unlocked_by(missing)) for missing in sets]
        return sorted(found, key=lambda choice: (len(choice[0]), -choice[1], sorted(choice[0])))

    def together(self, key: str) -> list[str]:
        """The keys of an applied fix and of all that it requires."""
        found = with_required({fix.key: fix for fix in self.applied}, key) or ()
        return [fix.key for fix in found]


def make_plan(
    fixes: Iterable[Fix],
    edits: Mapping[str, tuple[Edit, ...]],
    accepted: Collection[str],
    editable: Collection[str] | None,
    refused: Collection[str] = (),
) -> Plan:
    """Choose. A fix is applied only if it and all that it requires, also indirectly, carry no risk but accepted ones.

    `edits` holds the text edits by key, `editable` the paths that the user named, None for all. `refused` are the keys of
    fixes that were tried in vain; the plan does not speak of them.
    """
    known = {fix.key: fix for fix in fixes}
    askers = _askers(known.values())
    offered = {key: fix for key, fix in known.items() if key not in refused}
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
        concerned = [asker for each in together or () for asker in _concerned(each, askers)]
        if obstacle is None and any(_is_refuted(asker) for asker in concerned):
            obstacle = NOT_SAFE_AT_ALL
        missing = frozenset(risk for asker in concerned for risk in asker.risks if risk not in accepted)
        if obstacle is not None:
            held_back.append((fix, obstacle))
        elif missing:
            risky.append((fix, missing))
        else:
            applied.append(fix)
    return Plan(tuple(applied), tuple(held_back), tuple(risky))


def _obstacle(fix: Fix, edits: tuple[Edit, ...], editable: Collection[str] | None) -> str | None:
    """Why a fix cannot be applied whatever the user accepts."""
    if _is_refuted(fix):
        return NOT_SAFE_AT_ALL
    if not edits:
        return NOT_WRITABLE
    if editable is not None and any(edit.place.path not in editable for edit in edits):
        return ELSEWHERE
    return None


def _is_refuted(fix: Fix) -> bool:
    return any(obligation.state == REFUTED for obligation in fix.obligations)


def _askers(fixes: Iterable[Fix]) -> dict[Operation, list[Fix]]:
    """Who asks for each operation: two loaders whose worker count is one option's default ask for the same."""
    found: dict[Operation, list[Fix]] = {}
    for fix in fixes:
        for operation in fix.operations:
            # An import changes nothing for those who do not use it.
            if not isinstance(operation, EnsureImport):
                found.setdefault(operation, []).append(fix)
    return found


def _concerned(fix: Fix, askers: Mapping[Operation, Sequence[Fix]]) -> list[Fix]:
    """The fixes for which an edit of this one is made, itself first."""
    return [fix, *(asker for operation in fix.operations for asker in askers.get(operation, ()) if asker is not fix)]


def count(fixes: Iterable[Fix]) -> int:
    """How many fixes these are; those that ask for the very same change are one."""
    return len({fix.operations or fix.key for fix in fixes})


def plan_of(
    reports: Sequence[FileReport],
    accepted: Collection[str],
    editable: Collection[str] | None = None,
    refused: Collection[str] = (),
) -> Plan:
    """The plan for all that is offered in judged files: see `make_plan`."""
    fixes = [finding.fix for report in reports for finding in report.findings if finding.fix is not None]
    edits = {key: made for report in reports for key, made in report.edits.items()}
    return make_plan(fixes, edits, accepted, editable, refused)


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
