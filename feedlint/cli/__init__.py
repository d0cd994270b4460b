"""The command line. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

USAGE_ERROR = 2
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run feedlint with these arguments (those of the process by default) and return the exit status."""
    before = gc.get_threshold()
    # A run makes many objects that stay and few cycles that go: the usual 700 would have the collector look at all of
    # them again and again.
    gc.set_threshold(50_000, *before[1:])
    try:
        from .commands import run

        return run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough; the interpreter must not complain about it at its end.
        from .terminal import discard_output

        discard_output()
        return 0
    finally:
        gc.set_threshold(*before)
