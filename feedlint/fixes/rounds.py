"""Applies plans round by round until nothing changes, and takes back at any doubt. Pure: bytes in, bytes out.

Fixes can't be trusted one by one: each round makes all that fit together, judges the result, and keeps it only if it is
what was promised. If not, half of the suspects wait while the others are tried, until the one to blame stands alone.
"""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..findings import Finding, Fix, Severity
from ..report import FileReport
from ..source import NotFaithful, Source, SourceProblem, source_from_bytes
from .operations import Edit
from .plan import Plan, complete, make_plan
from .targets import by_path, path_of

ROUNDS = 10

Judge = Callable[[Mapping[str, bytes]], Sequence[FileReport]]
"""Judges all files again, some of them with other bytes than before."""

Read = Callable[[str], bytes]
"""The bytes of a file as it was before any fix."""


@dataclass(slots=True)
class Fixed:
    """What came of fixing.

    `before` and `texts` are the old and the new bytes of changed files; `applied` is what was fixed, `taken_back` what was
    tried in vain, with the reason. `reports` and `last` (the plan for what is left) are of the files as they are now.
    `stable` is false where more could be done, but the rounds were over.
    """

    before: dict[str, bytes] = field(default_factory=dict)
    texts: dict[str, bytes] = field(default_factory=dict)
    applied: list[Fix] = field(default_factory=list)
    taken_back: list[tuple[Fix, str]] = field(default_factory=list)
    reports: Sequence[FileReport] = ()
    last: Plan | None = None
    stable: bool = True


class Identity(NamedTuple):
    """A finding wherever the lines have gone: its file, its rule, and the words of its statement."""

    path: str
    code: str
    statement: str


class Doubt(NamedTuple):
    """Why a result is not kept, and the fixes one of which must be to blame."""

    reason: str
    suspects: list[Fix]


def fix(
    reports: Sequence[FileReport], judge: Judge, accepted: Collection[str], editable: Collection[str], read: Read
) -> Fixed:
    """Apply what may be applied. `reports` are those of the files as they are, `editable` the paths that may change."""
    outcome = Fixed(reports=reports)
    in_vain: set[Identity] = set()
    rounds = 0
    waiting: set[str] = set()
    while True:
        state = _State(outcome.reports, {**outcome.before, **outcome.texts}, read)
        refused = {key for key, identities in state.identities.items() if identities & in_vain}
        outcome.last = make_plan(state.fixes.values(), state.edits, accepted, editable, refused)
        chosen = complete(fix for fix in outcome.last.applied if fix.key not in waiting)
        if rounds == ROUNDS or not outcome.last.applied:
            outcome.stable = not outcome.last.applied
            return outcome
        texts, made, left = _written(chosen, state)
        doubt = _unreadable(texts, made) if made else Doubt(*_reason(left, outcome.last.applied))
        if doubt is None:
            after = judge({**outcome.texts, **texts})
            doubt = _broken_promise(outcome.reports, after, made, state)
        if doubt is None:
            outcome.before |= {path: state.sources[path].data for path in texts if path not in outcome.before}
            outcome.texts |= texts
            outcome.applied += made
            outcome.reports = after
            rounds += 1
            waiting.clear()
        elif made and len(doubt.suspects) > 1:
            waiting |= {suspect.key for suspect in doubt.suspects[len(doubt.suspects) // 2 :]}
        else:
            outcome.taken_back += [(suspect, doubt.reason) for suspect in doubt.suspects]
            in_vain |= {identity for suspect in doubt.suspects for identity in state.identities[suspect.key]}
            waiting.clear()


def _reason(left: Mapping[str, str], planned: Sequence[Fix]) -> tuple[str, list[Fix]]:
    """Why nothing at all could be written, and what that is."""
    return next(iter(left.values()), "it cannot be tried apart from what it requires"), [
        fix for fix in planned if not left or fix.key in left
    ]
