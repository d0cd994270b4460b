"""What a rule file imports, and all that it may import from feedlint."""

from __future__ import annotations

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

# The facts that rules judge, from feedlint.domain, belong here.

__all__ = [
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
