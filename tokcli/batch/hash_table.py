"""Numbers found among others, many at a time: a hash table with open addressing."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

__all__ = ["ABSENT", "HashTable", "Keys"]

Keys = NDArray[np.int64]

# Keys from which on a sparse table is too large for the processor's caches.
MANY = 1 << 17
# Where a key is that is not there. As an index it is that of the last entry of an array.
ABSENT = -1


class HashTable:
    """Keys, none of them negative, and the slot of each: less than `n_slots`, and the same for
    good. There is room for `most` different keys."""

    def __init__(self, most: int) -> None:
        # At most a quarter of the slots are taken, or half of them.
        bits = max(8, ((4 if most < MANY else 2) * most).bit_length())
        self.n_slots = 1 << bits
        self._shift = np.uint64(64 - bits)
        self._mask = self.n_slots - 1
        # Of a multiplier that is not known no file can be made whose keys all meet.
        self._multiplier = np.uint64(int.from_bytes(os.urandom(8), "little") | 1)
        self._keys = np.full(self.n_slots, ABSENT, np.int64)

    def _first_slots(self, keys: Keys) -> Keys:
        slots: Keys = (keys.view(np.uint64) * self._multiplier >> self._shift).view(np.int64)
        return slots

    def insert(self, keys: Keys) -> Keys:
        """The slots of these keys, which may occur several times."""
        slots = self._first_slots(keys)
        left = np.arange(keys.size)
        while left.size:
            tried, wanted = slots[left], keys[left]
            free = np.flatnonzero(self._keys[tried] == ABSENT)
            # Of several that want a slot one gets it; the others go on.
            self._keys[tried[free]] = wanted[free]
            left = left[self._keys[tried] != wanted]
            slots[left] = slots[left] + 1 & self._mask
        return slots

    def find(self, keys: Keys) -> Keys:
        """The slots of these keys, ABSENT for those that are not there."""
        slots = self._first_slots(keys)
        there = self._keys.take(slots)
        left = np.flatnonzero(there != keys)
        there = there.take(left)
        while left.size:
            ended = there == ABSENT
            slots[left[ended]] = ABSENT
            left = left[~ended]
            tried = slots[left] + 1 & self._mask
            slots[left] = tried
            there = self._keys.take(tried)
            going = np.flatnonzero(there != keys[left])
            left, there = left.take(going), there.take(going)
        return slots
