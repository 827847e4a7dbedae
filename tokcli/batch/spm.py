"""Long text by SPM: cut where no token can be, every piece once, those that are new together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from tokcli.batch.cuts import PairCuts
from tokcli.batch.merges import MergeBatch, Merges
from tokcli.batch.spans import Spans, spans_of
from tokcli.batch.string_numbers import NOT_FOUND, StringNumbers
from tokcli.batch.text import code_points, starts_character
from tokcli.batch.word_ids import WordIds
from tokcli.merging.cuts import well_formed
from tokcli.vocab import TokenId, TokenIds, Vocab

__all__ = ["SpmBatch"]

# Characters of a word, and of a token, that are worked on here: a token has as many splits, and so
# a file that has many long ones would have very many.
LONGEST = 32
# So many splits at a time.
SPLITS = 1 << 16


class SpmBatch:
    """SPM of one vocabulary. `priorities` has what the merges into each token go by, lowest first;
    `symbol_ids` and `encode_each` give the ids of a symbol that is no token and of pieces."""

    def __init__(
        self,
        vocab: Vocab,
        priorities: Mapping[bytes, float],
        symbol_ids: Callable[[bytes], TokenIds],
        encode_each: Callable[[Sequence[str]], Sequence[TokenIds]],
    ) -> None:
        self._vocab = vocab
        self._priorities = priorities
        self._symbol_ids = symbol_ids
        self._encode_each = encode_each

    @cached_property
    def _word_ids(self) -> WordIds:
        merger = MergeBatch(
            self._merges.ranks.size,
            lambda: self._merges,
            token_to_id=self._vocab.token_to_id,
            byte_symbols=None,
            symbol_ids=self._symbol_ids,
            encode_each=self._encode_each,
            longest=LONGEST,
        )
        return WordIds(merger.encode, len(self._vocab))

    def encode(self, text: str) -> Iterator[list[TokenId]]:
        """The ids of `text`, in several lists."""
        return map(self._word_ids.of_pieces, self._cuts.pieces(text))

    @cached_property
    def _tokens(self) -> list[str]:
        return list(well_formed(self._priorities))

    @cached_property
    def _merges(self) -> Merges:
        """The pairs that may come to merge in words: either side is a character or a token."""
        tokens = [token.encode() for token in self._tokens if len(token) <= LONGEST]
        text, starts, sizes = spans_of(tokens)
        known = StringNumbers({token: number for number, token in enumerate(tokens)})
        _, ranks = np.unique([self._priorities[token] for token in tokens], return_inverse=True)
        # Every character of every token, and how many there are before it in the token.
        chars = np.flatnonzero(starts_character(text))
        owners = np.searchsorted(starts, chars, "right") - 1
        n_chars = np.bincount(owners, minlength=len(tokens))
        nth = np.arange(chars.size) - (np.cumsum(n_chars) - n_chars)[owners]
        is_first, is_last = nth == 1, nth == n_chars[owners] - 1
        splits = np.flatnonzero(nth)
        may = [np.zeros(0, np.bool_)]
        # Few at a time: most of them come to nothing.
        for few in np.array_split(splits, 1 + splits.size // SPLITS):
            start, end = starts[owners[few]], (starts + sizes)[owners[few]]
            middle = chars[few]
            left = is_first[few] | (known.find(Spans(text, start, middle - start)) != NOT_FOUND)
            right = is_last[few] | (known.find(Spans(text, middle, end - middle)) != NOT_FOUND)
            may.append(left & right)
        merging = splits[np.concatenate(may)]
        owners = owners[merging]
        return Merges(
            Spans(text, starts[owners], sizes[owners]),
            chars[merging] - starts[owners],
            ranks[owners].astype(np.int32),
        )

    @cached_property
    def _cuts(self) -> PairCuts:
        # Two characters meet in a symbol when the symbols merge of which they are the edges. (The
        # edges of what merges into the longest tokens are not known: all that is in these.)
        joined, left_sizes, _ = self._merges
        points = code_points(joined.text.decode())
        places = np.cumsum(starts_character(joined.text))
        rights = places[joined.starts + left_sizes] - 1
        longest = code_points("\0".join(token for token in self._tokens if len(token) > LONGEST))
        return PairCuts(
            np.concatenate((points[rights - 1], longest[:-1])),
            np.concatenate((points[rights], longest[1:])),
        )
