"""Matches of a regex in text that may be long, with no list of all of them, which takes twenty
times the memory of the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from operator import itemgetter

__all__ = ["LONGEST_LISTED", "cut_at", "matches"]

LONGEST_LISTED = 1 << 22


def matches(pattern: re.Pattern[str], text: str) -> Iterable[str]:
    """What pattern.findall(text) gives, `pattern` being without groups."""
    if len(text) <= LONGEST_LISTED:
        return pattern.findall(text)
    return map(itemgetter(0), pattern.finditer(text))


def cut_at(pattern: re.Pattern[str], text: str, size: int) -> Iterator[str]:
    """`text` cut where matches of `pattern` end, each piece after `size` characters and as many
    more as it takes."""
    start = 0
    while len(text) > start + size and (found := pattern.search(text, start + size)):
        yield text[start : found.end()]
        start = found.end()
    yield text[start:]
