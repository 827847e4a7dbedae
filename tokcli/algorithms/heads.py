"""Which lengths to try where a token may start, by the bytes there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

__all__ = ["lengths_by_head"]


def lengths_by_head(texts: Iterable[bytes], size: int) -> dict[bytes, tuple[int, ...]]:
    """The first `size` bytes of a text, or all of a shorter one -> how long (in bytes) texts with
    these are, longest first."""
    lengths: defaultdict[bytes, set[int]] = defaultdict(set)
    for text in texts:
        lengths[text[:size]].add(len(text))
    return {head: tuple(sorted(found, reverse=True)) for head, found in lengths.items()}
