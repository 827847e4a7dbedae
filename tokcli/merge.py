"""Merging neighbouring symbols, best pair first: the algorithm that BPE and SPM share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from heapq import heapify, heappop, heappush
from itertools import pairwise, repeat
from math import inf

from tokcli.trace import MergeApplied, TraceSink

__all__ = ["merge_few", "merge_symbols"]


def merge_symbols(
    symbols: list[bytes],
    priority: Callable[[bytes], float | None],
    separator: bytes,
    trace: TraceSink | None = None,
    *,
    scored: bool = False,
) -> list[bytes]:
    """Merge until no neighbours have a priority; returns the symbols that remain.

    `priority(left + separator + right)` is None for a pair that does not merge; the lowest goes
    first, the leftmost among equals. BPE asks for the rank of "left right", SPM (`scored`) for the
    negated score of "leftright". As in llama.cpp, a queued pair is stale once either side changed,
    which its length tells. `symbols` is used up.
    """
    last = len(symbols) - 1
    if last < 1:
        return symbols
    queue: list[tuple[float, int, int, int]] = []
    left = symbols[0]
    for index in range(1, last + 1):
        right = symbols[index]
        found = priority(left + separator + right)
        if found is not None:
            queue.append((found, index - 1, index, len(left) + len(right)))
        left = right
    if not queue:
        return symbols
    heapify(queue)
    before = list(range(-1, last))
    after = list(range(1, last + 2))
    after[last] = -1
    while queue:
        rank, index, next_index, size = heappop(queue)
        left = symbols[index]
        right = symbols[next_index]
        if not left or not right or len(left) + len(right) != size:
            continue
        merged = left + right
        if trace is not None:
            trace(
                MergeApplied(
                    index,
                    next_index,
                    left,
                    right,
                    merged,
                    None if scored else int(rank),
                    -rank if scored else None,
                )
            )
        symbols[index] = merged
        symbols[next_index] = b""
        following = after[next_index]
        after[index] = following
        previous = before[index]
        if following >= 0:
            before[following] = index
            right = symbols[following]
            found = priority(merged + separator + right)
            if found is not None:
                heappush(queue, (found, index, following, len(merged) + len(right)))
        if previous >= 0:
            left = symbols[previous]
            found = priority(left + separator + merged)
            if found is not None:
                heappush(queue, (found, previous, index, len(left) + len(merged)))
    return [symbol for symbol in symbols if symbol]


def merge_few(
    symbols: list[bytes], priorities: Mapping[bytes, float], separator: bytes
) -> list[bytes]:
    """What merge_symbols gives, without a queue: quicker where there is little to search.

    `priorities` must not hold NaN or infinity.
    """
    priority = priorities.get
    found = list(map(priority, map(separator.join, pairwise(symbols)), repeat(inf)))
    while found:
        best = min(found)
        if best == inf:
            break
        index = found.index(best)
        merged = symbols[index] = symbols[index] + symbols.pop(index + 1)
        del found[index]
        if index < len(found):
            found[index] = priority(merged + separator + symbols[index + 1], inf)
        if index:
            found[index - 1] = priority(symbols[index - 1] + separator + merged, inf)
    return symbols
