"""Look-ups in the generated Unicode tables: category, white space, lower case, base letter.

All four are llama.cpp's own notions, Unicode 15.1, whatever version the interpreter carries.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache

__all__ = ["base_letter_map", "category", "is_whitespace", "lowercase_map"]


def category(code_point: int) -> str:
    r"""The general category's first letter, as in `\p{L}`; "" for an unassigned code point.

    One of L (letter), N (number), P (punctuation), M (mark), S (symbol), C (control, format,
    surrogate or private use) and Z (separator).
    """
    firsts, lasts, names = _category_index()
    position = bisect_right(firsts, code_point) - 1
    if position < 0 or code_point > lasts[position]:
        return ""
    return names[position]


def is_whitespace(code_point: int) -> bool:
    r"""Whether the code point has the White_Space property: `\s` in llama.cpp's patterns.

    Not `str.isspace`, which also accepts the separators U+001C to U+001F.
    """
    return code_point in _whitespace()


@cache
def lowercase_map() -> dict[int, int]:
    """Code point -> its simple one-to-one lower case, for `str.translate`. Do not change it.

    U+0130 becomes a plain "i" here; `str.lower` would add U+0307.
    """
    from tokcli.text.unicode_table import LOWERCASE

    rows = zip(LOWERCASE[::4], LOWERCASE[1::4], LOWERCASE[2::4], LOWERCASE[3::4], strict=True)
    return {
        code_point: code_point + delta
        for first, last, step, delta in rows
        for code_point in range(first, last + 1, step)
    }


@cache
def base_letter_map() -> dict[int, int]:
    """Code point -> first code point of its canonical decomposition, for `str.translate`.

    llama.cpp's WordPiece normalizer keeps only that first code point, so a precomposed Hangul
    syllable becomes its leading consonant. Code points without a decomposition are left out.
    Do not change the dict.
    """
    from tokcli.text.unicode_table import BASE_LETTERS

    rows = zip(BASE_LETTERS[::3], BASE_LETTERS[1::3], BASE_LETTERS[2::3], strict=True)
    return {code_point: base for first, last, base in rows for code_point in range(first, last + 1)}


@cache
def _category_index() -> tuple[list[int], list[int], list[str]]:
    from tokcli.text.unicode_table import CATEGORY_RANGES

    ranges = sorted(
        (first, last, name)
        for name, bounds in CATEGORY_RANGES.items()
        for first, last in zip(bounds[::2], bounds[1::2], strict=True)
    )
    return [row[0] for row in ranges], [row[1] for row in ranges], [row[2] for row in ranges]


@cache
def _whitespace() -> frozenset[int]:
    from tokcli.text.unicode_table import WHITESPACE

    bounds = zip(WHITESPACE[::2], WHITESPACE[1::2], strict=True)
    return frozenset(code for first, last in bounds for code in range(first, last + 1))
