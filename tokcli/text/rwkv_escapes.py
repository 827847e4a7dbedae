"""The escapes in RWKV token texts (llama_unescape_rwkv_token in llama.cpp)."""

from __future__ import annotations

__all__ = ["unescape"]

_NAMED = {b"t": b"\t", b"n": b"\n", b"r": b"\r"}


def unescape(text: bytes) -> bytes:
    """The bytes that an escaped token text stands for: \\t, \\n, \\r, \\xhh, and any other byte
    after a backslash as itself. An escape cut short at the end stands for nothing."""
    if b"\\" not in text:
        return text
    result = []
    end = 0
    while (start := text.find(b"\\", end)) >= 0:
        result.append(text[end:start])
        kind = text[start + 1 : start + 2]
        if kind == b"x":
            digits = text[start + 2 : start + 4]
            end = start + 4
            if len(digits) == 2:
                result.append(bytes((((_digit(digits[0]) << 4) + _digit(digits[1])) & 0xFF,)))
        else:
            end = start + 2
            result.append(_NAMED.get(kind, kind))
    result.append(text[end:])
    return b"".join(result)


def _digit(byte: int) -> int:
    """A hex digit's value, by the reference's arithmetic for other bytes too."""
    signed = byte - 256 if byte > 127 else byte
    return (signed - ord("a") + 10 if signed >= ord("a") else signed - ord("0")) & 0xFF
