"""What feedlint says: findings with their evidence and the fix that is offered. Plain values, no behaviour."""

from __future__ import annotations

from dataclasses import field
from enum import IntEnum

from .fixes.operations import Operation
from .places import Place
from .records import record


class Severity(IntEnum):
    INFO = 0
    WARNING = 1
    ERROR = 2

    def __str__(self) -> str:
        return self.name.lower()


@record(frozen=True, slots=True)
class Evidence:
    """One link of the chain that led to a finding or to a proof."""

    message: str
    place: Place | None = None


PROVEN, UNKNOWN, REFUTED, OBSERVED = "proven", "unknown", "refuted", "observed"


@record(frozen=True, slots=True)
class Obligation:
    """Something that must hold for an edit to change nothing that the run computes.

    `state` is one of PROVEN, UNKNOWN, REFUTED, OBSERVED. `risk` names what the user accepts when it is unknown.
    `evidence` says why it holds, why it fails, or what is missing.
    """

    name: str
    state: str
    risk: str
    evidence: tuple[Evidence, ...] = ()


@record(frozen=True, slots=True)
class Fix:
    """Operations that belong together, with what was proven about them.

    `key` identifies the fix within one run; `requires` holds keys of fixes without which this one is pointless: it is
    applied only in a plan in which they are applied too.
    `group` joins the fixes that cure one loader and its loops.
    """

    key: str
    message: str
    operations: tuple[Operation, ...]
    obligations: tuple[Obligation, ...] = ()
    group: str = ""
    requires: tuple[str, ...] = ()

    @property
    def risks(self) -> tuple[str, ...]:
        """Names of the risks that remain, without repetition, in order."""
        return tuple(dict.fromkeys(o.risk for o in self.obligations if o.state in (UNKNOWN, OBSERVED)))

    @property
    def applicability(self) -> str:
        """`safe` where every obligation is proven, else `unsafe`."""
        return "unsafe" if self.risks else "safe"


@record(frozen=True, slots=True)
class Finding:
    """A place that starves the GPU.

    `card` is the key of the loader or step loop that this belongs to: findings of one card are shown together.
    `why_not` says why no edit is offered (refuted obligations); `advice` what to do by hand.
    `statement` is the span of the whole statement that holds the place: a suppression comment works on any of its lines.
    """

    code: str
    name: str
    severity: Severity
    message: str
    place: Place
    evidence: tuple[Evidence, ...] = ()
    worth: str = ""
    advice: str = ""
    fix: Fix | None = None
    why_not: tuple[Obligation, ...] = ()
    card: str = ""
    statement: Place | None = None


@record(frozen=True, slots=True)
class Unjudged:
    """A loader or loop that could not be judged, and why; shown on request."""

    place: Place
    reason: str
    codes: tuple[str, ...] = field(default=())


def fix_key(code: str, place: Place) -> str:
    """The key of the fix that a rule offers for the fact at a place: how fixes of different rules name each other."""
    return f"{code}@{place.path}:{place.span.line}:{place.span.column}"
