"""What goes to stderr: one line each, made safe for terminals."""

from __future__ import annotations

import sys
from contextlib import suppress

from tokcli.render.terminal import visible

__all__ = ["report", "report_warning"]


def report(kind: str, message: str) -> None:
    """Print "tokcli: KIND: MESSAGE" on stderr; kinds: "error", "warning", "note"."""
    if sys.stderr is not None:
        # What was printed before stands before it, where both streams go to one place.
        with suppress(OSError, ValueError, AttributeError):
            sys.stdout.flush()
        print(f"tokcli: {kind}: {visible(message)}", file=sys.stderr, flush=True)


def report_warning(message: str) -> None:
    """Print "tokcli: warning: MESSAGE" on stderr."""
    report("warning", message)
