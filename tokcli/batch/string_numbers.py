"""The numbers of byte strings, many looked up at a time: a short one is packed into two words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tokcli.batch.hash_table import HashTable, Keys
from tokcli.batch.spans import Spans, spans_of

__all__ = ["NOT_FOUND", "StringNumbers"]

NOT_FOUND = -1
# As many bytes as two words hold beside the size, which is the last of sixteen bytes.
LONGEST = 15
WORD = 8
MASKS = np.array([(1 << 8 * size) - 1 for size in range(WORD + 1)], np.uint64)
SIZE_SHIFT = np.uint64(56)
FIRST, SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


class StringNumbers:
    """The numbers of byte strings, none of them negative."""

    def __init__(self, numbers: dict[bytes, int]) -> None:
        self._number = numbers.get
        spans = spans_of(numbers)
        short = np.flatnonzero(spans.sizes <= LONGEST)
        first, second = _packed(spans.some(short))
        wanted = np.fromiter(numbers.values(), np.int32, len(numbers))[short]
        self._slots = HashTable(short.size)
        slots = self._slots.insert(_keys(first, second))
        # The last entry is the one at ABSENT.
        size = self._slots.n_slots + 1
        self._first, self._second = np.zeros(size, np.uint64), np.zeros(size, np.uint64)
        self._numbers = np.full(size, NOT_FOUND, np.int32)
        self._first[slots] = first
        self._second[slots] = second
        self._numbers[slots] = wanted
        # Of strings that share a key one alone is found by it.
        self._longest_found = LONGEST if (self._numbers[slots] == wanted).all() else -1

    def find(self, spans: Spans) -> NDArray[np.int32]:
        """The number of each string, NOT_FOUND for those that have none."""
        first, second = _packed(spans)
        slots = self._slots.find(_keys(first, second))
        same = self._first.take(slots) == first
        same &= self._second.take(slots) == second
        # The size in the second word is that modulo 256.
        same &= spans.sizes <= LONGEST
        found = np.where(same, self._numbers.take(slots), np.int32(NOT_FOUND))
        left = np.flatnonzero(~same & (spans.sizes > self._longest_found))
        numbers = [self._number(string, NOT_FOUND) for string in spans.some(left).strings()]
        found[left] = np.array(numbers, np.int32)
        return found


def _packed(spans: Spans) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The bytes of each string, with its size behind them; of long ones, anything."""
    # The eight bytes from every place on.
    words: NDArray[np.uint64] = np.ndarray(
        (len(spans.text) + WORD + 1,), "<u8", spans.text + bytes(2 * WORD), strides=(1,)
    )
    first = words[spans.starts] & MASKS[np.minimum(spans.sizes, WORD)]
    second = words[spans.starts + WORD] & MASKS[np.clip(spans.sizes - WORD, 0, LONGEST - WORD)]
    return first, second | spans.sizes.astype(np.uint64) << SIZE_SHIFT


def _keys(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> Keys:
    keys: Keys = ((first * FIRST ^ second * SECOND) >> np.uint64(1)).view(np.int64)
    return keys
