"""Splits prepared text into the chunks that merging never crosses.

A pre-tokenizer is a list of regexes; each splits the pieces of the one before, and text between
matches is a piece of its own.
Source: unicode_regex_split in llama.cpp's src/unicode.cpp.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property
from itertools import accumulate, chain, islice, pairwise
from operator import itemgetter
from typing import Any, NamedTuple

from tokcli.pretokenizer_table import REGEXES
from tokcli.splitters import SPLITTERS, WITHIN_CHUNKS, Splitter
from tokcli.text.matches import LONGEST_LISTED, cut_at
from tokcli.text.regex_classes import (
    Alphabet,
    names_category,
    split_alternatives,
    stand_in,
    translate,
)

__all__ = ["Piece", "Stage", "regex_stages"]

# Matches at a time: few, so that their memory is used again and stays in the cache.
FEW = 256
# Characters of a lot and of a list in it, where text can be cut between words.
LOT = 1 << 21
SEGMENT = 1 << 14
# Pieces at a time, at most: memory stays bounded, and those that are new can be merged together.
BATCH = 1 << 18


class Piece(NamedTuple):
    """A span of the split text, in code points, and the alternative that matched it (None for
    text between matches, and where a hand-written splitter has no such notion)."""

    start: int
    end: int
    alternative: int | None


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
        self._parts_words = splitter.parts_words
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

    def lots(self, text: str) -> Iterator[Iterable[list[str]]]:
        """What split() gives, in lists; several lots of them where the text is long, so that memory
        stays bounded. Where text can be cut between words the lists are short, so that their memory
        is used again and stays in the cache."""
        if not self._parts_words:
            for pieces in self._batches(text):
                yield (pieces,)
            return
        for stretch in cut_at(_WORD_END, text, LOT):
            if len(stretch) > LONGEST_LISTED:
                for pieces in self._batches(stretch):
                    yield (pieces,)
            else:
                matched, alphabet = self._matched(stretch)
                split = self._splitter(alphabet) if matched is stretch else self.split
                yield map(split, cut_at(_WORD_END, stretch, SEGMENT))

    def _batches(self, text: str) -> Iterator[list[str]]:
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


_WORD_END = re.compile(r"\w(?= )")
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
