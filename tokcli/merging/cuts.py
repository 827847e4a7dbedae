"""Tokenizing in pieces that cannot affect each other, each distinct piece once.

Where no token holds two characters side by side, no token spans the place between them, and the
text on either side can be tokenized by itself: merges never cross it, a longest match ends there,
and every path through a lattice passes it. Two grades of cutting serve. The first cuts before each
`mark` (the space character of the vocabulary) that follows a character which no token holds before
a mark: one regex, and it suffices for most text. The second looks every pair of neighbours up; it
needs all pairs that tokens hold, and is for when expect() announces enough text. (For long text,
tokcli.batch.cuts does the second with numpy.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import chain
from operator import add

from tokcli.merging.memo import Memo
from tokcli.text.matches import matches
from tokcli.vocab import TokenId, TokenIds

__all__ = ["Cuts", "before", "joined", "neighbours", "well_formed"]


SHORTEST_CUT = 32
SHORTEST_FINE_CUT = 4096
MUCH_SHORT_TEXT = 4096


def joined(texts: Iterable[str]) -> str:
    """`texts` with a NUL between them, for Cuts: pairs with it say only that a NUL is not cut off,
    which is always right."""
    return "\0".join(texts)


def neighbours(joined: str) -> set[str]:
    """Every two characters that stand side by side."""
    return set(map(add, joined, joined[1:]))


def before(mark: str, texts: Iterable[bytes]) -> set[str]:
    """Every character that stands before `mark` in one of `texts`."""
    sought = mark.encode()
    found = [text for text in texts if text.find(sought, 1) > 0]
    return {pair[0] for pair in neighbours(joined(well_formed(found))) if pair[1] == mark} - {"\0"}


def well_formed(texts: Iterable[bytes]) -> Iterator[str]:
    """Those of `texts` that are UTF-8: well-formed text consists of no others."""
    for text in texts:
        try:
            yield text.decode()
        except UnicodeDecodeError:
            continue


class Cuts:
    """Tokenizes text by pieces. `tokens()` is text in which every two characters stand side by side
    that do so in a token (more do no harm), `before_mark()` gives the characters that come before
    `mark` in a token, and `encode(piece)` the ids of a piece. `distinct` says that no text comes
    twice, so that words of short text are not worth keeping."""

    def __init__(
        self,
        mark: str,
        *,
        tokens: Callable[[], str],
        before_mark: Callable[[], set[str]],
        encode: Callable[[str], TokenIds],
        distinct: bool = False,
    ) -> None:
        self._mark = mark
        self._distinct = distinct
        self._n_short = 0
        self._tokens = tokens
        self._find_before_mark = before_mark
        self._encode = encode
        self._pairs: set[str] | None = None
        self._words: Memo[str, TokenIds] = Memo(encode)
        self._fine_words: Memo[str, TokenIds] = Memo(self._encode_finely)
        self._parts: Memo[str, TokenIds] = Memo(encode)

    def expect(self, size: int) -> None:
        """Prepare for `size` characters of text, to come in one call of encode or in many."""
        if self._pairs is None and size >= SHORTEST_FINE_CUT:
            self._pairs = neighbours(self._tokens())

    def encode(self, text: str) -> Iterator[TokenId]:
        """The ids of `text`, in order."""
        if self._pairs is not None:
            memo = self._fine_words
        elif len(text) >= SHORTEST_CUT or self._words_pay(len(text)):
            memo = self._words
        else:
            return iter(self._encode(text))
        return chain.from_iterable(map(memo.__getitem__, matches(self._at_marks, text)))

    def _words_pay(self, size: int) -> bool:
        """Whether there has been so much short text, of which this has `size` characters, that its
        words come again."""
        self._n_short += size
        return self._n_short >= MUCH_SHORT_TEXT and not self._distinct

    @cached_property
    def _at_marks(self) -> re.Pattern[str]:
        mark = re.escape(self._mark)
        if self._pairs is None:
            found = self._find_before_mark()
        else:
            found = {pair[0] for pair in self._pairs if pair[1] == self._mark}
        unsafe = "".join(sorted(found - {self._mark}))
        more = rf"(?:(?<=[{re.escape(unsafe)}]){mark}+[^{mark}]*)*" if unsafe else ""
        return re.compile(rf"{mark}*[^{mark}]+{more}|{mark}+")

    def _encode_finely(self, word: str) -> TokenIds:
        pairs = self._pairs
        assert pairs is not None
        ends = [end for end, pair in enumerate(map(add, word, word[1:]), 1) if pair not in pairs]
        if not ends:
            return self._parts[word]
        ends.append(len(word))
        parts = [word[start:end] for start, end in zip([0, *ends], ends, strict=False)]
        return tuple(chain.from_iterable(map(self._parts.__getitem__, parts)))
