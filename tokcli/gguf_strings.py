"""Arrays of strings as they lie in a GGUF file: each behind its length, of eight bytes.

Most of the merges of a vocabulary (Gemma 4 has 515,000) are never asked for, and making a string of
each takes longer than everything else that a short prompt needs. So the array is walked by a regex,
which is several times as fast as a loop, and the strings are made when they are asked for. That is
for strings of 1 to 65,535 bytes without a NUL, as all are in real vocabularies: then six NULs in a
row are never anything but the end of a length.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import overload

__all__ = ["STRING_ARRAY", "Strings", "end_of_strings", "read_strings"]

# Strings that are longer than that, but not too long, are walked one by one.
LONGEST_IN_RUN = 40
# So many strings are walked at a time: the regex takes memory for each.
RUN = 1000
LONGEST = (1 << 16) - 1
LENGTH = struct.Struct("<Q")


def end_of_strings(data: bytes, start: int, count: int) -> int | None:
    """Where in `data` the last of `count` strings ends, of which the first lies at byte `start`;
    None where one is empty, longer than LONGEST, or holds a NUL.

    A place beyond `data` is where the first string or length ends that is not all there.
    """
    unpack_from = LENGTH.unpack_from
    while count:
        if count >= RUN:
            walked = _run_of_strings().match(data, start)
            if walked and walked.end() > start:
                # The length of each of these strings is one byte and seven NULs.
                count -= data.count(b"\0", start, walked.end()) // 7
                start = walked.end()
                continue
        if start + LENGTH.size > len(data):
            return start + LENGTH.size
        (length,) = unpack_from(data, start)
        start += LENGTH.size
        if not 0 < length <= LONGEST or data.find(b"\0", start, start + length) >= 0:
            return None
        start += length
        if start > len(data):
            break
        count -= 1
    return start


def read_strings(
    data: bytes, start: int, count: int, length: struct.Struct = LENGTH
) -> tuple[list[bytes], int]:
    """`count` strings, of which the first lies at byte `start` of `data`, and where they end.
    `length` is how lengths are written.

    A place beyond `data` is where one that is not all there ends at least: then these are the
    strings as far as their lengths are there.
    """
    unpack_from = length.unpack_from
    items: list[bytes] = []
    append = items.append
    try:
        # The hot loop of loading: 262,144 tokens pass here, so lengths are checked after.
        for _ in range(count):
            (size,) = unpack_from(data, start)
            start += 8
            end = start + size
            append(data[start:end])
            start = end
    except (struct.error, OverflowError):
        start = max(start, len(data) + 1)
    return items, start


@cache
def _run_of_strings() -> re.Pattern[bytes]:
    string = rb"%s\0\0\0\0\0\0\0[^\0]{%d}"
    sizes = range(1, LONGEST_IN_RUN + 1)
    strings = b"|".join(string % (re.escape(bytes((size,))), size) for size in sizes)
    return re.compile(b"(?:%s){0,%d}" % (strings, RUN))


class Strings(Sequence[bytes]):
    """`count` strings, of which end_of_strings has found that they are all of `block`: the array
    as it is in the file, behind its length. Like a list, it has no hash."""

    def __init__(self, block: bytes, count: int) -> None:
        self.block = block
        self._count = count

    @cached_property
    def _items(self) -> list[bytes]:
        items, _ = read_strings(self.block, 0, self._count)
        return items

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._items)

    def __reversed__(self) -> Iterator[bytes]:
        return reversed(self._items)

    @overload
    def __getitem__(self, index: int) -> bytes: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[bytes]: ...

    def __getitem__(self, index: int | slice) -> bytes | Sequence[bytes]:
        return self._items[index]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Strings):
            return self.block == other.block
        return self._items == other

    def made_of(self, alphabet: bytes) -> list[bytes]:
        """Those that have no bytes but these, in order; no string is made of the others."""
        letters = bytes(set(alphabet) - {0})
        if not letters:
            return []
        # A string ends where the length of the next one begins, if there is any: it has one byte
        # that is not NUL, two, or one behind a NUL, and then NULs.
        return re.findall(
            rb"\0\0\0\0\0\0([%s]+)"
            rb"(?=[^\0](?:\0\0\0\0\0\0\0|[^\0]\0{6}[^\0])|\0[^\0]\0{6}|\Z)" % re.escape(letters),
            self.block,
        )


# What the value of an array of strings is an instance of.
STRING_ARRAY = (list, Strings)
