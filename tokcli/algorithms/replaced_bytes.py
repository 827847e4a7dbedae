"""Says while tracing which bytes became U+FFFD, for the types that decode UTF-8 first."""

from __future__ import annotations

from tokcli import events
from tokcli.text.unicode import REPLACEMENT, encode, ill_formed

__all__ = ["trace_replaced_bytes"]


def trace_replaced_bytes(data: bytes, text: str, trace: events.TraceSink) -> None:
    """Report the bytes of `data` that `text`, decode(data), has U+FFFD for; nothing if there are
    none."""
    changes = tuple(events.Change(place, place + 1, REPLACEMENT) for place in ill_formed(data))
    if changes:
        trace(events.TextPrepared("replaced_bytes", data, encode(text), changes))
