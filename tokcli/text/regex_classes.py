"""Translates a published pre-tokenizer regex into one that Python's `re` runs with the same result.

llama.cpp does not run the published patterns on the text. Where a pattern names a Unicode category
it first collapses every non-ASCII code point to one byte for its class, so that each of Lu, Ll and
so on means "any letter"; elsewhere it turns non-ASCII white space into a vertical tab. The same
effect is had here by spelling each class out as ranges of code points from unicode_table, in one of
three alphabets:

- "ascii": only the ASCII part of each class, for text that is all ASCII. Such patterns compile in a
  tenth of the time, and a short prompt pays for no more.
- "bmp": for text without surrogates and code points past U+FFFF, or in which `stand_in` has
  replaced them by one surrogate for each class. `re` looks a BMP character up in a table, but tries
  ranges past U+FFFF one after another, for every character that is in none of them.
- "all": any other text, for patterns without categories.

Source: unicode_regex_split in llama.cpp's src/unicode.cpp.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Literal

__all__ = ["Alphabet", "split_alternatives", "stand_in", "translate"]

LAST = 0x10FFFF
Ranges = tuple[tuple[int, int], ...]
Alphabet = Literal["ascii", "bmp", "all"]

ASCII_CATEGORIES = {
    "L": "A-Za-z",
    "N": "0-9",
    "P": "!-#%-*,-/:;?@[\\]_{}",
    "S": "$+<=>^`|~",
    "M": "",
}
ASCII_WHITESPACE: Ranges = ((0x09, 0x0D), (0x20, 0x20))
ESCAPED = {"r": "\r", "n": "\n", "t": "\t"}
# The Han test of the Kimi-K2 splitter is by block, not by script.
HAN: Ranges = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2EBEF),
    (0x2F800, 0x2FA1F),
)


# (category, whether Han) -> what stands for such code points past U+FFFF, and one of them.
# "" is any category that the patterns do not name.
STAND_INS: dict[tuple[str, bool], tuple[int, int]] = {
    ("L", False): (0xD800, 0x10400),
    ("L", True): (0xD801, 0x20000),
    ("N", False): (0xD802, 0x1D7CE),
    ("P", False): (0xD803, 0x10100),
    ("M", False): (0xD804, 0x1D165),
    ("S", False): (0xD805, 0x1F600),
    ("", False): (0xD806, 0xE0001),
    ("", True): (0xD807, 0x2FA1E),
}


def stand_in(char: str) -> str:
    """The surrogate that stands in for a surrogate or a code point past U+FFFF."""
    from tokcli.text.unicode_maps import category as category_of

    code_point = ord(char)
    name = category_of(code_point)
    kind = (name if name in ASCII_CATEGORIES else "", contains(HAN, code_point))
    return chr(STAND_INS[kind][0])


def normalize(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Sorted ranges without overlap."""
    result: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if result and first <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(last, result[-1][1]))
        else:
            result.append((first, last))
    return tuple(result)


def complement(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """All code points that are in none of `ranges`."""
    result = []
    start = 0
    for first, last in normalize(ranges):
        if first > start:
            result.append((start, first - 1))
        start = last + 1
    if start <= LAST:
        result.append((start, LAST))
    return tuple(result)


def intersect(left: Ranges, right: Ranges) -> Ranges:
    """The code points that are in both."""
    return complement((*complement(left), *complement(right)))


def contains(ranges: Ranges, code_point: int) -> bool:
    """Whether `code_point` is in one of `ranges`."""
    return any(first <= code_point <= last for first, last in ranges)


def _pairs(flat: tuple[int, ...]) -> Ranges:
    return tuple(zip(flat[::2], flat[1::2], strict=True))


@cache
def whitespace(ascii_only: bool) -> Ranges:
    """What \\s stands for: the table's white space."""
    if ascii_only:
        return ASCII_WHITESPACE
    from tokcli.text.unicode_table import WHITESPACE

    return _pairs(WHITESPACE)


@cache
def category(name: str, ascii_only: bool) -> Ranges:
    """What \\p{name} stands for; each of Lu, Ll, Lt, Lm, Lo means any letter."""
    if name == "Han":
        return HAN
    if name == "LnotHan":
        return intersect(category("L", ascii_only), complement(HAN))
    name = name[0]
    if ascii_only:
        return parse_class(ASCII_CATEGORIES[name].replace("\\", "\\\\").replace("]", "\\]"), True)
    from tokcli.text.unicode_table import CATEGORY_RANGES

    # White space is collapsed to a vertical tab before its category is looked at.
    return intersect(_pairs(CATEGORY_RANGES[name]), complement(whitespace(False)))


def parse_class(body: str, ascii_only: bool) -> Ranges:
    """The code points of a bracket expression's body (without brackets and leading caret)."""
    ranges: list[tuple[int, int]] = []
    position = 0
    pending: int | None = None
    while position < len(body):
        item, position = _class_item(body, position, ascii_only)
        if not isinstance(item, int):
            ranges.extend(item)
            pending = None
        elif pending is not None:
            ranges.append((pending, item))
            pending = None
        elif body[position : position + 1] == "-" and position + 1 < len(body):
            pending = item
            position += 1
        else:
            ranges.append((item, item))
    return normalize(ranges)


def _bracketed(body: str, ascii_only: bool) -> Ranges:
    """The code points of "class", "^class", or "class&&other" (class, but not other)."""
    if body.startswith("^"):
        return complement(parse_class(body[1:], ascii_only))
    wanted, _, unwanted = body.partition("&&")
    ranges = parse_class(wanted, ascii_only)
    if unwanted:
        ranges = intersect(ranges, complement(parse_class(unwanted, ascii_only)))
    return ranges


def _class_item(body: str, position: int, ascii_only: bool) -> tuple[int | Ranges, int]:
    char = body[position]
    if char != "\\":
        return ord(char), position + 1
    kind = body[position + 1]
    if kind == "s":
        return whitespace(ascii_only), position + 2
    if kind == "p":
        end = body.index("}", position)
        return category(body[position + 3 : end], ascii_only), end + 1
    if kind == "u":
        return int(body[position + 2 : position + 6], 16), position + 6
    return ord(ESCAPED.get(kind, kind)), position + 2


def _bracket(ranges: Ranges, alphabet: Alphabet) -> str:
    """`ranges` as a bracket expression of Python's re."""
    if alphabet == "ascii":
        ranges = intersect(ranges, ((0, 0x7F),))
    elif alphabet == "bmp":
        stand_ins = [
            (surrogate, surrogate)
            for surrogate, sample in STAND_INS.values()
            if contains(ranges, sample)
        ]
        ranges = normalize((*intersect(ranges, ((0, 0xD7FF), (0xE000, 0xFFFF))), *stand_ins))
    if not ranges:
        return r"[^\x00-\U0010ffff]"
    parts = []
    for first, last in ranges:
        parts.append(_literal(first))
        if last > first:
            parts.append(f"-{_literal(last)}")
    return f"[{''.join(parts)}]"


def _literal(point: int) -> str:
    """A character as it stands in a bracket expression: re reads it much faster than an escape."""
    char = chr(point)
    return char if point > 0x7F or char.isalnum() else f"\\{char}"


def split_alternatives(pattern: str) -> tuple[str, ...]:
    """The top-level alternatives of `pattern`."""
    parts = [""]
    depth = position = 0
    while position < len(pattern):
        end = _unit_end(pattern, position)
        unit = pattern[position:end]
        position = end
        depth += {"(": 1, ")": -1}.get(unit, 0)
        if unit == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += unit
    return tuple(parts)


def _unit_end(pattern: str, position: int) -> int:
    """The end of the escape, bracket expression or character at `position`."""
    if pattern[position] == "\\":
        if pattern[position + 1] == "p":
            return pattern.index("}", position) + 1
        return position + (6 if pattern[position + 1] == "u" else 2)
    if pattern[position] != "[":
        return position + 1
    end = position + 1
    while pattern[end] != "]":
        end += 2 if pattern[end] == "\\" else 1
    return end + 1


def translate(pattern: str, *, alphabet: Alphabet, published: str) -> str:
    """`pattern` for Python's re, without capture groups.

    `published` is the regex as llama.cpp has it: whether it names a category decides how non-ASCII
    white space takes part.
    """
    collapsed = names_category(published)
    result = []
    position = 0
    while position < len(pattern):
        end = _unit_end(pattern, position)
        unit = pattern[position:end]
        position = end
        if unit.startswith(("[", r"\p")) or unit in (r"\s", r"\S"):
            result.append(_class(unit, alphabet, collapsed))
        elif unit == r"\d":
            result.append("[0-9]")
        elif unit == "(" and pattern[position : position + 1] != "?":
            result.append("(?:")
        else:
            result.append(unit)
    return "".join(result)


@cache
def _class(unit: str, alphabet: Alphabet, collapsed: bool) -> str:
    r"""One class of a pattern: a bracket expression, \p, \s or \S."""
    ascii_only = alphabet == "ascii"
    if unit.startswith("["):
        ranges = _bracketed(unit[1:-1], ascii_only)
        if not collapsed and not ascii_only:
            ranges = _as_vertical_tab(ranges)
    elif unit.startswith(r"\p"):
        ranges = category(unit[3:-1], ascii_only)
    else:
        ranges = whitespace(ascii_only)
        if unit == r"\S":
            ranges = complement(ranges)
    return _bracket(ranges, alphabet)


def names_category(published: str) -> bool:
    """Whether llama.cpp collapses the text for this regex."""
    return r"\p{" in published


def _as_vertical_tab(ranges: Ranges) -> Ranges:
    """`ranges` as they match text whose non-ASCII white space has become U+000B."""
    spaces = intersect(whitespace(False), ((0x80, LAST),))
    if contains(ranges, 0x0B):
        return normalize((*ranges, *spaces))
    return intersect(ranges, complement(spaces))
