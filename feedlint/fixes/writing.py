"""Writes a changed file whole or not at all, and files that belong together all or none."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Sequence
from typing import NamedTuple


class Change(NamedTuple):
    """The content of a file as it was read, and as it is to be."""

    path: str
    before: bytes
    after: bytes


class Failure(NamedTuple):
    """Which file could not be written, and why, in words."""

    path: str
    reason: str


def write_together(changes: Sequence[Change]) -> list[Failure]:
    """Write all these files. At the first failure those already written get their old content back.

    Without failures all of them were written, else none; a file that cannot be set back is a failure of its own.
    """
    for number, change in enumerate(changes):
        reason = write(*change)
        if reason is not None:
            undone = [(path, write(path, after, before)) for path, before, after in reversed(changes[:number])]
            lost = [Failure(path, f"it could not be set back: {problem}") for path, problem in undone if problem]
            return [Failure(change.path, reason), *lost]
    return []


def write(path: str, before: bytes, after: bytes) -> str | None:
    """Replace the content of a file. None if it was done, else the reason in words.

    Links are followed to what they mean; mode and owner stay; a file that changed since it was read is left alone. The
    new content is written beside it, readable by nobody else, and put in its place in one step.
    """
    target = os.path.realpath(path)
    try:
        with open(target, "rb") as file:
            status = os.fstat(file.fileno())
            if file.read() != before:
                return "it was changed meanwhile"
        if not os.access(target, os.W_OK):
            return "it is write-protected"
        _replace(target, after, status)
    except OSError as error:
        return f"it cannot be written: {error.strerror or error}"
    return None


def _replace(target: str, content: bytes, status: os.stat_result) -> None:
    handle, temporary = tempfile.mkstemp(prefix=".feedlint-", dir=os.path.dirname(target))
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        new = os.stat(temporary)
        if (new.st_uid, new.st_gid) != (status.st_uid, status.st_gid):
            os.chown(temporary, status.st_uid, status.st_gid)
        # After the owner, since a change of owner takes away special bits.
        os.chmod(temporary, stat.S_IMODE(status.st_mode))
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
