"""Cuts special tokens out of the input before anything else looks at it.

As in llama.cpp (tokenizer_st_partition): the token with the longest text is searched first, over
all text that is left, then the next; not the leftmost match first. White space around tokens with
LSTRIP or RSTRIP goes with them, by C's isspace on bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from tokcli.vocab import CONTROL, LSTRIP, RSTRIP, UNKNOWN, TokenId, Vocab

__all__ = ["Partitioner", "SpecialFragment", "TextFragment"]

SPACES = b" \t\n\v\f\r"
# A text is frequent where it comes more often than once in so many bytes.
FREQUENT = 64


class TextFragment(NamedTuple):
    """Plain text: bytes start..end of the input."""

    start: int
    end: int


class SpecialFragment(NamedTuple):
    """A special token at bytes start..end of the input; strip_start..strip_end takes in the white
    space that it ate."""

    start: int
    end: int
    id: TokenId
    strip_start: int
    strip_end: int


Fragment = TextFragment | SpecialFragment


class Partitioner:
    """Finds the special tokens of one vocabulary."""

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab
        with_text = [(vocab.texts[id], id) for id in vocab.special_token_ids]
        plain = [(text, id) for text, id in with_text if not vocab.attr(id) & (CONTROL | UNKNOWN)]
        self._all = _PrefixTree(with_text)
        self._without_control = _PrefixTree(plain)
        self._order = {id: place for place, id in enumerate(vocab.special_token_ids)}

    def rule(self, id: TokenId) -> Literal["control", "user_defined", "unknown"]:
        """Why this token is cut out, in the order llama.cpp tests its attributes."""
        attr = self._vocab.attr(id)
        if attr & CONTROL:
            return "control"
        return "unknown" if attr & UNKNOWN else "user_defined"

    def partition(self, data: bytes, parse_special: bool) -> list[Fragment]:
        """The fragments of `data`, in order. Control and unknown tokens are text unless
        `parse_special`."""
        if not data:
            return []
        tree = self._all if parse_special else self._without_control
        occurring = tree.occurring(data)
        taken = bytearray(len(data) if occurring else 0)
        special: list[SpecialFragment] = []
        for id in sorted(occurring, key=self._order.__getitem__):
            self._cut(data, taken, id, occurring[id], special)
        special.sort()
        fragments: list[Fragment] = []
        position = 0
        for fragment in special:
            if position < fragment.strip_start:
                fragments.append(TextFragment(position, fragment.strip_start))
            fragments.append(fragment)
            position = fragment.strip_end
        if position < len(data):
            fragments.append(TextFragment(position, len(data)))
        return fragments

    def spelled(self, data: bytes) -> list[SpecialFragment]:
        """Control and unknown tokens whose text is in `data`, as parse_special would cut them."""
        return [
            fragment
            for fragment in self.partition(data, parse_special=True)
            if isinstance(fragment, SpecialFragment)
            and self._vocab.attr(fragment.id) & (CONTROL | UNKNOWN)
        ]

    def _cut(
        self,
        data: bytes,
        taken: bytearray,
        id: TokenId,
        places: list[int] | None,
        result: list[SpecialFragment],
    ) -> None:
        """Cut out one token. `taken` is 1 at the bytes that tokens have, and so at both ends of
        every fragment of text: a match lies within one fragment if none of its bytes is taken."""
        text = self._vocab.texts[id]
        attr = self._vocab.attr(id)
        for match in _free_matches(data, taken, text, places):
            start, end = match, match + len(text)
            if attr & LSTRIP:
                while start and not taken[start - 1] and data[start - 1] in SPACES:
                    start -= 1
            if attr & RSTRIP:
                while end < len(data) and not taken[end] and data[end] in SPACES:
                    end += 1
            taken[start:end] = b"\1" * (end - start)
            result.append(SpecialFragment(match, match + len(text), id, start, end))


def _free_matches(
    data: bytes, taken: bytearray, text: bytes, places: list[int] | None
) -> Iterator[int]:
    """Where `text` stands in bytes that are not taken when its turn comes, left to right."""
    if places is not None:
        for place in places:
            if taken.find(1, place, place + len(text)) < 0:
                yield place
        return
    position = 0
    while (match := data.find(text, position)) >= 0:
        last_taken = taken.rfind(1, match, match + len(text))
        if last_taken < 0:
            yield match
            position = match + len(text)
        elif (position := taken.find(0, last_taken)) < 0:
            return


class _PrefixTree:
    """Texts by common prefix, so that one search rules out all the texts that share it: Gemma has
    6,000 special tokens, and most inputs hold none."""

    def __init__(self, texts: list[tuple[bytes, TokenId]]) -> None:
        self._texts = sorted(texts)

    def occurring(self, data: bytes) -> dict[TokenId, list[int] | None]:
        """The ids of the texts that occur in `data`, with all places where they do; None for
        those that are frequent (and for all in short data), which are quick to find again."""
        found: dict[TokenId, list[int] | None] = {}
        stack: list[tuple[int, int, int, list[int] | None]] = [(0, len(self._texts), 0, None)]
        while stack:
            low, high, known, places = stack.pop()
            if high == low:
                continue
            first, last = self._texts[low][0], self._texts[high - 1][0]
            common = known
            limit = min(len(first), len(last))
            while common < limit and first[common] == last[common]:
                common += 1
            if common:
                places = _places(data, first[:common], known, places)
                if places == []:
                    continue
            while low < high and len(self._texts[low][0]) == common:
                found[self._texts[low][1]] = places
                low += 1
            start = low
            for index in range(low + 1, high + 1):
                if index == high or self._texts[index][0][common] != self._texts[start][0][common]:
                    stack.append((start, index, common, places))
                    start = index
        return found


def _places(data: bytes, text: bytes, known: int, candidates: list[int] | None) -> list[int] | None:
    """Where `text` occurs in `data`, overlapping itself or not; None if that is frequent.

    `candidates`: where its first `known` bytes occur. Going by them, 6,000 texts that begin alike
    cost little more than one search.
    """
    if candidates is not None:
        rest = text[known:]
        return [place for place in candidates if data.startswith(rest, place + known)]
    most = len(data) // FREQUENT
    places: list[int] = []
    place = data.find(text)
    while place >= 0:
        if len(places) == most:
            return None
        places.append(place)
        place = data.find(text, place + 1)
    return places
