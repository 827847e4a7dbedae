"""UGM normalization word by word, for text in which words cannot affect each other.

Words may be normalized apart when white space is merged (so that each word gets its own U+2581,
however many spaces come before it), when no entry of the character map and no user-defined token
holds a separator together with anything else, and when the text is well-formed. Within a word,
characters are looked up one by one unless two neighbours may belong to one entry of the map; then
the normalizer proper takes over.
"""

from __future__ import annotations

import re
from functools import cached_property
from operator import add

from tokcli.algorithms.ugm_text import METASPACE, Normalizer
from tokcli.charsmap import CharsMap
from tokcli.memo import Memo
from tokcli.unicode import encode

__all__ = ["WordNormalizer"]

MARK = METASPACE.decode()
SPACES = " \t\n\r\f"


class WordNormalizer:
    """Normalizes single words as `normalizer` would normalize them within a text."""

    def __init__(self, normalizer: Normalizer, charsmap: CharsMap | None) -> None:
        self._normalizer = normalizer
        self._charsmap = charsmap
        self._alone = Memo(self._made_of)
        self._linked = Memo(self._may_match_together)

    def _made_of(self, char: str) -> str:
        """What `char` becomes by itself."""
        data = char.encode()
        found = self._charsmap.longest_prefix(data, 0) if self._charsmap else None
        return char if found is None else found[1].decode()

    def _may_match_together(self, pair: str) -> bool:
        """Whether what becomes of the first character may depend on the second; a NUL is no
        character."""
        first, second = pair[0], pair[1]
        if self._normalizer.starts_user_defined(first.encode()[0]):
            return True
        if self._charsmap is None:
            return False
        found = self._charsmap.longest_prefix(first.encode(), 0)
        if found is not None and found[0] != len(first.encode()):
            return True
        return second != "\0" and self._charsmap.starts_entry(pair.encode())

    @cached_property
    def separators(self) -> str:
        """The characters that become a space and nothing else, wherever they are; "" where words
        cannot be told apart."""
        if not self._normalizer.merges_spaces:
            return ""
        found = [
            char
            for char in SPACES
            if self._alone[char] == " "
            and not self._linked[char + "\0"]
            and not self._normalizer.reaches_across(ord(char))
            and not (self._charsmap and self._charsmap.goes_on(char.encode()))
        ]
        return "".join(found) if " " in found else ""

    @cached_property
    def words(self) -> re.Pattern[str]:
        """Matches a stretch without separators."""
        return re.compile(f"[^{re.escape(self.separators)}]+")

    @cached_property
    def _plain_ascii(self) -> bool:
        """Whether printable ASCII stays as it is among ASCII."""
        chars = [chr(code) for code in range(0x21, 0x7F)]
        return all(self._alone[char] == char for char in chars) and not any(
            self._linked[first + second] for first in chars for second in [*chars, "\0"]
        )

    def normalize(self, word: str) -> str:
        """The normalized word, with its U+2581; several where a character became a space."""
        if word.isascii() and word.isprintable() and self._plain_ascii:
            return MARK + word
        if any(map(self._linked.__getitem__, map(add, word, word[1:] + "\0"))):
            return self._normalizer.normalize(encode(word)).decode()
        text = "".join(map(self._alone.__getitem__, word))
        if " " in text:
            return "".join(MARK + part for part in text.split(" ") if part)
        return MARK + text if text else ""
