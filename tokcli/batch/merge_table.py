"""The merges of a vocabulary as numbers, and words merged by them, with numpy.

Each word comes to what merge_symbols makes of it: while it has neighbours that merge, the pair with
the lowest rank is joined, the leftmost among equals. A round does that to all words at once, so the
cost of a step in Python is shared by all of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tokcli.batch.hash_table import HashTable

__all__ = ["LONGEST", "MOST_RANKS", "NOTHING", "MergeTable", "Numbers", "Places"]

Numbers = NDArray[np.int32]
Places = NDArray[np.int64]

# A key is a rank and a place in a word, in 31 bits together.
PLACE_BITS = 8
PLACES = (1 << PLACE_BITS) - 1
MOST_RANKS = (1 << 31 - PLACE_BITS) - 1
NO_MERGE = MOST_RANKS << PLACE_BITS
# Symbols in a word: its two edges have places too.
LONGEST = (1 << PLACE_BITS) - 2
# The number of what is no symbol: the edges of a word, and symbols that were joined to others.
NOTHING = 0


class MergeTable:
    """Pairs of symbols and what they merge into, all as numbers from 1 on. Ranks are less than
    MOST_RANKS; of a pair that is there twice, the first counts."""

    def __init__(self, lefts: Numbers, rights: Numbers, results: Numbers, ranks: Numbers) -> None:
        keys = _keys(lefts, rights)
        self._pairs = HashTable(keys.size)
        slots = self._pairs.insert(keys)
        # For where no pair is, the last entry, which is the one at ABSENT: it stands for no merge.
        self._merges = np.full(self._pairs.n_slots + 1, -1, np.int32)
        # Of what is written to one place the last stays: the first of the merges.
        self._merges[slots[::-1]] = np.arange(keys.size, dtype=np.int32)[::-1]
        # What no merge makes, and its rank, come last too.
        self._results = np.append(results, np.int32(NOTHING))
        self._ranks = np.append(ranks, np.int32(MOST_RANKS))

    def find(self, lefts: Numbers, rights: Numbers) -> Numbers:
        """The merge of each pair, or -1."""
        found: Numbers = self._merges.take(self._pairs.find(_keys(lefts, rights)))
        return found

    def ranked(self, merges: Numbers, places: Numbers) -> Numbers:
        """Keys that order merges by rank, then by place: both parts can be had from the key."""
        keys: Numbers = self._ranks[merges] << PLACE_BITS | places
        return keys

    def results(self, merges: Numbers) -> Numbers:
        """What these merges make."""
        found: Numbers = self._results[merges]
        return found

    def merge(
        self, symbols: Numbers, merges: Numbers, sizes: Places, longest: int
    ) -> tuple[Numbers, Places]:
        """The final symbols of words that have `sizes` symbols each, `longest` at most, and how
        many each word has. `merges` has that of each symbol with the next one, whatever words they
        are in."""
        return _Rounds(self, symbols, merges, sizes, longest + 2).run()


class _Rounds:
    """The state of words that are being merged: matrices with a column for each word and a row for
    each place in it, an edge on either side, kept flat."""

    def __init__(
        self, table: MergeTable, symbols: Numbers, merges: Numbers, sizes: Places, n_rows: int
    ) -> None:
        self._table = table
        self._width = width = sizes.size
        self._shape = (n_rows, width)
        starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
        words = np.repeat(np.arange(width), sizes)
        rows = np.arange(1, symbols.size + 1) - starts
        cells = rows * width + words
        self._symbols = np.full(n_rows * width, NOTHING, np.int32)
        self._symbols[cells] = symbols
        # The merge of each symbol with the next one, and the rows of its neighbours.
        self._merges = np.full(n_rows * width, -1, np.int32)
        self._next = np.repeat(np.arange(1, n_rows + 1, dtype=np.int32), width)
        self._previous = np.repeat(np.arange(-1, n_rows - 1, dtype=np.int32), width)
        self._keys = np.full(n_rows * width, NO_MERGE, np.int32)
        merges[words[:-1] != words[1:]] = -1
        self._merges[cells[:-1]] = merges
        self._keys[cells[:-1]] = table.ranked(merges, rows[:-1].astype(np.int32))

    def run(self) -> tuple[Numbers, Places]:
        """Merge until nothing does; the symbols left of all words, and how many each has."""
        keys = self._keys
        active = np.arange(self._width)
        while True:
            best = keys.reshape(self._shape[0], -1).min(axis=0)
            merging = np.flatnonzero(best < NO_MERGE)
            if not merging.size:
                break
            if merging.size < 0.75 * active.size:
                keys = keys.reshape(self._shape[0], -1)[:, merging].ravel()
                active, best = active[merging], best[merging]
                merging = np.arange(active.size)
            elif merging.size < active.size:
                best = best[merging]
            self._round(keys, active.size, merging, active[merging], best)
        symbols = self._symbols.reshape(self._shape).T
        there = symbols != NOTHING
        return symbols[there], there.sum(axis=1)

    def _round(
        self, keys: Numbers, width: int, columns: Places, words: Places, best: Numbers
    ) -> None:
        """Make the merges `best`, one in each of `words`: the `columns` of `keys`, which has
        `width` of them, are those of words that were not long done."""
        symbols, all_words = self._symbols, self._width
        row = best & PLACES
        here = row * all_words + words
        next_row = self._next[here]
        there = next_row * all_words + words
        after_row = self._next[there]
        after = after_row * all_words + words
        before_row = self._previous[here]
        before = before_row * all_words + words
        merged = self._table.results(self._merges[here])
        symbols[here] = merged
        symbols[there] = NOTHING
        self._next[here] = after_row
        self._previous[after] = row
        merges = self._table.find(
            np.concatenate((merged, symbols[before])), np.concatenate((symbols[after], merged))
        )
        self._merges[np.concatenate((here, before))] = merges
        rows = np.concatenate((row, before_row))
        keys[next_row * width + columns] = NO_MERGE
        keys[rows * width + np.concatenate((columns, columns))] = self._table.ranked(merges, rows)


def _keys(lefts: Numbers, rights: Numbers) -> Places:
    return lefts.astype(np.int64) << 32 | rights
