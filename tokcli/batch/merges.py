"""Merging the symbols of thousands of words together, with numpy.

Each word comes to what merge_symbols makes of it: while it has neighbours that merge, the pair with
the lowest rank is joined, the leftmost among equals. A round does that to all words at once, so the
cost of a step in Python is shared by all of them. Importing numpy and laying out the table of
merges takes as long as merging some thousands of words one by one: it pays for long text alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from operator import add
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokcli.unicode import encode
from tokcli.vocab import TokenId

__all__ = ["LONGEST", "MOST_MERGES", "MergeBatch", "Merges"]

Ids = tuple[TokenId, ...]
Numbers = NDArray[np.int32]
Places = NDArray[np.int64]

# A key is a rank and a place in a word, in 31 bits together.
PLACE_BITS = 8
MOST_MERGES = (1 << 31 - PLACE_BITS) - 1
PLACES = (1 << PLACE_BITS) - 1
NO_RANK = MOST_MERGES
NO_MERGE = NO_RANK << PLACE_BITS
# Symbols in a word: its two edges have places too.
LONGEST = (1 << PLACE_BITS) - 2
# Words are merged together with others that are not much shorter.
SIZES = (8, 16, 32, 64, LONGEST)
# The number of what is no symbol: the edges of a word, and symbols that were joined to others.
NOTHING = 0
FREE = -1
GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)


class Merges(NamedTuple):
    """The pairs that merge: pair n is `lefts[n]` and `rights[n]`, with rank `ranks[n]` of at most
    MOST_MERGES. Of a pair that is there twice, the first counts."""

    lefts: Sequence[bytes]
    rights: Sequence[bytes]
    ranks: Sequence[int]


class MergeBatch:
    """The merges of one vocabulary, and words into ids.

    A word starts as a symbol for each of its characters, or for each of its bytes: then
    `byte_symbols` names them. `symbol_ids` tells the ids of a final symbol that is no token.
    """

    def __init__(
        self,
        merges: Merges,
        token_to_id: dict[bytes, TokenId],
        symbol_ids: Callable[[bytes], Ids],
        byte_symbols: Sequence[bytes] | None,
    ) -> None:
        self._numbering = _Numbering(token_to_id, symbol_ids)
        number = self._numbering.of
        self._table = _Table(
            number(merges.lefts),
            number(merges.rights),
            number(map(add, merges.lefts, merges.rights)),
            np.asarray(merges.ranks, np.int32),
        )
        self._byte_numbers = None if byte_symbols is None else number(byte_symbols)

    def encode(self, words: Iterable[str]) -> Iterator[tuple[str, Ids]]:
        """Each word, none of them empty, and its ids; in any order. Words of more than LONGEST
        symbols are left out."""
        known = list(words)
        if self._byte_numbers is None:
            texts: Sequence[Sequence[Any]] = known
        else:
            texts = list(map(encode, known))
        sizes = np.fromiter(map(len, texts), np.int64, len(texts))
        order = np.argsort(sizes, kind="stable")
        sizes = sizes[order]
        order = order[: np.searchsorted(sizes, LONGEST, "right")]
        start = 0
        for size in SIZES:
            end = int(np.searchsorted(sizes, size, "right"))
            if start < end:
                group = order[start:end].tolist()
                symbols = self._symbols([texts[index] for index in group])
                merged = self._table.merge(symbols, sizes[start:end], size)
                found = self._numbering.ids(*merged)
                yield from zip(map(known.__getitem__, group), found, strict=True)
            start = end

    def _symbols(self, texts: list[Any]) -> Numbers:
        if self._byte_numbers is not None:
            return self._byte_numbers[np.frombuffer(b"".join(texts), np.uint8)]
        joined = "".join(texts)
        points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
        chars = sorted(set(joined))
        numbers = np.zeros(ord(chars[-1]) + 1, np.int32)
        numbers[list(map(ord, chars))] = self._numbering.of(map(encode, chars))
        return numbers[points]


class _Numbering:
    """Symbols as numbers: one more than the id of a token, higher numbers for other symbols."""

    def __init__(
        self, token_to_id: dict[bytes, TokenId], symbol_ids: Callable[[bytes], Ids]
    ) -> None:
        self._id = token_to_id.get
        self._first_other = 1 + max(token_to_id.values(), default=-1) + 1
        self._others: dict[bytes, int] = {}
        self._texts: list[bytes] = []
        self._lock = Lock()
        self._symbol_ids = symbol_ids

    def of(self, symbols: Iterable[bytes]) -> Numbers:
        """The numbers of these symbols."""
        symbols = list(symbols)
        ids = list(map(self._id, symbols))
        if None in ids:
            found = [
                self._other(symbol) - 1 if id is None else id
                for symbol, id in zip(symbols, ids, strict=True)
            ]
            return np.array(found, np.int32) + np.int32(1)
        return np.fromiter(ids, np.int32, len(ids)) + np.int32(1)

    def _other(self, symbol: bytes) -> int:
        # Tokenizers are shared between threads, and a number must not be given twice.
        with self._lock:
            number = self._others.get(symbol)
            if number is None:
                number = self._others[symbol] = self._first_other + len(self._texts)
                self._texts.append(symbol)
            return number

    def ids(self, symbols: Numbers, sizes: Places) -> list[Ids]:
        """The ids of words that consist of so many symbols each."""
        flat = (symbols - 1).tolist()
        ends = np.cumsum(sizes)
        found = [tuple(flat[start:end]) for start, end in pairwise([0, *ends.tolist()])]
        others = set(symbols[symbols >= self._first_other].tolist())
        if others:
            expanded = {number - 1: self._symbol_ids(self._text(number)) for number in others}
            most = np.maximum.reduceat(symbols, ends - sizes)
            for index in np.flatnonzero(most >= self._first_other).tolist():
                found[index] = tuple(
                    chain.from_iterable(expanded.get(id, (id,)) for id in found[index])
                )
        return found

    def _text(self, number: int) -> bytes:
        return self._texts[number - self._first_other]


class _Table:
    """Pairs of numbers and what they merge into: a hash table with open addressing."""

    def __init__(self, lefts: Numbers, rights: Numbers, results: Numbers, ranks: Numbers) -> None:
        count = len(ranks)
        bits = max(8, (2 * count).bit_length())
        self._shift = np.uint64(64 - bits)
        self._mask = (1 << bits) - 1
        self._keys = np.full(1 << bits, FREE, np.int64)
        self._merges = np.empty(1 << bits, np.int32)
        # What no pair merges into, and its rank, come last: at index -1.
        self._results = np.append(results, np.int32(NOTHING))
        self._ranks = np.append(ranks, np.int32(NO_RANK))
        keys = _keys(lefts, rights)
        slots = self._slots(keys)
        left = np.arange(count)
        while left.size:
            tried = slots[left]
            free = self._keys[tried] == FREE
            # Of several that want a slot, the last one written gets it: the first of the merges.
            self._keys[tried[free][::-1]] = keys[left[free]][::-1]
            self._merges[tried[free][::-1]] = left[free][::-1]
            left = left[self._keys[tried] != keys[left]]
            slots[left] = slots[left] + 1 & self._mask

    def _slots(self, keys: Places) -> Places:
        hashes = keys.view(np.uint64) * GOLDEN_RATIO >> self._shift
        return hashes.view(np.int64)

    def find(self, lefts: Numbers, rights: Numbers) -> Numbers:
        """The merge of each pair, or -1."""
        keys = _keys(lefts, rights)
        slots = self._slots(keys)
        found = self._keys[slots]
        hit = found == keys
        merges = np.where(hit, self._merges[slots], np.int32(-1))
        going = np.flatnonzero(~hit & (found != FREE))
        slots, keys = slots[going], keys[going]
        while going.size:
            slots = slots + 1 & self._mask
            found = self._keys[slots]
            hit = found == keys
            merges[going[hit]] = self._merges[slots[hit]]
            on = ~hit & (found != FREE)
            going, slots, keys = going[on], slots[on], keys[on]
        return merges

    def merge(self, symbols: Numbers, sizes: Places, longest: int) -> tuple[Numbers, Places]:
        """The final symbols of words that have `sizes` symbols each, `longest` at most, and how
        many each word has."""
        return _Rounds(self, symbols, sizes, longest + 2).run()

    def ranked(self, merges: Numbers, places: Numbers) -> Numbers:
        """Keys that order merges by rank, then by place: both parts can be had from the key."""
        keys: Numbers = self._ranks[merges] << PLACE_BITS | places
        return keys

    def results(self, merges: Numbers) -> Numbers:
        """What these merges make."""
        found: Numbers = self._results[merges]
        return found


class _Rounds:
    """The state of words that are being merged: matrices with a column for each word and a row for
    each place in it, an edge on either side, kept flat."""

    def __init__(self, table: _Table, symbols: Numbers, sizes: Places, n_rows: int) -> None:
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
        merges = table.find(symbols[:-1], symbols[1:])
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
