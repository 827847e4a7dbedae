"""Merging long words a window at a time, which is exact and keeps time linear.

Merging all of a long word keeps a queue of all its pairs, and every step through it misses the
processor's caches. But where one final symbol ends and the next begins can be told from the two
alone:

    Let M(t) be the symbols that the text t merges into, l the last of M(a), and r the first of
    M(b). If M(lr) = [l, r], then M(ab) = M(a) + M(b); and any two neighbours of M(t) are such.

Proof. A symbol never splits, so until something merges across the place between a and b, the merges
on either side are those of a and of b alone, in the same order: a merge's priority depends on its
two texts, ties go to the left, and neither changes when text is added further off. For the same
reason the merges within l and within r come in the order in which they come in lr. If a first merge
across the place came, of x and y, then at that moment it would be the best of all pairs, so also
the best of those within lr; x would be at the end of what is to become l, y at the start of what is
to become r; and the merging of lr, having come to the same x and y, would join them: M(lr) would
not be [l, r]. The other way around, the neighbours l and r of M(t) were merged by themselves, as no
merge crossed their ends; so M(lr) = [l, r].

Hence the first symbols of a window's result are also the first of the whole word's, if the first
one goes with the last that was found before. The window's last few depend on what follows; they are
merged again as part of the next window.
"""

from __future__ import annotations

from collections.abc import Callable

from tokcli.merging.merge import merge_symbols

__all__ = ["LONGEST_WHOLE", "merge_word"]

Priority = Callable[[bytes], float | None]
Symbols = tuple[bytes, ...]

LONGEST_WHOLE = 256
WINDOW = 128
FEWEST = 4
MOST_WINDOWS = 64


def merge_word(
    symbols: list[bytes], priority: Priority, separator: bytes, *, scored: bool = False
) -> list[bytes]:
    """What merge_symbols gives, for words of any length. `priority` must not give NaN."""
    if len(symbols) <= LONGEST_WHOLE:
        return merge_symbols(symbols, priority, separator, scored=scored)
    return _Windows(symbols, priority, separator, scored).merge()


class _Windows:
    def __init__(
        self, symbols: list[bytes], priority: Priority, separator: bytes, scored: bool
    ) -> None:
        self._symbols = symbols
        self._priority = priority
        self._separator = separator
        self._scored = scored
        # Text that repeats makes windows that do.
        self._known: dict[Symbols, list[bytes]] = {}

    def merge(self) -> list[bytes]:
        """The symbols of the whole word."""
        symbols, total = self._symbols, len(self._symbols)
        found: list[bytes] = []
        # For each window that `found` holds the start of: where it begins, here and in `found`, and
        # its size.
        windows: list[tuple[int, int, int]] = []
        place, size = 0, WINDOW
        while True:
            end = min(place + size, total)
            result = self._merged(tuple(symbols[place:end]))
            if found and not self._go_together(found[-1], result[0], place):
                place, n_found, size = windows.pop()
                del found[n_found:]
                size = 2 * max(size, end - place)
                continue
            if end == total:
                return found + result
            if len(result) < FEWEST:
                size *= 2
                continue
            done = result[: -max(2, len(result) // 32)]
            windows.append((place, len(found), size))
            found += done
            place += self._count(place, sum(map(len, done)))
            size = WINDOW

    def _merged(self, window: Symbols) -> list[bytes]:
        result = self._known.get(window)
        if result is None:
            if len(self._known) >= MOST_WINDOWS:
                self._known.clear()
            result = self._known[window] = merge_symbols(
                list(window), self._priority, self._separator, scored=self._scored
            )
        return result

    def _go_together(self, left: bytes, right: bytes, place: int) -> bool:
        """Whether the symbols that meet at `place` stay apart when merged by themselves."""
        start = place
        size = len(left)
        while size:
            start -= 1
            size -= len(self._symbols[start])
        pair = tuple(self._symbols[start : place + self._count(place, len(right))])
        return self._merged(pair) == [left, right]

    def _count(self, place: int, size: int) -> int:
        """How many symbols from `place` on make up `size` bytes."""
        end = place
        while size:
            size -= len(self._symbols[end])
            end += 1
        return end - place
