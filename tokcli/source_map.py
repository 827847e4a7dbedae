"""Where each byte of a prepared text came from in the input. Built only while tracing."""

from __future__ import annotations

from collections.abc import Iterable

from tokcli import events
from tokcli.text.unicode import encode

__all__ = ["SourceMap"]


class SourceMap:
    """A prepared text and, for each of its bytes, the span of the input that it stands for.

    `exact` is False where the text was rewritten, so that spans enclose rather than equal.
    """

    def __init__(self, units: Iterable[tuple[bytes, int, int]], *, exact: bool, end: int) -> None:
        """`units`: stretches of prepared text, each with its span in the input (empty for text
        that was put in); `end`: where the input of the fragment ends."""
        parts = []
        starts: list[int] = []
        ends: list[int] = [0]
        for unit, unit_start, unit_end in units:
            parts.append(unit)
            # Of rewritten text, lengths that happen to be equal say nothing.
            if exact and len(unit) == unit_end - unit_start:
                starts.extend(range(unit_start, unit_end))
                ends.extend(range(unit_start + 1, unit_end + 1))
            else:
                starts.extend([unit_start] * len(unit))
                ends.extend([unit_end] * len(unit))
        starts.append(end)
        ends[0] = starts[0]
        self.text = b"".join(parts)
        self.exact = exact
        self._starts = starts
        self._ends = ends

    @classmethod
    def of_text(cls, text: str, offsets: list[int]) -> SourceMap:
        """For text whose code point i came from bytes offsets[i]..offsets[i + 1] of the input."""
        units = ((encode(char), offsets[i], offsets[i + 1]) for i, char in enumerate(text))
        return cls(units, exact=True, end=offsets[-1])

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The bytes of the input that bytes start..end of the prepared text stand for."""
        if start == end:
            return self._starts[start], self._starts[start]
        return self._starts[start], max(self._ends[end], self._starts[start])

    def emit(self, trace: events.TraceSink, id: int, start: int, end: int) -> None:
        """Report token `id`, which covers bytes start..end of the prepared text."""
        first, last = self.span(start, end)
        trace(events.TokenEmitted(id, first, last, start, end, self.exact))
