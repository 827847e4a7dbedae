"""Escape sequences in prompts (common.cpp: string_process_escapes in llama.cpp)."""

from __future__ import annotations

import re

__all__ = ["process_escapes"]

# \xHH is read by C's strtol, which takes a sign or a blank for the first of the two characters.
_SEQUENCE = re.compile(
    rb"""\\(?:([nrt'"\\])|x([0-9A-Fa-f]{2}|[-+ \t\n\v\f\r][0-9A-Fa-f])|.)""", re.DOTALL
)
_PLAIN = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"'": b"'", b'"': b'"', b"\\": b"\\"}


def process_escapes(data: bytes) -> tuple[bytes, int]:
    r"""`data` with its escape sequences replaced, and how many there were.

    Known: \n \r \t \' \" \\ and \xHH; any other backslash stays, with what follows it.

    >>> process_escapes(rb"a\nb\q")
    (b'a\nb\\q', 1)
    """
    if b"\\" not in data:
        return data, 0
    count = 0

    def replace(match: re.Match[bytes]) -> bytes:
        nonlocal count
        plain, digits = match.groups()
        if plain is None and digits is None:
            return match[0]
        count += 1
        return _PLAIN[plain] if digits is None else bytes((int(digits, 16) & 0xFF,))

    return _SEQUENCE.sub(replace, data), count
