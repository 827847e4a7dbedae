"""Merging and cutting as their definitions read: second implementations, for comparison only."""

from __future__ import annotations

from collections.abc import Callable

from tokcli.partition import SPACES, Fragment, SpecialFragment, TextFragment
from tokcli.vocab import LSTRIP, RSTRIP, TokenId

__all__ = ["naive_merge", "naive_partition"]


def naive_merge(
    symbols: list[bytes], priority: Callable[[bytes], float | None], separator: bytes
) -> list[bytes]:
    """Join the two neighbours of lowest priority, the leftmost among equals, until none has one."""
    symbols = list(symbols)
    while True:
        ranked = [
            (rank, index)
            for index in range(len(symbols) - 1)
            if (rank := priority(symbols[index] + separator + symbols[index + 1])) is not None
        ]
        if not ranked:
            return symbols
        _, index = min(ranked)
        symbols[index : index + 2] = [symbols[index] + symbols[index + 1]]


def naive_partition(data: bytes, tokens: list[tuple[bytes, TokenId, int]]) -> list[Fragment]:
    """Cut each of `tokens` (text, id, attributes) in turn out of the text that is left."""
    fragments: list[Fragment] = [TextFragment(0, len(data))] if data else []
    for text, id, attr in tokens:
        result: list[Fragment] = []
        for fragment in fragments:
            if isinstance(fragment, SpecialFragment):
                result.append(fragment)
                continue
            start, end = fragment
            while (match := data.find(text, start, end)) >= 0:
                left, right = match, match + len(text)
                while attr & LSTRIP and left > start and data[left - 1] in SPACES:
                    left -= 1
                while attr & RSTRIP and right < end and data[right] in SPACES:
                    right += 1
                if left > start:
                    result.append(TextFragment(start, left))
                result.append(SpecialFragment(match, match + len(text), id, left, right))
                start = right
            if start < end:
                result.append(TextFragment(start, end))
        fragments = result
    return fragments
