"""What an obligation is answered with."""

from __future__ import annotations

from typing import NamedTuple

from ...findings import PROVEN, Evidence, Obligation
from ...ir import nodes as ir


class Answer(NamedTuple):
    """PROVEN, UNKNOWN or REFUTED with the evidence; `risk` where an unknown one leaves another risk than it usually does."""

    state: str
    evidence: tuple[Evidence, ...] = ()
    risk: str = ""


YES = Answer(PROVEN)


def no(state: str, message: str, node: ir.Node | None = None, risk: str = "") -> Answer:
    return Answer(state, (Evidence(message, node.place if node is not None else None),), risk)


def obligation(name: str, risk: str, answer: Answer) -> Obligation:
    return Obligation(name, answer.state, answer.risk or risk, answer.evidence)


def text(node: ir.Node | None) -> str:
    if isinstance(node, ir.Call):
        return (ir.dotted(node.function_expression) or node.method or "a call") + "(...)"
    return "it"
