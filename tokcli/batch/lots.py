"""Words of about the same length, and not too many of them, to be worked on as one matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["lots"]


def lots(
    sizes: NDArray[np.int64], longest: Sequence[int], cells: int, edges: int
) -> Iterator[tuple[slice, int]]:
    """Spans of words whose `sizes` are in ascending order, each with that of `longest` which all
    of its words are within: a matrix with so many rows, and `edges` more, has about `cells`
    cells at most."""
    start = 0
    for size in longest:
        last = int(np.searchsorted(sizes, size, "right"))
        while start < last:
            end = min(last, start + max(1, cells // (size + edges)))
            yield slice(start, end), size
            start = end
