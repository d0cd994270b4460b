"""Writes a changed file whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile


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
