"""What goes to stderr: one line each, made safe for terminals."""

from __future__ import annotations

import sys

from tokcli.render.terminal import visible

__all__ = ["report"]


def report(kind: str, message: str) -> None:
    """Print "tokcli: KIND: MESSAGE" on stderr; kinds: "error", "warning", "note"."""
    if sys.stderr is not None:
        print(f"tokcli: {kind}: {visible(message)}", file=sys.stderr, flush=True)
