"""Text out of files, made fit for a line of a message."""

from __future__ import annotations

__all__ = ["visible"]


def visible(text: str) -> str:
    """`text` with control characters and lone surrogates written as escapes."""
    return "".join(
        c if c.isprintable() or c == " " else c.encode("unicode_escape").decode() for c in text
    )
