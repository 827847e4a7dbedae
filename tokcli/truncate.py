"""Cuts a text to the longest prefix that fits a number of tokens.

A longer prefix may take fewer tokens (a marker that is complete at last, a run of spaces that grew
to a token of its own), so the end of the last token that fits is only where the search begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from tokcli.errors import UsageError
from tokcli.tokenizer import Tokenizer

__all__ = ["truncate"]

# Bytes after a prefix that fits in which a longer one is looked for. Longer than nearly any token.
WINDOW = 256
# Counting starts this many bytes before the window, where that is known to change nothing.
CONTEXT = 512
FIRST_GUESS = 8  # bytes a token: more than most text has


def truncate(
    tokenizer: Tokenizer,
    data: bytes,
    limit: int,
    *,
    add_special: bool = True,
    parse_special: bool = True,
) -> bytes:
    """The longest prefix of `data` that tokenizes to at most `limit` tokens, special ones included.

    It never ends inside a well-formed UTF-8 character. "Longest": no prefix that ends within 256
    bytes after it fits.

    Raises UsageError when not even the empty text fits, TokenizeError as Tokenizer.tokenize.
    """

    def count(end: int) -> int:
        text = data[:end]
        return len(tokenizer.tokenize(text, add_special=add_special, parse_special=parse_special))

    if (least := count(0)) > limit:
        raise UsageError(
            f"no text fits {limit} tokens: the special tokens alone are {least}; "
            "tokenize without them or raise the limit"
        )
    high = min(len(data), FIRST_GUESS * limit + WINDOW)
    while count(high) <= limit:
        if high == len(data):
            return data
        high = min(len(data), 2 * high)
    low = 0
    while high - low > 1:
        middle = (low + high) // 2
        if count(middle) <= limit:
            low = middle
        else:
            high = middle
    low = next(end for end in _boundaries(data, low, -1) if count(end) <= limit)
    while (further := _further(data, low, limit, count, tokenizer, parse_special)) is not None:
        low = further
    return data[:low]


def _further(
    data: bytes,
    low: int,
    limit: int,
    count: Callable[[int], int],
    tokenizer: Tokenizer,
    parse_special: bool,
) -> int | None:
    """The end of the longest prefix that fits within a window after `low`, if there is one."""
    last = min(len(data), low + WINDOW)
    quick = _local_count(data, low, last, count, tokenizer, parse_special)
    for counter in (quick, count):
        if counter is None:
            continue
        found = next((end for end in _boundaries(data, last, low) if counter(end) <= limit), None)
        if found is None or count(found) <= limit:
            return found
    raise AssertionError("count disagrees with itself")


def _local_count(
    data: bytes,
    low: int,
    last: int,
    count: Callable[[int], int],
    tokenizer: Tokenizer,
    parse_special: bool,
) -> Callable[[int], int] | None:
    """A count that tokenizes only what follows some space before `low`, if there is a space where
    that makes no difference to prefixes up to `low` and up to `last`."""

    def ids(start: int, end: int) -> list[int]:
        return tokenizer.tokenize(data[start:end], add_special=False, parse_special=parse_special)

    space = data.rfind(b" ", 1, max(1, low - CONTEXT))
    if space < 0:
        return None
    whole_low, whole_last = ids(0, low), ids(0, last)
    special = count(low) - len(whole_low)
    # A vocabulary that puts a space before each text wants the text without the one it has.
    for start in (space, space + 1):
        local_low, local_last = ids(start, low), ids(start, last)
        before = len(whole_low) - len(local_low)
        if whole_low[before:] == local_low and whole_last[before:] == local_last:
            base = special + before
            return partial(_count_from, ids, start, base)
    return None


def _count_from(ids: Callable[[int, int], list[int]], start: int, base: int, end: int) -> int:
    return base + len(ids(start, end))


def _boundaries(data: bytes, start: int, stop: int) -> Iterator[int]:
    """Offsets from `start` down to, not including, `stop` that are not inside a character."""
    for end in range(start, stop, -1):
        if not _inside_character(data, end):
            yield end


def _inside_character(data: bytes, offset: int) -> bool:
    """Whether a well-formed UTF-8 character lies across `offset`."""
    if not 0 < offset < len(data) or data[offset] & 0xC0 != 0x80:
        return False
    start = offset - 1
    while start > 0 and start > offset - 3 and data[start] & 0xC0 == 0x80:
        start -= 1
    lead = data[start]
    length = 2 if 0xC2 <= lead <= 0xDF else 3 if 0xE0 <= lead <= 0xEF else 4
    try:
        char = data[start : start + length].decode("utf-8")
    except UnicodeDecodeError:
        return False
    return len(char) == 1 and start + length > offset
