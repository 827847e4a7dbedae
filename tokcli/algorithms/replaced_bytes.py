"""Says while tracing which bytes became U+FFFD, for the types that decode UTF-8 first."""

from __future__ import annotations

from itertools import pairwise

from tokcli.text.unicode import REPLACEMENT, byte_offsets, encode
from tokcli.trace import Change, TextPrepared, TraceSink

__all__ = ["trace_replaced_bytes"]


def trace_replaced_bytes(data: bytes, text: str, trace: TraceSink) -> None:
    """Report the bytes of `data` that `text`, decode(data), has U+FFFD for; nothing if there are
    none."""
    after = encode(text)
    if after == data:
        return
    spans = pairwise(byte_offsets(data))
    changes = tuple(
        Change(start, end, REPLACEMENT)
        for char, (start, end) in zip(text, spans, strict=True)
        if char == "\ufffd" and end == start + 1
    )
    trace(TextPrepared("replaced_bytes", data, after, changes))
