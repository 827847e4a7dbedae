"""How BPE rewrites a fragment before splitting it: spaces, metaspaces, case.

Each rule takes the text and, while tracing, `offsets`: where each code point starts in the input,
and where the last one ends. It returns both rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from tokcli.text import unicode
from tokcli.text.regex_classes import translate
from tokcli.text.unicode_maps import lowercase_map

__all__ = [
    "METASPACE",
    "Rule",
    "Text",
    "escape_whitespaces",
    "lowercase",
    "prefix_first",
    "prefix_lines",
    "prefix_words",
    "segments_between_whitespace",
    "soprano",
]

METASPACE = unicode.METASPACE.decode()

Offsets = list[int] | None
Text = tuple[str, Offsets]
Rule = Callable[[str, Offsets], Text]


@cache
def _whitespace(suffix: str) -> re.Pattern[str]:
    return re.compile(translate(rf"\s{suffix}", alphabet="all", published=r"\s"))


@cache
def _text(suffix: str) -> re.Pattern[str]:
    return re.compile(translate(rf"\S{suffix}", alphabet="all", published=r"\s"))


def escape_whitespaces(text: str, offsets: Offsets) -> Text:
    """Spaces become U+2581."""
    return text.replace(" ", METASPACE), offsets


def prefix_first(text: str, offsets: Offsets) -> Text:
    """metaspace.prepend_scheme = first: the input starts with U+2581."""
    if text.startswith(METASPACE):
        return text, offsets
    return METASPACE + text, None if offsets is None else [offsets[0], *offsets]


def prefix_lines(text: str, offsets: Offsets) -> Text:
    """mmbert: every line starts with U+2581."""
    if offsets is not None:
        grown = []
        for index, char in enumerate(text):
            if char not in ("\n", METASPACE) and (index == 0 or text[index - 1] == "\n"):
                grown.append(offsets[index])
            grown.append(offsets[index])
        offsets = [*grown, offsets[-1]]
    return re.sub(r"(?<![^\n])(?=[^\n▁])", METASPACE, text), offsets


def prefix_words(text: str, offsets: Offsets) -> Text:
    """mmbert under model `whitespace`: so does every word."""
    parts: list[str] = []
    grown: list[int] = []
    end = 0
    for start, _ in segments_between_whitespace(text):
        if text[start] != METASPACE:
            parts += (text[end:start], METASPACE)
            if offsets is not None:
                grown += (*offsets[end:start], offsets[start])
            end = start
    parts.append(text[end:])
    return "".join(parts), None if offsets is None else grown + offsets[end:]


def lowercase(text: str, offsets: Offsets) -> Text:
    """Code points to lower case, one to one, by the reference's table."""
    return text.translate(lowercase_map()), offsets


def soprano(text: str, offsets: Offsets) -> Text:
    """Runs of white space become one space; lower case, with U+0130 as i + U+0307."""
    parts: list[str] = []
    grown: list[int] = []
    lower = lowercase_map()
    end = 0
    for run in _whitespace("+").finditer(text):
        parts += (_lower_soprano(text[end : run.start()], lower), " ")
        if offsets is not None:
            grown += _soprano_offsets(text, offsets, end, run.start())
            grown.append(offsets[run.start()])
        end = run.end()
    parts.append(_lower_soprano(text[end:], lower))
    if offsets is None:
        return "".join(parts), None
    return "".join(parts), [*grown, *_soprano_offsets(text, offsets, end, len(text)), offsets[-1]]


def _lower_soprano(text: str, lower: dict[int, int]) -> str:
    return text.replace("\u0130", "i\u0307").translate(lower)


def _soprano_offsets(text: str, offsets: list[int], start: int, end: int) -> list[int]:
    grown = []
    for index in range(start, end):
        grown += [offsets[index]] * (2 if text[index] == "\u0130" else 1)
    return grown


def segments_between_whitespace(text: str) -> Iterator[tuple[int, int]]:
    """Model `whitespace`: the spans of text between white space, which is dropped."""
    for match in _text("+").finditer(text):
        yield match.span()
