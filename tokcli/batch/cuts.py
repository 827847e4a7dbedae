"""Cutting long text at once, with numpy, between characters that no token holds side by side."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokcli.batch.text import Points, code_points, text_of

__all__ = ["PairCuts", "Pieces"]


# Pairs are marked in a table of so many places by a hash: what shares a place is not cut, though it
# might be.
HASH_BITS = 22
FIRST, SECOND = np.uint32(0x9E3779B1), np.uint32(0x85EBCA6B)
# Characters at a time.
SEGMENT = 1 << 21


class Parted(NamedTuple):
    """Pieces by length. `several`: for each, whether it has several characters; `words`: those that
    have; `characters`: the others, by their code points."""

    several: NDArray[np.bool_]
    words: list[str]
    characters: Points


class Pieces(NamedTuple):
    """A text as code points, and where each of its pieces ends; none of them is empty."""

    points: Points
    ends: NDArray[np.int64]

    def parted(self) -> Parted:
        """The pieces of several characters, and those of one."""
        sizes = np.diff(self.ends, prepend=0)
        several = sizes > 1
        words = _cut(self.points[np.repeat(several, sizes)], np.cumsum(sizes[several]))
        return Parted(several, words, self.points[self.ends[~several] - 1])


class PairCuts:
    """Cuts text between any two characters but each of `lefts` and that of `rights` beside it,
    and on either side of runs of the character `apart`, which stay whole."""

    def __init__(self, lefts: Points, rights: Points, apart: str | None = None) -> None:
        self._together = np.zeros(1 << HASH_BITS, np.bool_)
        self._together[_hashes(lefts, rights)] = True
        self._apart = None if apart is None else ord(apart)

    def pieces(self, text: str) -> Iterator[Pieces]:
        """The pieces of `text`, in several lots; together they are `text`."""
        start, size = 0, SEGMENT
        while start + size < len(text):
            segment = code_points(text[start : start + size])
            ends = self._ends(segment)
            if not ends.size:
                size *= 2
                continue
            yield Pieces(segment[: ends[-1]], ends)
            start, size = start + int(ends[-1]), SEGMENT
        segment = code_points(text[start:])
        if segment.size:
            yield Pieces(segment, np.append(self._ends(segment), segment.size))

    def _ends(self, points: Points) -> NDArray[np.int64]:
        cut = ~self._together[_hashes(points[:-1], points[1:])]
        if self._apart is not None:
            is_apart = points == self._apart
            left, right = is_apart[:-1], is_apart[1:]
            cut = (cut & ~(left & right)) | (left != right)
        return np.flatnonzero(cut) + 1


def _cut(points: Points, ends: NDArray[np.int64]) -> list[str]:
    """The text cut at `ends`, the last of which is its own: splitting it at a character that is not
    in it, put in there, is twice as fast as slicing."""
    if not ends.size:
        return []
    unused = np.ones(sys.maxunicode + 1, np.bool_)
    unused[points] = False
    between = int(unused.argmax())
    if not unused[between]:
        text = text_of(points)
        return [text[start:end] for start, end in pairwise([0, *ends.tolist()])]
    return text_of(np.insert(points, ends[:-1], np.uint32(between))).split(chr(between))


def _hashes(left: Points, right: Points) -> Points:
    return (left * FIRST ^ right * SECOND) >> np.uint32(32 - HASH_BITS)
