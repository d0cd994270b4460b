"""What a rule file imports, and all that it may import from feedlint."""

from __future__ import annotations

from .config import Settings
from .domain.conflicts import Conflict, conflicts
from .domain.loader_fixes import (
    Change,
    hoist,
    made_asynchronous,
    pinning_keys,
    set_persistence,
    set_pinning,
    set_workers,
)
from .domain.loaders import Loader
from .domain.obligations import PERSISTENCE, PINNING, WORKERS, prove, prove_copy, refuted
from .domain.restarts import Restart
from .domain.transfers import Transfer
from .domain.unreadable import Unreadable
from .examples import Bad, Good
from .findings import OBSERVED, PROVEN, REFUTED, UNKNOWN, Evidence, Finding, Fix, Obligation, Severity
from .fixes.operations import (
    EnsureImport,
    MoveStatement,
    Operation,
    RemoveArgument,
    ReplaceExpression,
    ReplaceMethod,
    SetArgument,
    Wrap,
)
from .places import Place, Span
from .rule import PREVIEW, STABLE, Fact, Rule, RuleError, fix_key


__all__ = [
    "PERSISTENCE",
    "PINNING",
    "WORKERS",
    "Change",
    "Loader",
    "Restart",
    "Transfer",
    "Unreadable",
    "Conflict",
    "Settings",
    "conflicts",
    "hoist",
    "made_asynchronous",
    "pinning_keys",
    "prove",
    "prove_copy",
    "refuted",
    "set_persistence",
    "set_pinning",
    "set_workers",
    "OBSERVED",
    "PREVIEW",
    "PROVEN",
    "REFUTED",
    "STABLE",
    "UNKNOWN",
    "Bad",
    "EnsureImport",
    "Evidence",
    "Fact",
    "Finding",
    "Fix",
    "Good",
    "MoveStatement",
    "Obligation",
    "Operation",
    "Place",
    "RemoveArgument",
    "ReplaceExpression",
    "ReplaceMethod",
    "Rule",
    "RuleError",
    "SetArgument",
    "Severity",
    "Span",
    "Wrap",
    "fix_key",
]
