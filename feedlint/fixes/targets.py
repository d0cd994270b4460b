"""Which file an operation changes."""

from __future__ import annotations

from .operations import EnsureImport, MoveStatement, Operation, RemoveArgument, SetArgument


def path_of(operation: Operation) -> str:
    """The absolute path of the file that the operation edits."""
    if isinstance(operation, EnsureImport):
        return operation.path
    if isinstance(operation, (SetArgument, RemoveArgument)):
        return operation.call.path
    if isinstance(operation, MoveStatement):
        return operation.statement.path
    place = operation.expression if hasattr(operation, "expression") else operation.call
    return place.path
