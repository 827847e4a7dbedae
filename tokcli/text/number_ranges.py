"""Lists of numbers and ranges as users write them: "0,5-10,500-"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tokcli.errors import UsageError

__all__ = ["numbers_in", "parse_ranges"]

_ITEM = re.compile(r"\s*(\d+)\s*(-\s*(\d*)\s*)?", re.ASCII)


def parse_ranges(text: str, *, option: str, count: int, noun: str) -> list[range]:
    """The ranges of `text`, both ends included; "5-" goes on to the last of `count` numbers, and
    so does a range that ends beyond it.

    `option` and `noun` ("token id") are for errors. Raises UsageError where the text is no such
    list, or a number or the start of a range lies outside.
    """
    ranges = []
    for item in text.split(","):
        match = _ITEM.fullmatch(item)
        if match is None:
            raise UsageError(f"{option}: '{item}' is no number and no range; write 7 or 0,5-10")
        first = int(match[1])
        last = first if match[2] is None else int(match[3] or count - 1)
        if first >= count:
            known = f"0 to {count - 1}" if count else "there are none"
            raise UsageError(f"{option}: {noun} {first} does not exist ({known})")
        if last < first:
            raise UsageError(f"{option}: range {item.strip()} ends before it starts")
        ranges.append(range(first, min(last, count - 1) + 1))
    return ranges


def numbers_in(ranges: Iterable[range]) -> Iterator[int]:
    """Every number of the ranges, in their order, each once."""
    seen: set[int] = set()
    for numbers in ranges:
        for number in numbers:
            if number not in seen:
                seen.add(number)
                yield number
