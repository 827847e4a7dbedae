"""Merging as its definition reads: the one second implementation, for comparison only."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["naive_merge"]


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
