"""The best paths through thousands of words together, with numpy.

Words of about the same length are the columns of a matrix, and its rows the places before, between
and behind their characters. Row by row, the best way to there is found for all words: a step in
Python serves every word in which a token of some length ends there. The sums, and which of equal
ones is taken, are those of Ugm._best_path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokcli.batch.lots import lots
from tokcli.batch.text import code_points
from tokcli.batch.token_trie import STOP, Codes, Ids, Places, TokenTrie
from tokcli.batch.ugm_tokens import UgmTokens
from tokcli.batch.word_ids import Encoded, alone
from tokcli.vocab import TokenId

__all__ = ["UgmBatch"]

# The most characters of the words in a matrix; longer words are not worked on together.
SIZES = (6, 8, 10, 12, 16, 24, 32, 64)
# The most cells of a matrix: further words make another one.
CELLS = 1 << 18
# Fewer words are quicker worked on one by one, laying out the tokens for them included.
FEWEST = 1 << 12
NOTHING = -2


class UgmBatch:
    """One vocabulary: token texts with scores and ids, and what a character counts that is no
    token. `encode_each` gives the ids of normalized words, for words that are few or long."""

    def __init__(
        self,
        tokens: Mapping[bytes, tuple[float, TokenId]],
        unknown: TokenId,
        unknown_score: float,
        encode_each: Callable[[Sequence[str]], Sequence[list[TokenId]]],
    ) -> None:
        self._tokens_with_scores = tokens
        self._unknown = unknown
        self._unknown_score = unknown_score
        self._encode_each = encode_each

    @cached_property
    def _tokens(self) -> UgmTokens:
        return UgmTokens(self._tokens_with_scores, SIZES[-1])

    def encode(self, texts: Sequence[str]) -> Iterator[Encoded]:
        """The ids of normalized words, neighbouring unknowns as one."""
        sizes = np.fromiter(map(len, texts), np.int64, len(texts))
        order = np.argsort(sizes, kind="stable")
        # What is empty has no ids.
        start, end = np.searchsorted(sizes[order], (1, SIZES[-1] + 1)).tolist()
        if end - start < FEWEST:
            end = start
        yield alone(self._encode_each, texts, order[end:])
        if start < end:
            codes = code_points("".join(texts))
            yield from self._encode_together(codes, sizes, order[start:end])

    def _encode_together(self, codes: Codes, sizes: Places, words: Places) -> Iterator[Encoded]:
        """The same of those `words`, in order of their sizes, among all that follow one another in
        `codes`."""
        trie = self._tokens.trie(codes)
        starts = np.cumsum(sizes) - sizes
        for span, longest in lots(sizes[words], SIZES, CELLS, 1):
            group = words[span]
            matrix = _matrix(codes, starts[group], sizes[group], longest)
            yield Encoded(group, *self._best_paths(trie, matrix, sizes[group]))

    def _best_paths(self, trie: TokenTrie, codes: Codes, sizes: Places) -> tuple[Ids, Places]:
        """The ids of all words, and how many each has."""
        scores = self._tokens.scores
        width = sizes.size
        n_rows = codes.size // width
        # The best way to each cell: its sum, or at first what its last character adds, and its last
        # token.
        totals = np.full(codes.size, self._unknown_score)
        totals[:width] = 0.0
        lasts = np.full(codes.size, _lasts(np.full(1, self._unknown, np.int32), 1))
        longer = []
        rows = np.arange(n_rows) * width
        for length, starts, ids in trie.matches(codes, width):
            gains = scores.take(ids)
            ends = starts + length * width
            if length == 1:
                totals[ends] = gains
                lasts[ends] = _lasts(ids, length)
            elif starts.size:
                bounds = np.searchsorted(starts, rows).tolist()
                longer.append(_Matches(length, starts, ends, gains, _lasts(ids, length), bounds))
        for row in range(1, n_rows):
            here = totals[row * width : (row + 1) * width]
            here += totals[(row - 1) * width : row * width]
            for match in longer:
                if match.length > row:
                    break
                first, last = match.bounds[row - match.length : row - match.length + 2]
                if first == last:
                    continue
                ends = match.ends[first:last]
                sums = totals.take(match.starts[first:last])
                sums += match.gains[first:last]
                # Of equal sums the one from farther back was there first.
                better = np.flatnonzero(sums >= totals.take(ends))
                ends = ends.take(better)
                totals[ends] = sums.take(better)
                lasts[ends] = match.lasts[first:last].take(better)
        return self._backtrack(lasts, sizes)

    def _backtrack(self, lasts: Places, sizes: Places) -> tuple[Ids, Places]:
        width = sizes.size
        columns = np.arange(width)
        cells = sizes * width + columns
        path = np.full((int(sizes.max()), width), NOTHING, np.int32)
        counts = np.zeros(width, np.int64)
        for row in range(len(path) - 1, -1, -1):
            found = lasts.take(cells)
            # The lower half is the id.
            path[row, columns] = found.astype(np.int32)
            counts[columns] = len(path) - row
            cells = cells - (found >> 32) * width
            left = np.flatnonzero(cells >= width)
            cells, columns = cells.take(left), columns.take(left)
        by_word = path.T
        return self._join_unknowns(by_word[by_word != NOTHING], counts)

    def _join_unknowns(self, ids: Ids, counts: Places) -> tuple[Ids, Places]:
        unknown = ids == self._unknown
        starts = np.cumsum(counts) - counts
        again = np.zeros(ids.size, np.bool_)
        again[1:] = unknown[1:] & unknown[:-1]
        again[starts] = False
        return ids[~again], counts - np.add.reduceat(again, starts, dtype=np.int64)


def _matrix(codes: Codes, starts: Places, sizes: Places, longest: int) -> Codes:
    """Words in `codes` as the columns of a matrix, kept flat: what is left of a column of `longest`
    and one more is filled up."""
    columns = np.repeat(np.arange(sizes.size), sizes)
    rows = np.arange(columns.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    matrix = np.full((longest + 1) * sizes.size, STOP, np.int32)
    matrix[rows * sizes.size + columns] = codes.take(np.repeat(starts, sizes) + rows)
    return matrix


def _lasts(ids: Ids, length: int) -> Places:
    """A token's id and length in one number."""
    return ids.view(np.uint32).astype(np.int64) | length << 32


class _Matches(NamedTuple):
    """Where tokens of one length start and end, in order, and in which row each lot starts."""

    length: int
    starts: Places
    ends: Places
    gains: NDArray[np.float64]
    lasts: Places
    bounds: list[int]
