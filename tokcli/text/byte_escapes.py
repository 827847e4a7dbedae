r"""Bytes in one line of text and back: how TSV and tables write tokens.

A backslash, tab, line feed and carriage return are `\\`, `\t`, `\n` and `\r`. Each byte of other
control characters, of invisible ones that end lines or turn the direction of writing, and of what
is not well-formed UTF-8, is `\xHH`. All else stands for itself, so `printf %b` in a shell and
`unescape` give the bytes back.
"""

from __future__ import annotations

import re
from functools import cache

__all__ = ["SPECIAL_CHARACTERS", "escape", "unescape"]

_NAMED = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
# Controls, invisible and direction-turning characters, separators, tags, and stray bytes.
SPECIAL_CHARACTERS = (
    "\\x00-\\x1f\\x7f-\\x9f\\xad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f"
    "\\ufeff\\ufff9-\\ufffb\\U000e0000-\\U000e007f"
)
_ESCAPE = re.compile(rb"\\(?:x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_PLAIN = {b"\\": b"\\", b"t": b"\t", b"n": b"\n", b"r": b"\r"}


def escape(data: bytes) -> str:
    r"""`data` as one line of text without control characters.

    >>> print(escape(b"a\tb\xff"))
    a\tb\xff
    """
    text = data.decode("utf-8", "surrogateescape")
    if text.isprintable() and "\\" not in text:
        return text
    return _special().sub(_escape_char, text)


@cache
def _special() -> re.Pattern[str]:
    return re.compile(rf"[\\{SPECIAL_CHARACTERS}\udc80-\udcff]")


def _escape_char(match: re.Match[str]) -> str:
    char = match[0]
    named = _NAMED.get(char)
    if named is not None:
        return named
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape"))


def unescape(text: str) -> bytes:
    r"""The bytes that `text` was escaped from.

    >>> unescape(r"a\tb\xff")
    b'a\tb\xff'
    """
    return _ESCAPE.sub(_unescape, text.encode("utf-8", "surrogateescape"))


def _unescape(match: re.Match[bytes]) -> bytes:
    if match[1] is not None:
        return bytes((int(match[1], 16),))
    return _PLAIN.get(match[2], match[0])
