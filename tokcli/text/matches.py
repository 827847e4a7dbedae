"""All matches of a regex, with no list of them where the text is long.

A list of words takes twenty times the memory of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from operator import itemgetter

__all__ = ["LONGEST_LISTED", "matches"]

LONGEST_LISTED = 1 << 22


def matches(pattern: re.Pattern[str], text: str) -> Iterable[str]:
    """What pattern.findall(text) gives, `pattern` being without groups."""
    if len(text) <= LONGEST_LISTED:
        return pattern.findall(text)
    return map(itemgetter(0), pattern.finditer(text))
