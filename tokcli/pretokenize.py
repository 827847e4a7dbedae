"""Splits prepared text into the chunks that merging never crosses.

A pre-tokenizer is a list of regexes; each splits the pieces of the one before, and text between
matches is a piece of its own. A few patterns llama.cpp runs as hand-written splitters, chosen by
string equality; SPLITTERS gives for each a pattern of the same effect. The same table replaces
patterns that are slow as published: lookaheads that count digits to the end of a run, say, or
white space measured again for each piece of it.
Source: unicode_regex_split and unicode_regex_split_custom_* in llama.cpp's src/unicode.cpp.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from itertools import accumulate, chain, islice, pairwise
from operator import itemgetter
from typing import Any, NamedTuple

from tokcli.pretokenizer_table import REGEXES
from tokcli.text.matches import LONGEST_LISTED
from tokcli.text.regex_classes import (
    Alphabet,
    names_category,
    split_alternatives,
    stand_in,
    translate,
    whitespace,
)

__all__ = ["Piece", "Stage", "regex_stages"]

# Matches at a time: few, so that their memory is used again and stays in the cache.
FEW = 256
# Pieces at a time, at most: memory stays bounded, and those that are new can be merged together.
BATCH = 1 << 18
CONTRACTION = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"


class Piece(NamedTuple):
    """A span of the split text, in code points, and the alternative that matched it (None for
    text between matches, and where a hand-written splitter has no such notion)."""

    start: int
    end: int
    alternative: int | None


class Splitter(NamedTuple):
    """How a pattern is run: `matching` is the pattern in place of the published one, `regroup`
    then cuts or joins its chunks, `name` is the reference's hand-written splitter if it has one.
    `shown` is the pattern that explains the result, where it is not `matching`. `total` says that
    it matches every character wherever that stands, and so leaves nothing between its matches."""

    matching: str
    name: str | None = None
    regroup: Callable[[list[str]], list[str]] | None = None
    shown: str | None = None
    total: bool = False


def in_threes(digits: str) -> list[str]:
    """Digits in groups of three counted from the end: "1234567" -> "1", "234", "567"."""
    head = len(digits) % 3
    groups = [digits[i : i + 3] for i in range(head, len(digits), 3)]
    return [digits[:head], *groups] if head else groups


@cache
def _numbers() -> re.Pattern[str]:
    return re.compile(translate(r"\p{N}+", alphabet="all", published=r"\p{N}"))


def group_numbers(chunks: list[str]) -> list[str]:
    """Cut each run of numbers in threes from its end."""
    is_number = _numbers().match
    result = []
    for chunk in chunks:
        if len(chunk) > 3 and is_number(chunk):
            result += in_threes(chunk)
        else:
            result.append(chunk)
    return result


def group_numbers_after_text(chunks: list[str]) -> list[str]:
    """As group_numbers, but the first group stays with the text before it: the AFMoE splitter
    only ever marks ends of groups."""
    is_number = _numbers().match
    result = []
    text = ""
    for chunk in chunks:
        if is_number(chunk):
            first, *rest = in_threes(chunk)
            result += [text + first, *rest]
            text = ""
        else:
            text = chunk
    return [*result, text] if text else result


def cut_thousands(chunks: list[str]) -> list[str]:
    """Cut before each place from which ASCII digits run on in a multiple of three, nowhere else."""
    result: list[str] = []
    current: list[str] = []
    for chunk in chunks:
        is_digits = chunk[0] in "0123456789"
        for group in in_threes(chunk) if is_digits else [chunk]:
            if current and is_digits and len(group) == 3:
                result.append("".join(current))
                current = []
            current.append(group)
    return [*result, "".join(current)] if current else result


def group_whitespace(chunks: list[str]) -> list[str]:
    """Cut white space that ends no line in pieces of 512, 256, ..., 2, 1, largest first."""
    spaces = "".join(chr(c) for first, last in whitespace(False) for c in range(first, last + 1))
    result = []
    for chunk in chunks:
        if len(chunk) == 1 or chunk[-1] in "\r\n" or chunk.strip(spaces):
            result.append(chunk)
            continue
        start = 0
        for size in (512, 256, 128, 64, 32, 16, 8, 4, 2, 1):
            while len(chunk) - start >= size:
                result.append(chunk[start : start + size])
                start += size
    return result


# What regroups each chunk by itself.
WITHIN_CHUNKS = (group_numbers, group_whitespace)

SPLITTERS: dict[str, Splitter] = {
    REGEXES["gpt2"][0]: Splitter(
        # A leading space is tried once; of the others no two begin alike but those with "'".
        r" (?:\p{L}+|\p{N}+|[^\s\p{L}\p{N}]+)|\p{L}+|'(?:[stmd]|re|ve|ll)|[^\s\p{L}\p{N}]+"
        r"|\s+(?!\S)|\s+|\p{N}+",
        "gpt2",
        shown=REGEXES["gpt2"][0] + r"|\s+",
        total=True,
    ),
    REGEXES["llama3"][0]: Splitter(REGEXES["llama3"][0], "llama3", total=True),
    REGEXES["qwen2"][0]: Splitter(REGEXES["qwen2"][0], "qwen2", total=True),
    REGEXES["qwen35"][0]: Splitter(REGEXES["qwen35"][0], "qwen35", total=True),
    REGEXES["k2_horizon"][0]: Splitter(
        # Its splitter folds case, so the long s makes a contraction too.
        REGEXES["k2_horizon"][0]
        .replace(r"(?:\p{L}|\p{M}|\u200C|\u200D)+", r"[\p{L}\p{M}\u200C\u200D]+")
        .replace("'[sS]", "'[sSſ]"),
        "k2_horizon",
    ),
    REGEXES["kimi_k2"][0]: Splitter(
        r"\p{Han}+"
        rf"|[^\r\n\p{{L}}\p{{N}}]?\p{{LnotHan}}+{CONTRACTION}?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        "kimi_k2",
    ),
    REGEXES["afmoe"][0]: Splitter(
        r"[^\p{N}]+|\p{N}+",
        "afmoe",
        group_numbers_after_text,
        r"[^\p{N}]*\p{N}{1,3}|[^\p{N}]+",
        total=True,
    ),
    REGEXES["tiny_aya"][0]: Splitter(
        r"[^\p{N}]+|\p{N}+",
        "afmoe",
        group_numbers_after_text,
        r"[^\p{N}]*\p{N}{1,3}|[^\p{N}]+",
        total=True,
    ),
    REGEXES["newlines"][0]: Splitter(REGEXES["newlines"][0], "newlines"),
    REGEXES["superbpe"][1]: Splitter(r"[0-9]+|[^0-9]+", regroup=cut_thousands, total=True),
    REGEXES["exaone_moe"][0]: Splitter(
        REGEXES["exaone_moe"][0].replace(
            r"(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+", r"\p{L}[\p{L}\p{M}]*(?: \p{L}[\p{L}\p{M}]*)*"
        ),
        shown=REGEXES["exaone_moe"][0],
    ),
    REGEXES["jais2"][0]: Splitter(
        REGEXES["jais2"][0].split(r"|\s{512}")[0] + r"|\s+(?!\S)|\s",
        regroup=group_whitespace,
        shown=REGEXES["jais2"][0],
    ),
    REGEXES["tekken_num3"][0]: Splitter(
        REGEXES["tekken_num3"][0].replace(
            r"|\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))|\p{N}{1,2}", r"|\p{N}+"
        ),
        regroup=group_numbers,
        shown=REGEXES["tekken_num3"][0],
    ),
    REGEXES["deepseek_llm"][3]: Splitter(r"(?<!\s)\s+\Z", shown=REGEXES["deepseek_llm"][3]),
}

# "a letter or mark, but not a-z" is published as a lookahead and a group for each character.
_LOOKAHEAD_CLASS = re.compile(r"\(\(\?=\[([^\]]*)\]\)\(\[\^([^\]]*)\]\)\)")


class Stage:
    """One regex of a pre-tokenizer."""

    def __init__(self, published: str) -> None:
        splitter = SPLITTERS.get(published, Splitter(published))
        self.pattern = published
        self.splitter = splitter.name
        self._published = published
        self._matching = splitter.matching
        self._regroup = splitter.regroup
        self._splitters: dict[Alphabet, Callable[[str], list[str]]] = {}
        self._shown = splitter.shown or splitter.matching
        self._collapsed = names_category(published)
        self._total = splitter.total
        # A pattern that ends in "any white space" mostly leaves nothing between its matches.
        self._covering = split_alternatives(self._matching)[-1] in (r"\s+", r"\s")

    @cached_property
    def alternatives(self) -> tuple[str, ...]:
        """The top-level alternatives that Piece.alternative counts."""
        return split_alternatives(self._shown)

    def split(self, text: str) -> list[str]:
        """The pieces of `text`, in order; together they are `text`."""
        matched, alphabet = self._matched(text)
        pieces = self._splitter(alphabet)(matched)
        if matched is not text:
            ends = list(accumulate(map(len, pieces), initial=0))
            pieces = [text[start:end] for start, end in pairwise(ends)]
        return self._regroup(pieces) if self._regroup else pieces

    def split_each(self, texts: Sequence[str]) -> list[list[str]]:
        """What split() gives for each of many short texts."""
        if self._regroup:
            return list(map(self.split, texts))
        ascii, bmp, past_bmp = self._splitter("ascii"), self._splitter("bmp"), _PAST_BMP.search
        return [
            [text]
            if len(text) == 1
            else ascii(text)
            if text.isascii()
            else self.split(text)
            if past_bmp(text)
            else bmp(text)
            for text in texts
        ]

    def _splitter(self, alphabet: Alphabet) -> Callable[[str], list[str]]:
        """Splits text written in `alphabet`, before regrouping."""
        splitter = self._splitters.get(alphabet)
        if splitter is None:
            splitter = self._splitters[alphabet] = self._make_splitter(alphabet)
        return splitter

    def _make_splitter(self, alphabet: Alphabet) -> Callable[[str], list[str]]:
        if self._total:
            return _compile(self._matching, self._published, alphabet).findall
        split = _compile_split(self._matching, self._published, alphabet)

        def split_with_between(text: str) -> list[str]:
            pieces = split(text)
            return pieces if text and len(pieces) == 1 else list(filter(None, pieces))

        if not self._covering:
            return split_with_between
        find = _compile(self._matching, self._published, alphabet).findall

        def split_covered(text: str) -> list[str]:
            pieces: list[str] = find(text)
            return pieces if sum(map(len, pieces)) == len(text) else split_with_between(text)

        return split_covered

    def batches(self, text: str) -> Iterator[list[str]]:
        """What split() gives, in several lists where the text is long."""
        if len(text) <= LONGEST_LISTED or self._regroup not in (None, *WITHIN_CHUNKS):
            yield self.split(text)
            return
        pieces: list[str] = []
        size = 0
        for few in self._few_at_a_time(text):
            pieces += few
            size += sum(map(len, few))
            if len(pieces) >= BATCH or size >= LONGEST_LISTED:
                yield pieces
                pieces, size = [], 0
        if pieces:
            yield pieces

    def _few_at_a_time(self, text: str) -> Iterator[list[str]]:
        matched, alphabet = self._matched(text)
        found = _compile(self._matching, self._published, alphabet).finditer(matched)
        end = 0
        while few := list(islice(found, FEW)):
            start, end = end, few[-1].end()
            pieces = list(map(_whole_match, few))
            if matched is not text or sum(map(len, pieces)) != end - start:
                pieces = _with_between(text, start, few)
            yield self._regroup(pieces) if self._regroup else pieces
        if end < len(text):
            yield [text[end:]]

    def _matched(self, text: str) -> tuple[str, Alphabet]:
        """What the regex is run on, as long as `text`, and the alphabet that it is written in."""
        if text.isascii():
            return text, "ascii"
        if _within_bmp(text):
            return text, "bmp"
        if not self._collapsed:
            return text, "all"
        return _PAST_BMP.sub(lambda match: _stand_in(match[0]), text), "bmp"

    def pieces(self, text: str) -> list[Piece]:
        """What split() gives, as spans, with the alternative that matched each."""
        matched, alphabet = self._matched(text)
        grouped = _compile_grouped(self.alternatives, self._published, alphabet)
        result = []
        start = 0
        for piece in self.split(text):
            end = start + len(piece)
            match = grouped.match(matched, start)
            number = match.lastindex if match is not None and match.end() == end else None
            result.append(Piece(start, end, None if number is None else number - 1))
            start = end
        return result


def _with_between(text: str, start: int, found: list[re.Match[str]]) -> list[str]:
    """The text of each match, and that between `start` and the matches."""
    ends = [start, *chain.from_iterable(match.span() for match in found)]
    return [text[first:last] for first, last in pairwise(ends) if first < last]


def _within_bmp(text: str) -> bool:
    """Whether all of it takes one unit each in UTF-16: quicker than a search of long text."""
    try:
        return len(text.encode("utf-16-le")) == 2 * len(text)
    except UnicodeEncodeError:
        return False


_whole_match = itemgetter(0)
_PAST_BMP = re.compile("[\ud800-\udfff\U00010000-\U0010ffff]")
_stand_in = cache(stand_in)


def _translated(pattern: str, published: str, alphabet: Alphabet) -> str:
    pattern = _LOOKAHEAD_CLASS.sub(r"[\1&&\2]", pattern)
    return translate(pattern, alphabet=alphabet, published=published)


@cache
def _compile(pattern: str, published: str, alphabet: Alphabet) -> re.Pattern[str]:
    return re.compile(_translated(pattern, published, alphabet))


@cache
def _compile_split(
    pattern: str, published: str, alphabet: Alphabet
) -> Callable[[str], list[str | Any]]:
    return re.compile(f"({_translated(pattern, published, alphabet)})").split


@cache
def _compile_grouped(
    alternatives: tuple[str, ...], published: str, alphabet: Alphabet
) -> re.Pattern[str]:
    parts = [_translated(part, published, alphabet) for part in alternatives]
    return re.compile("|".join(f"({part})" for part in parts))


def regex_stages(name: str) -> list[Stage]:
    """The stages of the regex list `name` in pretokenizer_table.REGEXES."""
    return [Stage(published) for published in REGEXES[name]]
