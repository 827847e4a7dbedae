"""Thousands of words merged together: words into symbols, and what is left of these into ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokcli.batch.lots import lots
from tokcli.batch.merge_table import LONGEST, MOST_RANKS, MergeTable, Numbers, Places
from tokcli.batch.numbering import Numbering
from tokcli.batch.spans import Spans
from tokcli.batch.text import code_points
from tokcli.batch.word_ids import Encoded, alone
from tokcli.text.unicode import encode_each
from tokcli.vocab import TokenId, TokenIds

__all__ = ["LONGEST", "MergeBatch", "Merges"]


# Words are merged together with others that are not much shorter.
SIZES = (8, 16, 32, 64, LONGEST)
# The most symbols, or room for them, that are worked on at a time.
CELLS = 1 << 19
# Merged together, a word saves ten microseconds or more. Numbering the merges takes as long as one
# word for every ten to forty of them; less will do, as more words may come.
FEWEST = 1 << 10
MERGES_FOR_A_WORD = 64


class Merges(NamedTuple):
    """What merges: of each that is `joined` the first `left_sizes[n]` bytes with the others, with
    rank `ranks[n]`. Of a pair that is there twice, the first counts."""

    joined: Spans
    left_sizes: NDArray[np.int64]
    ranks: NDArray[np.int32]


class MergeBatch:
    """Words of one vocabulary into ids.

    A word starts as a symbol for each of its characters, or for each of its bytes: then
    `byte_symbols` names them. `merges` gives the merges in words of up to `longest` symbols when
    they are needed, `n_merges` of them, or None where they cannot be numbered. `symbol_ids` tells
    the ids of a final symbol that is no token, `encode_each` those of each of some words, which are
    few or long.
    """

    def __init__(
        self,
        n_merges: int,
        merges: Callable[[], Merges | None],
        *,
        token_to_id: dict[bytes, TokenId],
        byte_symbols: Sequence[bytes] | None,
        symbol_ids: Callable[[bytes], TokenIds],
        encode_each: Callable[[Sequence[str]], Sequence[TokenIds]],
        longest: int = LONGEST,
    ) -> None:
        self._longest = longest
        self._fewest = FEWEST + n_merges // MERGES_FOR_A_WORD
        self._find_merges = merges
        self._numbering = Numbering(token_to_id)
        self._byte_symbols = byte_symbols
        # The merge of every two bytes, of which the first counts 256-fold.
        self._byte_merges: Numbers | None = None
        self._symbol_ids = symbol_ids
        self._encode_each = encode_each

    def encode(self, words: Sequence[str]) -> Iterator[Encoded]:
        """The ids of all these words, of which none is empty."""
        by_bytes = self._byte_symbols is not None
        texts: Sequence[Any] = encode_each(words) if by_bytes else words
        sizes = np.fromiter(map(len, texts), np.int64, len(texts))
        order = np.argsort(sizes, kind="stable")
        first, end = np.searchsorted(sizes[order], (1, self._longest), "right").tolist()
        table = self._table_for(end - first)
        if table is None:
            yield alone(self._encode_each, words, order)
        else:
            yield alone(self._encode_each, words, order[end:])
            yield from self._together(table, texts, sizes, order[:end])

    def _table_for(self, n_words: int) -> MergeTable | None:
        """The table, where so many words are worth it: words in which something can merge."""
        if "_table" not in self.__dict__ and n_words < self._fewest:
            return None
        return self._table

    @cached_property
    def _table(self) -> MergeTable | None:
        merges = self._find_merges()
        if merges is None or merges.ranks.max(initial=0) >= MOST_RANKS:
            return None
        text, starts, sizes = merges.joined
        left_sizes = merges.left_sizes
        lefts, rights, joined = self._numbering.add(
            Spans(text, starts, left_sizes),
            Spans(text, starts + left_sizes, sizes - left_sizes),
            merges.joined,
        )
        return MergeTable(lefts, rights, joined, merges.ranks)

    @cached_property
    def _byte_numbers(self) -> Numbers:
        return self._numbering.add_few(self._byte_symbols or ())

    def _together(
        self, table: MergeTable, texts: Sequence[Any], sizes: Places, words: Places
    ) -> Iterator[Encoded]:
        """The same of those `words`, in order of their sizes."""
        for span, longest in lots(sizes[words], SIZES, CELLS, 2):
            group = words[span]
            symbols, merges, others = self._symbols(
                table, [texts[index] for index in group.tolist()]
            )
            merged, counts = table.merge(symbols, merges, sizes[group], longest)
            yield Encoded(group, *self._ids(merged, counts, others))

    def _symbols(self, table: MergeTable, texts: list[Any]) -> tuple[Numbers, Numbers, list[bytes]]:
        """The numbers of the symbols that words start as, the merge of each with the next one, and
        the symbols that have a number for this once: the characters that no merge and no token
        knows."""
        if self._byte_symbols is not None:
            text = np.frombuffer(b"".join(texts), np.uint8)
            pairs = text[:-1].astype(np.uint16) << 8 | text[1:]
            if self._byte_merges is None:
                numbers = self._byte_numbers
                self._byte_merges = table.find(np.repeat(numbers, 256), np.tile(numbers, 256))
            return self._byte_numbers[text], self._byte_merges.take(pairs), []
        joined = "".join(texts)
        chars = sorted(set(joined))
        found, others = self._numbering.known(encode_each(chars))
        numbers = np.zeros(ord(chars[-1]) + 1, np.int32)
        numbers[list(map(ord, chars))] = found
        symbols = numbers[code_points(joined)]
        return symbols, table.find(symbols[:-1], symbols[1:]), others

    def _ids(self, symbols: Numbers, counts: Places, once: list[bytes]) -> tuple[Numbers, Places]:
        """The ids that symbols stand for, of words that have so many of them."""
        ids = symbols - np.int32(1)
        first = self._numbering.first_other
        places = np.flatnonzero(symbols >= first)
        if not places.size:
            return ids, counts
        numbers, which = np.unique(symbols[places], return_inverse=True)
        texts = self._numbering.others + once
        found = [self._symbol_ids(texts[number - first]) for number in numbers.tolist()]
        sizes = np.ones(ids.size, np.int64)
        sizes[places] = np.fromiter(map(len, found), np.int64, len(found))[which]
        expanded = np.repeat(ids, sizes)
        instead = np.repeat(symbols >= first, sizes)
        expanded[instead] = np.array(
            list(chain.from_iterable(found[index] for index in which.tolist())), np.int32
        )
        return expanded, np.add.reduceat(sizes, np.cumsum(counts) - counts)
