"""What goes to standard output and to standard error, and how it looks there."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import IO


def prepare_streams() -> None:
    """Let no file name or message fail on a stream that cannot encode it."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def discard_output() -> None:
    """Send what is still to be written to nowhere, after the reader has gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(nowhere, stream.fileno())


def write(text: str) -> None:
    """Findings and other results, to standard output. A reader that has gone is no error."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()


def write_bytes(data: bytes) -> None:
    """The text of a file as it is, to standard output."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        discard_output()


def write_aside(text: str) -> None:
    """Findings where standard output is taken by something else."""
    if text:
        say(text.removesuffix("\n"))


def say(message: str) -> None:
    """Everything that is no result, to standard error."""
    try:
        print(message, file=sys.stderr, flush=True)
    except BrokenPipeError:
        discard_output()


def is_terminal(stream: IO[str]) -> bool:
    """Whether a person looks at the stream on something that understands escape sequences."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def wants_colour(choice: str, stream: IO[str]) -> bool:
    """Whether to colour what goes to a stream: `choice` is auto, always or never; the environment may say, too."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return is_terminal(stream)


def width(stream: IO[str]) -> int:
    """Columns to use on a stream: those of the terminal within limits of good reading, else 100."""
    if not stream.isatty():
        return 100
    import shutil

    return max(60, min(140, shutil.get_terminal_size((100, 24)).columns))


def progress(total: int) -> tuple[Callable[[int], None] | None, Callable[[], None]]:
    """A count of files on standard error: what to call after each file, and at the end.

    Only at a terminal, and only when it takes longer than a second.
    """
    if not is_terminal(sys.stderr):
        return None, lambda: None
    begin = last = time.monotonic()
    shown = False

    def step(done: int) -> None:
        nonlocal last, shown
        now = time.monotonic()
        if now - begin > 1 and now - last > 0.1:
            last, shown = now, True
            sys.stderr.write(f"\r\x1b[K{done} of {total} files")
            sys.stderr.flush()

    def end() -> None:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    return step, end
