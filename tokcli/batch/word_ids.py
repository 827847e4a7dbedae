"""The ids of words, kept in one array: for long text, of which many words come again.

Looking a word up costs what a dict costs, and the ids of all words of a text are then picked from
the array at once. Words that are not there yet are worked out together.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import chain, count, islice
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokcli.batch.cuts import Pieces
from tokcli.batch.text import Points
from tokcli.vocab import TokenId

__all__ = ["Encoded", "WordIds", "alone"]

# More words, more characters of them, or more ids, are not kept for the next text.
MOST_WORDS = 1 << 18
MOST_CHARACTERS = 1 << 23
MOST_IDS = 1 << 22
# Fewer ids have places that fit 32 bits, which are quicker.
SHORT_PLACES = 1 << 31


class Encoded(NamedTuple):
    """Some of the words that were asked for: their indices, the ids of one after the other, and how
    many each has."""

    words: NDArray[np.int64]
    ids: NDArray[np.int32]
    counts: NDArray[np.int64]


def alone(
    encode_each: Callable[[Sequence[str]], Sequence[Sequence[TokenId]]],
    words: Sequence[str],
    indices: NDArray[np.int64],
) -> Encoded:
    """Those of `words` that have these indices, each by itself."""
    found = encode_each([words[index] for index in indices.tolist()])
    counts = np.fromiter(map(len, found), np.int64, len(found))
    return Encoded(indices, np.array(list(chain.from_iterable(found)), np.int32), counts)


class WordIds:
    """`encode` works out the ids of words, which are less than `n_tokens` or -1; together its
    answers have every word once."""

    def __init__(self, encode: Callable[[Sequence[str]], Iterable[Encoded]], n_tokens: int) -> None:
        self._encode = encode
        self._n_tokens = n_tokens
        self._lock = Lock()
        self._forget()

    def _forget(self) -> None:
        # In the order of their numbers.
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._starts = np.zeros(0, np.int64)
        self._counts = np.zeros(0, np.int64)
        self._ids = np.zeros(0, np.int32)
        self._n_characters = 0
        # Of each character the number of the word that it is, or -1.
        self._characters = np.zeros(0, np.int32)

    @cached_property
    def _shared(self) -> NDArray[np.object_]:
        """All ids, with -1 as the last: a new number for each that is given out would take four
        times the memory of its place in a list."""
        return np.append(np.arange(self._n_tokens), -1).astype(object)

    def of(self, lists: Iterable[Sequence[str]]) -> list[TokenId]:
        """The ids of the words of these lists, one after the other. Making the lists must not ask
        for words."""
        with self._lock:
            numbers = [np.zeros(0, np.int64), *map(self._numbers_of, lists)]
            ids, _ = self._arrays(np.concatenate(numbers))
        return self._shared_ids(ids)

    def of_pieces(self, pieces: Pieces) -> list[TokenId]:
        """The same of pieces of a text; those of one character are picked from an array."""
        several, words, characters = pieces.parted()
        numbers = np.zeros(several.size, np.int64)
        with self._lock:
            numbers[several] = self._numbers_of(words)
            numbers[~several] = self._numbers_of_characters(characters)
            ids, _ = self._arrays(numbers)
        return self._shared_ids(ids)

    def arrays(self, words: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The ids of these words, one after the other, and how many each word has."""
        with self._lock:
            return self._arrays(self._numbers_of(words))

    def _shared_ids(self, ids: NDArray[np.int32]) -> list[TokenId]:
        found: list[TokenId] = self._shared.take(ids).tolist()
        return found

    def _numbers_of(self, words: Sequence[str]) -> NDArray[np.int64]:
        return np.fromiter(map(self._numbers.__getitem__, words), np.int64, len(words))

    def _numbers_of_characters(self, characters: Points) -> NDArray[np.int32]:
        """The numbers of words that have one character each."""
        if not self._characters.size:
            self._characters = np.full(sys.maxunicode + 1, -1, np.int32)
        new = np.zeros(sys.maxunicode + 1, np.bool_)
        new[characters] = True
        new &= self._characters < 0
        for character in np.flatnonzero(new).tolist():
            self._characters[character] = self._numbers[chr(character)]
        return self._characters.take(characters)

    def _arrays(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """What arrays() gives, for words of these numbers."""
        try:
            self._learn()
        except BaseException:
            self._forget()
            raise
        counts = self._counts.take(numbers)
        starts = self._starts.take(numbers)
        ids = self._ids
        if (
            len(self._numbers) > MOST_WORDS
            or self._n_characters > MOST_CHARACTERS
            or ids.size > MOST_IDS
        ):
            self._forget()
        ends = np.cumsum(counts)
        size = int(ends[-1]) if ends.size else 0
        place = np.int32 if max(size, ids.size) < SHORT_PLACES else np.int64
        # How far each id lies from its place in what is returned.
        moved = np.repeat((starts - (ends - counts)).astype(place), counts)
        moved += np.arange(size, dtype=place)
        return ids.take(moved), counts

    def _learn(self) -> None:
        n_known = self._starts.size
        new = list(islice(self._numbers, n_known, None))
        if not new:
            return
        starts, counts = np.zeros(len(new), np.int64), np.zeros(len(new), np.int64)
        ids, size = [self._ids], self._ids.size
        for encoded in self._encode(new):
            starts[encoded.words] = size + np.cumsum(encoded.counts) - encoded.counts
            counts[encoded.words] = encoded.counts
            ids.append(encoded.ids)
            size += encoded.ids.size
        self._n_characters += sum(map(len, new))
        self._starts = np.concatenate((self._starts, starts))
        self._counts = np.concatenate((self._counts, counts))
        self._ids = np.concatenate(ids)
