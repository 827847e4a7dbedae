"""GPT-2's byte alphabet: 256 printable characters that stand for the 256 bytes.

Printable Latin-1 characters stand for themselves; the other 68 bytes take U+0100, U+0101, ... in
order (so space is U+0120 'Ġ' and line feed U+010A 'Ċ').
Source: bytes_to_unicode in OpenAI's GPT-2 encoder; unicode_byte_to_utf8 in llama.cpp.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from itertools import accumulate, pairwise

from tokcli.text.unicode import NO_UTF8, encode_each

__all__ = [
    "BYTE_TO_CHAR",
    "BYTE_TO_UTF8",
    "CHAR_TO_BYTE",
    "read_from_alphabet",
    "write_in_alphabet",
]


def _alphabet() -> str:
    chars = []
    moved = 0
    for byte in range(256):
        if 0x21 <= byte <= 0x7E or 0xA1 <= byte <= 0xAC or byte >= 0xAE:
            chars.append(chr(byte))
        else:
            chars.append(chr(256 + moved))
            moved += 1
    return "".join(chars)


BYTE_TO_CHAR: str = _alphabet()
BYTE_TO_UTF8: tuple[bytes, ...] = tuple(char.encode() for char in BYTE_TO_CHAR)
CHAR_TO_BYTE: dict[str, int] = {char: byte for byte, char in enumerate(BYTE_TO_CHAR)}


def write_in_alphabet(texts: Sequence[str]) -> list[bytes]:
    """The UTF-8 bytes of each of `texts`, of which there is one at least, written in the alphabet,
    in UTF-8 again."""
    written, _ = codecs.charmap_decode(NO_UTF8.join(encode_each(texts)), "strict", BYTE_TO_CHAR)
    return written.encode().split(BYTE_TO_UTF8[NO_UTF8[0]])


def read_from_alphabet(texts: Sequence[bytes]) -> list[bytes]:
    """The bytes that the characters of each of `texts`, in UTF-8, stand for; there is one text at
    least.

    Raises UnicodeError if a text has other characters or is ill-formed.
    """
    # What may be a line feed is written U+010A.
    words = b"\n".join(texts).decode().split("\n")
    data, _ = codecs.charmap_encode("".join(words), "strict", _TO_BYTES)
    if len(words) != len(texts):
        raise UnicodeError("a text holds a line feed, which is not of the alphabet")
    return [data[start:end] for start, end in pairwise(accumulate(map(len, words), initial=0))]


_TO_BYTES = codecs.charmap_build(BYTE_TO_CHAR)
