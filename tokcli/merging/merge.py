"""Merging neighbouring symbols, best pair first: the algorithm that BPE and SPM share."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from math import inf, isnan

from tokcli import events

__all__ = ["merge_symbols", "score_priority"]


def score_priority(score: float) -> float:
    """The priority of a merge that makes a token of this score: the best first, NaN last."""
    return inf if isnan(score) else -score


def merge_symbols(
    symbols: list[bytes],
    priority: Callable[[bytes], float | None],
    separator: bytes,
    trace: events.TraceSink | None = None,
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
                events.MergeApplied(
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
