"""UGM normalization word by word, for text in which words cannot affect each other.

Words may be normalized apart when white space is merged (so that each word gets its own U+2581,
however many spaces come before it), and when no entry of the character map and no user-defined
token holds a separator together with anything else. Within a word, characters are looked up one by
one unless two neighbours may belong to one entry of the map, or the word is ill-formed UTF-8; then
the normalizer proper takes over.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from operator import add

from tokcli.algorithms.ugm_text import ESCAPED_BYTE, Normalizer
from tokcli.merging.cuts import well_formed
from tokcli.merging.memo import Memo
from tokcli.text.charsmap import CharsMap
from tokcli.text.matches import cut_at
from tokcli.text.unicode import METASPACE, encode

__all__ = ["WordNormalizer"]

MARK = METASPACE.decode()
SPACES = " \t\n\r\f"
# Characters that are split at a time, and as many more as it takes to the next separator.
SEGMENT = 1 << 14
# With which next characters one may be looked up: with none, some, or any.
NONE, SOME, ANY = range(3)


class WordNormalizer:
    """Normalizes single words as `normalizer` would normalize them within a text."""

    def __init__(
        self, normalizer: Normalizer, charsmap: CharsMap | None, tokens: Collection[bytes]
    ) -> None:
        """tokens: the texts of all tokens that words can become."""
        self._normalizer = normalizer
        self._charsmap = charsmap
        self._tokens = tokens
        self._alone = Memo(self._made_of)
        self._reach = Memo(self._reach_of)
        self._linked = Memo(self._may_match_together)

    def become(self, char: str) -> str:
        """What a character becomes by itself."""
        return self._alone[char]

    def _made_of(self, char: str) -> str:
        data = char.encode()
        found = self._charsmap.longest_prefix(data, 0) if self._charsmap else None
        return char if found is None else found[1].decode()

    def _may_match_together(self, pair: str) -> bool:
        """Whether what becomes of the first character may depend on the second; a NUL is no
        character."""
        return self._normalizer.starts_user_defined(pair[0].encode()[0]) or self._may_map(pair)

    def _may_map(self, pair: str) -> bool:
        """The same, but for user-defined tokens."""
        reach = self._reach[pair[0]]
        if reach != SOME or self._charsmap is None:
            return reach == ANY
        return pair[1] != "\0" and self._charsmap.starts_entry(pair.encode())

    def _reach_of(self, char: str) -> int:
        """With which characters behind it `char` may be looked up in the map."""
        data = char.encode()
        if self._charsmap is None or not self._charsmap.starts_entry(data):
            return NONE
        found = self._charsmap.longest_prefix(data, 0)
        return SOME if found is None or found[0] == len(data) else ANY

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

    def split(self, text: str) -> Iterator[list[str]]:
        """All stretches of `text` without separators, in short lists: their memory is used again
        and stays in the cache."""
        for segment in cut_at(self._before_separator, text, SEGMENT):
            for separator in self.separators:
                segment = segment.replace(separator, " ")
            yield list(filter(None, segment.split(" ")))

    @cached_property
    def _before_separator(self) -> re.Pattern[str]:
        return re.compile(f"(?=[{re.escape(self.separators)}])")

    @cached_property
    def _plain_ascii(self) -> bool:
        """Whether printable ASCII stays as it is among ASCII; so does what goes along with a
        user-defined token, anyway."""
        chars = [chr(code) for code in range(0x21, 0x7F)]
        return all(self._alone[char] == char for char in chars) and not any(
            self._may_map(first + second) for first in chars for second in [*chars, "\0"]
        )

    @cached_property
    def _errors(self) -> str:
        """What becomes of surrogates in normalized text: they are characters that no token has, if
        all tokens are UTF-8."""
        all_well_formed = sum(1 for _ in well_formed(self._tokens)) == len(self._tokens)
        return "surrogatepass" if all_well_formed else "strict"

    def normalize(self, word: str) -> str:
        """The normalized word, with its U+2581; several where a character became a space.

        Raises UnicodeDecodeError where it is ill-formed.
        """
        if self._plain_ascii and word.isascii() and word.isprintable():
            return MARK + word
        if ESCAPED_BYTE.search(word):
            normalized = self._normalizer.normalize(word.encode("utf-8", "surrogateescape"))
            return normalized.decode("utf-8", self._errors)
        if any(map(self._linked.__getitem__, map(add, word, word[1:] + "\0"))):
            return self._normalizer.normalize(encode(word)).decode()
        return _marked(self._one_by_one(word))

    def normalize_all(self, words: Sequence[str]) -> list[str]:
        """The same for each of many words, which is quicker than one by one."""
        if not ESCAPED_BYTE.search("".join(words)):
            return self._normalize_well_formed(words)
        texts = self._normalize_well_formed([ESCAPED_BYTE.sub("", word) for word in words])
        for number, word in enumerate(words):
            if ESCAPED_BYTE.search(word):
                texts[number] = self.normalize(word)
        return texts

    def _normalize_well_formed(self, words: Sequence[str]) -> list[str]:
        if not self._plain_ascii:
            return self._normalize_together(words)
        texts = list(map(MARK.__add__, words))
        changed = [
            number
            for number, word in enumerate(words)
            if not (word.isascii() and word.isprintable())
        ]
        made = self._normalize_together([words[number] for number in changed])
        for number, text in zip(changed, made, strict=True):
            texts[number] = text
        return texts

    def _normalize_together(self, words: Sequence[str]) -> list[str]:
        together = "\0".join(words)
        if together.count("\0") != len(words) - 1:
            # A word holds the separator, or there is no word.
            return list(map(self.normalize, words))
        texts = self._one_by_one(together).split("\0")
        made = [MARK + text if text and " " not in text else _marked(text) for text in texts]
        linking = self._linking(set(together) - {"\0"})
        if linking:
            search = re.compile(f"[{re.escape(linking)}]").search
            for number, word in enumerate(words):
                if search(word):
                    made[number] = self.normalize(word)
        return made

    def _linking(self, chars: set[str]) -> str:
        """Such of `chars` that two neighbours may match together only if one of them is there."""
        starts_user_defined = self._normalizer.starts_user_defined
        found = {
            char
            for char in chars
            if starts_user_defined(char.encode()[0]) or self._reach[char] == ANY
        }
        if self._charsmap is not None:
            # All that may come second, a byte at a time: few first characters have any.
            longer: dict[bytes, dict[int, bytes]] = {}
            for data in map(str.encode, chars):
                for size, byte in enumerate(data):
                    longer.setdefault(data[:size], {})[byte] = data[: size + 1]
            for first in [char.encode() for char in chars if self._reach[char] == SOME]:
                starts = [b""]
                while starts:
                    starts = [
                        longer[start][byte]
                        for start in starts
                        if start in longer
                        for byte in self._charsmap.next_bytes(first + start) & longer[start].keys()
                    ]
                    found.update(start.decode() for start in starts if start not in longer)
        return "".join(found)

    def _one_by_one(self, text: str) -> str:
        return "".join(map(self._alone.__getitem__, text))


def _marked(text: str) -> str:
    """`text` with a mark before each of its parts between spaces."""
    return "".join(MARK + part for part in text.split(" ") if part)
