"""The tokens of a UGM vocabulary as arrays, and a trie of those that given words can hold."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokcli.batch.text import code_points
from tokcli.batch.token_trie import STOP, Codes, TokenTrie
from tokcli.text.unicode import NO_UTF8
from tokcli.vocab import TokenId

__all__ = ["UgmTokens"]

# A token is looked at if whatever stands side by side in it, so many characters, does so in the
# words too, going by hashes: one too many does no harm.
GRAM = 4
HASH_BITS = 20
HASH_FACTOR = np.uint32(0x9E3779B1)


class UgmTokens:
    """Tokens of at most `longest` characters, from their text to score and id."""

    def __init__(self, tokens: Mapping[bytes, tuple[float, TokenId]], longest: int) -> None:
        together = NO_UTF8.join(tokens)
        if together.count(NO_UTF8) >= len(tokens):
            # Some hold it, and so lie in no text.
            tokens = {text: found for text, found in tokens.items() if NO_UTF8 not in text}
            together = NO_UTF8.join(tokens)
        # What is no UTF-8 turns into surrogates, which no text has.
        points = code_points(together.decode("utf-8", "surrogateescape"))
        between = points == 0xDC00 + NO_UTF8[0]
        ends = np.append(np.flatnonzero(between), points.size)[: len(tokens)]
        self._codes = points[~between]
        self._sizes = np.diff(ends, prepend=-1) - 1
        self._longest = longest
        flat = np.fromiter(chain.from_iterable(tokens.values()), np.float64, 2 * len(tokens))
        self._ids = flat[1::2].astype(np.int32)
        self.scores = np.zeros(self._ids.max(initial=0) + 1)
        """By id, 0.0 where there is none."""
        self.scores[self._ids] = flat[::2]

    def trie(self, words: Codes) -> TokenTrie:
        """A trie of at least those tokens that lie within `words`."""
        used = np.zeros(STOP + 1, np.bool_)
        used[words] = True
        kept = used.take(self._codes)
        used_grams = np.zeros(1 << HASH_BITS, np.bool_)
        used_grams[_grams(words)] = True
        grams = used_grams.take(_grams(self._codes))
        ends = np.cumsum(self._sizes)
        for before_end in range(1, GRAM):
            # What starts here is not in one token. (Nor is it where a token is shorter than that.)
            places = ends - before_end
            grams[places[(places >= 0) & (places < grams.size)]] = True
        kept[: grams.size] &= grams
        tokens = np.logical_and.reduceat(kept, ends - self._sizes) & (self._sizes <= self._longest)
        codes = self._codes[np.repeat(tokens, self._sizes)]
        return TokenTrie(codes, self._sizes[tokens], self._ids[tokens])


def _grams(codes: Codes) -> NDArray[Any]:
    """A hash of the GRAM characters from each place on, where there are so many."""
    size = max(0, codes.size - GRAM + 1)
    hashes = np.zeros(size, np.uint32)
    for offset in range(GRAM):
        hashes = (hashes + codes[offset : offset + size].astype(np.uint32)) * HASH_FACTOR
    return hashes >> np.uint32(32 - HASH_BITS)
