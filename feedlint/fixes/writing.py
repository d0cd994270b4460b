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
            if file.read() != before:
                return "it was changed meanwhile"
            status = os.fstat(file.fileno())
        handle, temporary = tempfile.mkstemp(prefix=".feedlint-", dir=os.path.dirname(target))
    except OSError as error:
        return f"it can't be written: {error.strerror}"
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(after)
        if not os.access(target, os.W_OK):
            raise PermissionError(13, "it is write-protected")
        with contextlib.suppress(OSError):  # only root may give a file away; the mode matters in any case
            os.chown(temporary, status.st_uid, status.st_gid)
        os.chmod(temporary, stat.S_IMODE(status.st_mode))
        os.replace(temporary, target)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        return f"it can't be written: {error.strerror}"
    return None
