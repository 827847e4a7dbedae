"""The longest tokens of a long text, found at many of its places at once, with numpy.

Text is cut between bytes that no token holds side by side: a longest match ends there. Then all
pieces are matched in step, each from its start to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokcli.batch.token_trie import STOP, Codes, Places, TokenTrie
from tokcli.vocab import TokenId

__all__ = ["LONGEST_TOKEN", "RwkvBatch"]

# Looking for the longest tokens takes so many steps of its own at most, in Python.
LONGEST_TOKEN = 256
# How many bytes are worked on at a time, if there are cuts.
SLICE = 1 << 19
# Fewer pieces than this are quicker matched one by one; what is left after so many tokens of each
# may be few places of which one holds up all others.
FEW_PIECES = 32
MOST_STEPS = 256
NOTHING = -2


class RwkvBatch:
    """The tokens of one vocabulary, none longer than LONGEST_TOKEN. `match` gives the ids of a
    piece of text, one by one: it has the say where no token matches."""

    def __init__(
        self, tokens: Mapping[bytes, TokenId], match: Callable[[bytes], list[TokenId]]
    ) -> None:
        texts = [text for text in tokens if text]
        codes = np.frombuffer(b"".join(texts), np.uint8)
        sizes = np.fromiter(map(len, texts), np.int64, len(texts))
        ids = np.fromiter(map(tokens.__getitem__, texts), np.int32, len(texts))
        self._trie = TokenTrie(codes, sizes, ids)
        self._match = match
        pairs = _pairs(codes)
        pairs[np.cumsum(sizes)[:-1] - 1] = 0
        self._held = np.zeros(1 << 16, np.bool_)
        self._held[pairs] = True

    def encode(self, data: bytes, output: list[TokenId]) -> None:
        """Append the ids of `data`."""
        text = np.frombuffer(data, np.uint8)
        start = 0
        while start < text.size:
            size = SLICE
            while True:
                piece = text[start : start + size]
                cuts = 1 + np.flatnonzero(~self._held.take(_pairs(piece)))
                if start + size >= text.size or cuts.size:
                    break
                size *= 2
            if start + size < text.size:
                piece, cuts = piece[: cuts[-1]], cuts[:-1]
            self._encode(piece, cuts, output)
            start += piece.size

    def _encode(self, text: NDArray[np.uint8], cuts: Places, output: list[TokenId]) -> None:
        """Append the ids of `text`, which can be cut at `cuts`."""
        codes = np.append(text.astype(np.int32), np.int32(STOP))
        ends = np.zeros(codes.size, np.bool_)
        ends[cuts] = ends[-1] = True
        # Each id lies where its token starts, or where there is room before the next piece.
        ids = np.full(text.size, NOTHING, np.int32)
        places = np.insert(cuts, 0, 0)
        single: list[int] = []
        for _ in range(MOST_STEPS):
            if places.size < FEW_PIECES:
                break
            found, lengths = self._trie.longest(codes, places)
            if not lengths.all():
                single += places[lengths == 0].tolist()
                there = np.flatnonzero(lengths)
                places, found, lengths = places[there], found[there], lengths[there]
            ids[places] = found
            places = places + lengths
            places = places.take(np.flatnonzero(~ends.take(places)))
        for start in [*single, *places.tolist()]:
            end = int(ends[start + 1 :].argmax()) + start + 1
            matched = self._match(text[start:end].tobytes())
            ids[start : start + len(matched)] = matched
        output.extend(ids.take(np.flatnonzero(ids != NOTHING)).tolist())


def _pairs(codes: Codes) -> NDArray[Any]:
    """Every two neighbours as a number."""
    return codes[:-1].astype(np.int64) << 8 | codes[1:]
