"""The inputs: the user's text, natural text of any size made from it, and words of one megabyte."""

from __future__ import annotations

import base64
import gzip
import random
import re
from collections.abc import Iterator
from pathlib import Path

__all__ = ["WORDS", "natural", "read_text", "word"]

WORDS = ("a's", "spaces", "digits", "Chinese", "base64")


def read_text(path: str) -> bytes:
    """The bytes of a file, unpacked where its name ends in .gz."""
    data = Path(path).read_bytes()
    return gzip.decompress(data) if path.endswith(".gz") else data


def natural(text: bytes, size: int) -> bytes:
    """`size` bytes of lines from `text`, in another order each time around and with one letter in
    two hundred bytes another, so that ever new words come up."""
    pieces, total = [], 0
    for line in _lines(text.splitlines(keepends=True)):
        pieces.append(line)
        total += len(line)
        if total >= size:
            break
    return b"".join(pieces)[:size]


def _lines(lines: list[bytes]) -> Iterator[bytes]:
    source = random.Random(0)
    while True:
        source.shuffle(lines)
        for line in lines:
            place = source.randrange(200)
            if place < len(line) and 97 <= line[place] <= 122:
                yield line[:place] + bytes((source.randrange(97, 123),)) + line[place + 1 :]
            else:
                yield line


def word(kind: str, size: int, text: bytes) -> bytes:
    """`size` bytes of text in one word, of one of the kinds in WORDS; Chinese is what `text` has of
    it, or else random characters."""
    source = random.Random(0)
    if kind == "a's":
        return b"a" * size
    if kind == "spaces":
        return b" " * size
    if kind == "digits":
        return "".join(source.choices("0123456789", k=size)).encode()
    if kind == "base64":
        return base64.b64encode(source.randbytes(size))[:size]
    characters = re.findall("[\u4e00-\u9fff]", text.decode("utf-8", "replace"))
    if len(characters) < 100:
        characters = [chr(source.randrange(0x4E00, 0x9FA0)) for _ in range(10_000)]
    count = size // 3
    return "".join((characters * (1 + count // len(characters)))[:count]).encode()
