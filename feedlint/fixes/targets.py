"""Which files the operations of a fix change."""

from __future__ import annotations

from collections.abc import Iterable

from .operations import (
    EnsureImport,
    MoveStatement,
    Operation,
    RemoveArgument,
    ReplaceMethod,
    ReplaceStatement,
    SetArgument,
)


def path_of(operation: Operation) -> str:
    """The absolute path of the file that the operation edits."""
    if isinstance(operation, EnsureImport):
        return operation.path
    if isinstance(operation, (SetArgument, RemoveArgument, ReplaceMethod)):
        return operation.call.path
    if isinstance(operation, (MoveStatement, ReplaceStatement)):
        return operation.statement.path
    return operation.expression.path


def by_path(operations: Iterable[Operation]) -> dict[str, list[Operation]]:
    """The operations of each file, in their order."""
    found: dict[str, list[Operation]] = {}
    for operation in operations:
        found.setdefault(path_of(operation), []).append(operation)
    return found
