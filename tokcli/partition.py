"""Cuts special tokens out of the input before anything else looks at it.

As in llama.cpp (tokenizer_st_partition): the token with the longest text is searched first, over
all text that is left, then the next; not the leftmost match first. White space around tokens with
LSTRIP or RSTRIP goes with them, by C's isspace on bytes.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from tokcli.vocab import CONTROL, LSTRIP, RSTRIP, UNKNOWN, TokenId, Vocab

__all__ = ["Partitioner", "SpecialFragment", "TextFragment"]

SPACES = b" \t\n\v\f\r"


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
        fragments: list[Fragment] = [TextFragment(0, len(data))]
        tree = self._all if parse_special else self._without_control
        for id in sorted(tree.occurring(data), key=self._order.__getitem__):
            fragments = self._cut(data, fragments, id)
        return fragments

    def spelled(self, data: bytes) -> list[SpecialFragment]:
        """Control and unknown tokens whose text is in `data`, as parse_special would cut them."""
        return [
            fragment
            for fragment in self.partition(data, parse_special=True)
            if isinstance(fragment, SpecialFragment)
            and self._vocab.attr(fragment.id) & (CONTROL | UNKNOWN)
        ]

    def _cut(self, data: bytes, fragments: list[Fragment], id: TokenId) -> list[Fragment]:
        text = self._vocab.texts[id]
        attr = self._vocab.attr(id)
        result: list[Fragment] = []
        for fragment in fragments:
            if isinstance(fragment, SpecialFragment):
                result.append(fragment)
                continue
            start, end = fragment
            while (match := data.find(text, start, end)) >= 0:
                left_end, right_start = match, match + len(text)
                if attr & LSTRIP:
                    while left_end > start and data[left_end - 1] in SPACES:
                        left_end -= 1
                if attr & RSTRIP:
                    while right_start < end and data[right_start] in SPACES:
                        right_start += 1
                if left_end > start:
                    result.append(TextFragment(start, left_end))
                result.append(SpecialFragment(match, match + len(text), id, left_end, right_start))
                start = right_start
            if start < end:
                result.append(TextFragment(start, end))
        return result


class _PrefixTree:
    """Texts by common prefix, so that one search rules out all the texts that share it: Gemma has
    6,000 special tokens, and most inputs hold none."""

    def __init__(self, texts: list[tuple[bytes, TokenId]]) -> None:
        self._texts = sorted(texts)

    def occurring(self, data: bytes) -> list[TokenId]:
        """The ids of the texts that occur in `data`."""
        found: list[TokenId] = []
        stack = [(0, len(self._texts), 0)]
        while stack:
            low, high, known = stack.pop()
            if high == low:
                continue
            first, last = self._texts[low][0], self._texts[high - 1][0]
            common = known
            limit = min(len(first), len(last))
            while common < limit and first[common] == last[common]:
                common += 1
            if first[:common] not in data:
                continue
            if high - low == 1:
                found.append(self._texts[low][1])
                continue
            if len(first) == common:
                found.append(self._texts[low][1])
                low += 1
            start = low
            for index in range(low + 1, high + 1):
                if index == high or self._texts[index][0][common] != self._texts[start][0][common]:
                    stack.append((start, index, common))
                    start = index
        return found
