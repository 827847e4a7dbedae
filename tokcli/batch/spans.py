"""Byte strings that are parts of one text, as arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokcli.gguf_strings import LENGTH, Strings

__all__ = ["Spans", "spans_of"]


class Spans(NamedTuple):
    """Byte strings that are parts of `text`: where each starts, and how many bytes it has."""

    text: bytes
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def some(self, which: NDArray[np.int64]) -> Spans:
        """Those that have these indices."""
        return Spans(self.text, self.starts.take(which), self.sizes.take(which))

    def strings(self) -> list[bytes]:
        """Each of them."""
        ends = self.starts + self.sizes
        text = self.text
        return [
            text[start:end] for start, end in zip(self.starts.tolist(), ends.tolist(), strict=True)
        ]


def spans_of(strings: Iterable[bytes]) -> Spans:
    """These byte strings, one after the other."""
    if isinstance(strings, Strings):
        return _spans_in_block(strings.block)
    strings = list(strings)
    sizes = np.fromiter(map(len, strings), np.int64, len(strings))
    return Spans(b"".join(strings), np.cumsum(sizes) - sizes, sizes)


def _spans_in_block(block: bytes) -> Spans:
    """The strings that lie in the block of Strings: of 1 to 65,535 bytes, and without a NUL."""
    raw = np.frombuffer(block, np.uint8)
    there = raw != 0
    starts = np.flatnonzero(there[1:] & ~there[:-1]) + 1
    # What follows the first byte of a length, where that is NUL, starts no string.
    starts = starts[(starts >= LENGTH.size) & (raw[starts - 2] == 0)]
    in_text = np.ones(raw.size, np.bool_)
    for back in range(1, LENGTH.size + 1):
        in_text[starts - back] = False
    text = raw[in_text].tobytes()
    starts -= LENGTH.size * np.arange(1, starts.size + 1)
    return Spans(text, starts, np.diff(starts, append=len(text)))
