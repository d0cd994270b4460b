"""From operations to minimal text edits. Everything outside of them stays as it is, to the byte.

The syntax layer says where things are; the edits are made on the text. An operation that touches the text of an earlier
one is refused and never half applied.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..records import record
from ..syntax import Tree
from .arguments import argument_changes
from .changes import Change, Refused, as_edits, overlap
from .expressions import replaced, without_method, wrapped
from .operations import (
    Edit,
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
from .statements import exchanged, imported, moved


@record(frozen=True, slots=True)
class Rendered:
    """The edits in the order of the text, and the operations that could not be made, each with the reason."""

    edits: tuple[Edit, ...]
    refused: tuple[tuple[Operation, str], ...] = ()


def render(tree: Tree, operations: Sequence[Operation]) -> Rendered:
    """The text edits for operations on one file. All on one call are made together, in the order given.

    Several on one place compose where their ranges don't overlap; where they do, the later operation is refused.
    """
    changes: list[Change] = []
    refused: list[tuple[Operation, str]] = []
    for group in _grouped(operations):
        made, problems = _changes(tree, group)
        refused += problems
        if any(overlap(new, old) for new in made for old in changes):
            failed = {operation for operation, _ in problems}
            refused += [(one, "it overlaps with an earlier change") for one in group if one not in failed]
            continue
        changes += made
    return Rendered(as_edits(tree.source, changes), tuple(refused))


def _grouped(operations: Sequence[Operation]) -> list[list[Operation]]:
    """The operations without repetitions, those on the arguments of one call together."""
    groups: dict[object, list[Operation]] = {}
    for operation in dict.fromkeys(operations):
        key = operation.call if isinstance(operation, (SetArgument, RemoveArgument)) else operation
        groups.setdefault(key, []).append(operation)
    return list(groups.values())


def _changes(tree: Tree, group: list[Operation]) -> tuple[list[Change], list[tuple[Operation, str]]]:
    on_arguments = [operation for operation in group if isinstance(operation, (SetArgument, RemoveArgument))]
    if on_arguments:
        return argument_changes(tree, on_arguments)
    try:
        return _single(tree, group[0]), []
    except Refused as problem:
        return [], [(group[0], str(problem))]


def _single(tree: Tree, operation: Operation) -> list[Change]:
    match operation:
        case ReplaceExpression():
            return replaced(tree, operation)
        case ReplaceMethod():
            return without_method(tree, operation)
        case Wrap():
            return wrapped(tree, operation)
        case EnsureImport():
            return imported(tree, operation)
        case MoveStatement():
            return moved(tree, operation)
        case ReplaceStatement():
            return exchanged(tree, operation)
    raise TypeError(f"{operation} is grouped by its call")
