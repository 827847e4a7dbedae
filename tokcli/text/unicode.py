"""Text as llama.cpp sees it: bytes to code points and back.

llama.cpp decodes UTF-8 byte by byte where it is ill-formed: each byte that starts no well-formed
sequence becomes U+FFFD by itself. Surrogates (ED A0..BF xx) are let through.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence

__all__ = [
    "ESCAPED_BYTES", "METASPACE", "NO_UTF8", "REPLACEMENT", "SIZES_BY_LEAD", "byte_offsets",
    "decode", "decode_symbols", "encode", "encode_each", "first_ill_formed", "ill_formed",
    "sequence_length", "to_bytes",
]  # fmt: skip

# How many bytes a sequence takes by the upper half of its first byte (unicode_len_utf8).
SIZES_BY_LEAD = (1,) * 12 + (2, 2, 3, 4)
# Surrogates from here on stand for the bytes of ill-formed text.
ESCAPED_BYTES = 0xDC00
# A byte that no UTF-8 holds.
NO_UTF8 = b"\xff"
# What stands for a space, and for bytes that are not UTF-8.
METASPACE = "\u2581".encode()
REPLACEMENT = "\ufffd".encode()


def _replace_bytewise(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    data, start = error.object, error.start
    if (
        data[start] == 0xED
        and len(data) >= start + 3
        and 0xA0 <= data[start + 1] <= 0xBF
        and 0x80 <= data[start + 2] <= 0xBF
    ):
        return chr(0xD000 | (data[start + 1] & 0x3F) << 6 | data[start + 2] & 0x3F), start + 3
    return "\ufffd", start + 1


def _escaped_bytes(error: UnicodeError) -> tuple[bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    code_point = ord(error.object[error.start])
    if 0xDC80 <= code_point <= 0xDCFF:
        return bytes((code_point & 0xFF,)), error.start + 1
    return chr(code_point).encode("utf-8", "surrogatepass"), error.start + 1


def _escape_symbol(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    start = error.start
    symbol = error.object[start : start + SIZES_BY_LEAD[error.object[start] >> 4]]
    return "".join(chr(ESCAPED_BYTES + byte) for byte in symbol), start + len(symbol)


codecs.register_error("tokcli.bytewise", _replace_bytewise)
codecs.register_error("tokcli.symbols", _escape_symbol)
codecs.register_error("tokcli.escaped", _escaped_bytes)


def decode(data: bytes) -> str:
    """UTF-8 to text, each ill-formed byte as U+FFFD (unicode_cpts_from_utf8)."""
    return data.decode("utf-8", "tokcli.bytewise")


def decode_symbols(data: bytes) -> str:
    """UTF-8 to text; an ill-formed sequence is as long as its first byte calls for, and surrogates
    from ESCAPED_BYTES on stand for its bytes."""
    return data.decode("utf-8", "tokcli.symbols")


def encode(text: str) -> bytes:
    """Text to UTF-8; surrogates take three bytes (unicode_cpt_to_utf8)."""
    return text.encode("utf-8", "surrogatepass")


def encode_each(texts: Sequence[str]) -> list[bytes]:
    """encode() of many texts."""
    try:
        return list(map(str.encode, texts))
    except UnicodeEncodeError:
        return list(map(encode, texts))


def to_bytes(text: str | bytes) -> bytes:
    """The bytes that `text` stands for: surrogates U+DC80..DCFF (from os.fsdecode) are the bytes
    80..FF, other surrogates their three-byte form.

    Raises TypeError for what is neither text nor bytes.
    """
    if isinstance(text, str):
        return text.encode("utf-8", "tokcli.escaped")
    if isinstance(text, (bytes, bytearray, memoryview)):
        return bytes(text)
    raise TypeError(f"text must be str or bytes, not {type(text).__name__}")


def first_ill_formed(data: bytes) -> int | None:
    """Where the first byte lies that decode() replaces by U+FFFD, or None."""
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        return error.start
    return None


def ill_formed(data: bytes) -> Iterator[int]:
    """Where each byte lies that decode() replaces by U+FFFD, in order."""
    text = data.decode("utf-8", "surrogateescape")
    end = offset = 0
    for found in re.finditer(_SURROGATE_OR_ESCAPED, text):
        if found[1]:
            offset += len(text[end : found.start()].encode("utf-8", "surrogateescape"))
            yield offset
            end, offset = found.end(), offset + 1


# Of what "surrogateescape" leaves, the bytes of a surrogate are well-formed here.
_SURROGATE_OR_ESCAPED = "\udced[\udca0-\udcbf][\udc80-\udcbf]|([\udc80-\udcff])"


def byte_offsets(data: bytes, base: int = 0) -> list[int]:
    """Where each code point of decode(data) starts in `data`, and where the last one ends,
    counted from `base`."""
    offsets = []
    offset = 0
    while offset < len(data):
        offsets.append(base + offset)
        offset += sequence_length(data, offset) or 1
    offsets.append(base + offset)
    return offsets


def sequence_length(data: bytes, offset: int) -> int:
    """How many bytes the well-formed sequence at `offset` takes; 0 where there is none."""
    lead = data[offset]
    if lead < 0x80:
        return 1
    length = 2 if 0xC2 <= lead < 0xE0 else 3 if 0xE0 <= lead < 0xF0 else 4 if lead >= 0xF0 else 0
    if not length or len(data) < offset + length:
        return 0
    try:
        data[offset : offset + length].decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return 0
    return length
