"""Long text by SPM: cut where no token can be, every piece once, those that are new together."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from tokcli.batch.cuts import PairCuts
from tokcli.batch.merges import LONGEST, MergeBatch, Merges
from tokcli.batch.numbering import spans_of
from tokcli.batch.text import code_points
from tokcli.batch.word_ids import WordIds
from tokcli.cuts import joined, well_formed
from tokcli.vocab import TokenId, TokenIds, Vocab

__all__ = ["SpmBatch"]


class SpmBatch:
    """SPM of one vocabulary. `priorities` has what the merges into each token go by, lowest first;
    `symbol_ids` and `encode_alone` give the ids of a symbol that is no token and of a piece."""

    def __init__(
        self,
        vocab: Vocab,
        priorities: Mapping[bytes, float],
        symbol_ids: Callable[[bytes], TokenIds],
        encode_alone: Callable[[str], TokenIds],
    ) -> None:
        self._priorities = priorities
        points = code_points(joined(well_formed(vocab.texts)))
        self._cuts = PairCuts(points[:-1], points[1:])
        merger = MergeBatch(
            2 * len(vocab),
            self._merges,
            token_to_id=vocab.token_to_id,
            byte_symbols=None,
            symbol_ids=symbol_ids,
            encode_alone=encode_alone,
        )
        self._word_ids = WordIds(merger.encode, len(vocab))

    def encode(self, text: str) -> Iterator[list[TokenId]]:
        """The ids of `text`, in several lists."""
        return map(self._word_ids.of, self._cuts.pieces(text))

    def _merges(self) -> Merges:
        """The pairs that may come to merge in words."""
        priorities = self._priorities
        places = {found: place for place, found in enumerate(sorted(set(priorities.values())))}
        known = {token: places[priorities[token.encode()]] for token in well_formed(priorities)}
        joined: list[bytes] = []
        left_sizes, ranks = array("q"), array("i")
        for token, place in known.items():
            if len(token) > LONGEST:
                # No word is as long, and there are as many splits as characters.
                continue
            encoded = token.encode()
            last = len(token) - 1
            for end in range(1, last + 1):
                left, right = token[:end], token[end:]
                if (end == 1 or left in known) and (end == last or right in known):
                    joined.append(encoded)
                    left_sizes.append(len(left.encode()))
                    ranks.append(place)
        return Merges(spans_of(joined), np.array(left_sizes, np.int64), np.array(ranks, np.int32))
