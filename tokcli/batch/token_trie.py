"""Which tokens start at many places of a text at once, with numpy.

The tokens lie in a trie whose edges are the entries of one hash table: a node is the slot of the
edge that leads to it. All places go down the trie together, so the cost of a
step in Python is shared by all of them. Importing numpy and laying out the trie takes as long as
tokenizing some thousands of words one by one: it pays for long text alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokcli.batch.hash_table import ABSENT, HashTable
from tokcli.vocab import TokenId

__all__ = ["NO_ID", "STOP", "Codes", "Ids", "Places", "TokenTrie"]

Codes = NDArray[np.integer[Any]]
Ids = NDArray[np.int32]
Places = NDArray[np.int64]

NO_ID: TokenId = -1
# Ends a text: no character, nor byte, has this code.
STOP = 0x110000
CODE_BITS = 21


class TokenTrie:
    """Tokens by their codes, which are all characters or all bytes: `sizes[n]` of `codes` make up
    the next token, at least one, and its id is `ids[n]`. No two tokens are the same."""

    def __init__(self, codes: Codes, sizes: Places, ids: Ids) -> None:
        self._edges = HashTable(codes.size)
        n_slots = self._edges.n_slots
        # The longest token on the way to each node. The last entry, which is the one at ABSENT, is
        # for where there is no node.
        self._ids = np.full(n_slots + 1, NO_ID, np.int32)
        self._sizes = np.zeros(n_slots + 1, np.int32)
        self._goes_on = np.zeros(n_slots + 1, np.bool_)
        starts = np.cumsum(sizes) - sizes
        first, first_of = np.unique(codes[starts], return_inverse=True)
        # No slot has the number of the node at the top.
        roots = self._edges.insert(_keys(np.full(first.size, n_slots), first))
        self._roots = np.full(STOP + 1, ABSENT, np.int64)
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
            nodes = self._edges.insert(_keys(parents, codes[starts + length]))
            self._ids[nodes] = self._ids[parents]
            self._sizes[nodes] = self._sizes[parents]
            length += 1

    def matches(self, codes: Codes, stride: int) -> Iterator[tuple[int, Places, Ids]]:
        """For each length from 1 on, the places at which tokens of this length start, in ascending
        order, and their ids. The codes of a text lie `stride` apart, and a STOP ends it."""
        nodes = self._roots.take(codes)
        places = np.flatnonzero(nodes != ABSENT)
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

    def _find(self, keys: Places) -> tuple[Places, Places]:
        """The indices of those edges that are there, and the nodes that they lead to."""
        nodes = self._edges.find(keys)
        found = np.flatnonzero(nodes != ABSENT)
        return found, nodes.take(found)


def _keys(nodes: Places, codes: Codes) -> Places:
    keys: Places = nodes << CODE_BITS | codes
    return keys
