"""Which tokens start at many places of a text at once, with numpy.

The tokens lie in a trie whose edges are the entries of one hash table with open addressing: a node
is the slot of the edge that leads to it. All places go down the trie together, so the cost of a
step in Python is shared by all of them. Importing numpy and laying out the trie takes as long as
tokenizing some thousands of words one by one: it pays for long text alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokcli.vocab import TokenId

__all__ = ["NO_ID", "STOP", "Codes", "Ids", "Places", "TokenTrie"]

Codes = NDArray[np.integer[Any]]
Ids = NDArray[np.int32]
Places = NDArray[np.int64]

NO_ID: TokenId = -1
# Ends a text: no character, nor byte, has this code.
STOP = 0x110000
CODE_BITS = 21
FREE = -1
GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)


class TokenTrie:
    """Tokens by their codes, which are all characters or all bytes: `sizes[n]` of `codes` make up
    the next token, at least one, and its id is `ids[n]`. No two tokens are the same."""

    def __init__(self, codes: Codes, sizes: Places, ids: Ids) -> None:
        # At most two thirds of the slots are taken, and mostly far less: tokens share edges.
        bits = max(1, (codes.size + codes.size // 2).bit_length())
        n_slots = 1 << bits
        self._shift = np.uint64(64 - bits)
        self._mask = n_slots - 1
        self._keys = np.full(n_slots, FREE, np.int64)
        # The longest token on the way to each node. The last entry, which is the one at FREE, is
        # for where there is no node.
        self._ids = np.full(n_slots + 1, NO_ID, np.int32)
        self._sizes = np.zeros(n_slots + 1, np.int32)
        self._goes_on = np.zeros(n_slots + 1, np.bool_)
        starts = np.cumsum(sizes) - sizes
        first, first_of = np.unique(codes[starts], return_inverse=True)
        # No slot has the number of the node at the top.
        roots = self._insert(_keys(np.full(first.size, n_slots), first))
        self._roots = np.full(STOP + 1, FREE, np.int64)
        self._roots[first] = roots
        nodes = roots[first_of]
        length = 1
        while True:
            ends = np.flatnonzero(sizes == length)
            self._ids[nodes[ends]] = ids[ends]
            self._sizes[nodes[ends]] = length
            longer = np.flatnonzero(sizes > length)
            if not longer.size:
                break
            starts, sizes, ids, parents = starts[longer], sizes[longer], ids[longer], nodes[longer]
            self._goes_on[parents] = True
            nodes = self._insert(_keys(parents, codes[starts + length]))
            self._ids[nodes] = self._ids[parents]
            self._sizes[nodes] = self._sizes[parents]
            length += 1

    def matches(self, codes: Codes, stride: int) -> Iterator[tuple[int, Places, Ids]]:
        """For each length from 1 on, the places at which tokens of this length start, in ascending
        order, and their ids. The codes of a text lie `stride` apart, and a STOP ends it."""
        nodes = self._roots.take(codes)
        places = np.flatnonzero(nodes != FREE)
        nodes = nodes.take(places)
        length = 1
        while places.size:
            hits = np.flatnonzero(self._sizes.take(nodes) == length)
            yield length, places.take(hits), self._ids.take(nodes.take(hits))
            on = np.flatnonzero(self._goes_on.take(nodes))
            places = places.take(on)
            found, nodes = self._find(_keys(nodes.take(on), codes.take(places + length * stride)))
            places = places.take(found)
            length += 1

    def longest(self, codes: Codes, places: Places) -> tuple[Ids, Ids]:
        """The ids and the lengths of the longest tokens at these places: NO_ID and 0 where there is
        none. A STOP ends the text."""
        nodes = self._roots.take(codes.take(places))
        last_nodes = nodes.copy()
        on = np.flatnonzero(self._goes_on.take(nodes))
        which = on
        length = 1
        while which.size:
            found, nodes = self._find(
                _keys(nodes.take(on), codes.take(places.take(which) + length))
            )
            which = which.take(found)
            last_nodes[which] = nodes
            on = np.flatnonzero(self._goes_on.take(nodes))
            which = which.take(on)
            length += 1
        return self._ids.take(last_nodes), self._sizes.take(last_nodes)

    def _slots(self, keys: Places) -> Places:
        slots: Places = (keys.view(np.uint64) * GOLDEN_RATIO >> self._shift).view(np.int64)
        return slots

    def _insert(self, keys: Places) -> Places:
        """The slots of these keys, which may occur several times."""
        slots = self._slots(keys)
        left = np.arange(keys.size)
        while left.size:
            tried, wanted = slots[left], keys[left]
            free = np.flatnonzero(self._keys[tried] == FREE)
            self._keys[tried[free]] = wanted[free]
            left = left[self._keys[tried] != wanted]
            slots[left] = slots[left] + 1 & self._mask
        return slots

    def _find(self, keys: Places) -> tuple[Places, Places]:
        """The indices of those keys that are there, and their slots."""
        slots = self._slots(keys)
        there = self._keys.take(slots)
        hit = there == keys
        left = np.flatnonzero(~hit)
        left = left.take(np.flatnonzero(there.take(left) != FREE))
        while left.size:
            tried, wanted = slots[left] + 1 & self._mask, keys[left]
            slots[left] = tried
            there = self._keys[tried]
            hit[left] = there == wanted
            left = left[(there != wanted) & (there != FREE)]
        found = np.flatnonzero(hit)
        return found, slots.take(found)


def _keys(nodes: Places, codes: Codes) -> Places:
    keys: Places = nodes << CODE_BITS | codes
    return keys
