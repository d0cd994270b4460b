"""What a rule file imports, and all that it may import from feedlint."""

from __future__ import annotations

from .config import Settings
from .domain.accumulations import accumulation_fix
from .domain.accumulations import advice as accumulation_advice
from .domain.conflicts import Conflict, conflicts
from .domain.creations import Creation
from .domain.loader_fixes import (
    Change,
    hoist,
    is_slight,
    made_asynchronous,
    pinning_keys,
    set_persistence,
    set_pinning,
    set_workers,
)
from .domain.loaders import Loader
from .domain.obligations import PERSISTENCE, PINNING, WORKERS, prove, prove_copy, refuted
from .domain.reads import HostRead
from .domain.restarts import Restart
from .domain.transfers import Transfer
from .domain.unreadable import Unreadable
from .examples import Bad, Good
from .findings import OBSERVED, PROVEN, REFUTED, UNKNOWN, Evidence, Finding, Fix, Obligation, Severity, fix_key
from .fixes.operations import (
    EnsureImport,
    MoveStatement,
    Operation,
    RemoveArgument,
    ReplaceExpression,
    ReplaceMethod,
    ReplaceStatement,
    SetArgument,
    Wrap,
)
from .places import Place, Span
from .rule import PREVIEW, STABLE, Fact, Rule, RuleError

__all__ = [
    "OBSERVED",
    "PERSISTENCE",
    "PINNING",
    "PREVIEW",
    "PROVEN",
    "REFUTED",
    "STABLE",
    "UNKNOWN",
    "WORKERS",
    "Bad",
    "Change",
    "Conflict",
    "Creation",
    "EnsureImport",
    "Evidence",
    "Fact",
    "Finding",
    "Fix",
    "Good",
    "HostRead",
    "Loader",
    "MoveStatement",
    "Obligation",
    "Operation",
    "Place",
    "RemoveArgument",
    "ReplaceExpression",
    "ReplaceMethod",
    "ReplaceStatement",
    "Restart",
    "Rule",
    "RuleError",
    "SetArgument",
    "Settings",
    "Severity",
    "Span",
    "Transfer",
    "Unreadable",
    "Wrap",
    "accumulation_advice",
    "accumulation_fix",
    "conflicts",
    "fix_key",
    "hoist",
    "is_slight",
    "made_asynchronous",
    "pinning_keys",
    "prove",
    "prove_copy",
    "refuted",
    "set_persistence",
    "set_pinning",
    "set_workers",
]
