"""The pairs that an SPM vocabulary merges. It has no list of merges: any two neighbours merge whose
joined text is a token, the token with the best score first."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from tokcli.algorithms.spm import CHARACTERS
from tokcli.vocab import TokenId, Vocab

__all__ = ["SpmPair", "SpmPairs"]


class SpmPair(NamedTuple):
    """`place`: which of the vocabulary's different scores, the best is 0; among equals the leftmost
    pair in the text goes first."""

    place: int
    left: bytes
    right: bytes
    id: TokenId
    score: float


class SpmPairs:
    """All such pairs of one vocabulary."""

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab
        self._scores = vocab.scores
        ordered = sorted({_comparable(score) for score in self._scores}, reverse=True)
        self._places = {score: place for place, score in enumerate(ordered)}

    @property
    def n_places(self) -> int:
        """How many different scores there are."""
        return len(self._places)

    def rows(self, places: set[int] | None = None) -> Iterator[SpmPair]:
        """The pairs whose place is in `places`, or all, best first."""
        scores = self._scores
        ids = sorted(range(len(scores)), key=lambda id: (-_comparable(scores[id]), id))
        for id in ids:
            if places is None or self._place(id) in places:
                yield from self._splits(id)

    def using(self, symbol: bytes) -> Iterator[SpmPair]:
        """The pairs with `symbol` on either side, best first."""
        for pair in self.rows():
            if symbol in (pair.left, pair.right):
                yield pair

    def find(self, left: bytes, right: bytes) -> SpmPair | None:
        """The pair of `left` and `right`, if they merge."""
        id = self._vocab.token_to_id.get(left + right)
        if id is None or not (self._is_symbol(left) and self._is_symbol(right)):
            return None
        return SpmPair(self._place(id), left, right, id, self._scores[id])

    def _place(self, id: TokenId) -> int:
        return self._places[_comparable(self._scores[id])]

    def _splits(self, id: TokenId) -> Iterator[SpmPair]:
        text = self._vocab.raw_texts[id]
        cut = 0
        for symbol in CHARACTERS.findall(text)[:-1]:
            cut += len(symbol)
            left, right = text[:cut], text[cut:]
            if self._is_symbol(left) and self._is_symbol(right):
                yield SpmPair(self._place(id), left, right, id, self._scores[id])

    def _is_symbol(self, text: bytes) -> bool:
        """Whether merging can arrive at `text`: it grows into tokens only."""
        return text in self._vocab.token_to_id or CHARACTERS.fullmatch(text) is not None


def _comparable(score: float) -> float:
    return -math.inf if math.isnan(score) else score
