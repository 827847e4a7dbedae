"""WPM: words, then the longest token at each place of a word (llm_tokenizer_wpm_session)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, cached_property
from itertools import chain
from operator import itemgetter

from tokcli import events
from tokcli.algorithms.base import NO_TOKEN, Fragment
from tokcli.algorithms.heads import lengths_by_head
from tokcli.algorithms.replaced_bytes import trace_replaced_bytes
from tokcli.merging.memo import Memo
from tokcli.source_map import SourceMap
from tokcli.text.matches import LONGEST_LISTED, matches
from tokcli.text.regex_classes import translate
from tokcli.text.unicode import METASPACE, byte_offsets, decode, encode
from tokcli.text.unicode_maps import base_letter_map, category, is_whitespace, lowercase_map
from tokcli.vocab import TokenId, Vocab

__all__ = ["Wpm"]

# The mark's three bytes, and the first of the word.
HEAD = 4
# The lengths below each, from the longest on.
SHORTER = tuple(tuple(range(length - 1, 0, -1)) for length in range(HEAD + 1))
CHINESE = (
    (0x04E00, 0x09FFF),
    (0x03400, 0x04DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    # Hugging Face's code has 2B920 where Unicode has 2B820, and the reference follows it.
    (0x2B920, 0x2CEAF),
    (0x0F900, 0x0FAFF),
    (0x2F800, 0x2FA1F),
)
# What str.split takes for white space and is none.
SPACES_TO_PYTHON_ONLY = "\x1c\x1d\x1e\x1f"

_first = itemgetter(0)


@cache
def _raw_words() -> re.Pattern[str]:
    return re.compile(translate(r"\S+", alphabet="all", published=r"\s"))


def _split(text: str) -> Iterable[str]:
    """The stretches of `text` without white space."""
    if len(text) <= LONGEST_LISTED and not any(map(text.__contains__, SPACES_TO_PYTHON_ONLY)):
        return text.split()
    return matches(_raw_words(), text)


class Wpm:
    """WordPiece of one vocabulary (model `bert`)."""

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab
        self._token_id = vocab.token_to_id.get
        unknown = vocab.special_id("unk")
        self._unknown = NO_TOKEN if unknown is None else unknown
        self._lowercase = vocab.flag("lowercase")
        self._strip_accents = vocab.flag("strip_accents")
        self._characters = _Characters(self._lowercase, self._strip_accents)
        self._words: Memo[str, tuple[TokenId, ...]] = Memo(self._encode_word)
        self._raw: Memo[str, tuple[TokenId, ...]] = Memo(self._encode_raw)

    @cached_property
    def _lengths(self) -> dict[bytes, tuple[int, ...]]:
        """As lengths_by_head, and behind these the lengths that are shorter than the head."""
        found = lengths_by_head(self._vocab.token_to_id, HEAD)
        return {head: lengths + SHORTER[len(head)] for head, lengths in found.items()}

    def tokenize(
        self, fragment: Fragment, output: list[TokenId], trace: events.TraceSink | None = None
    ) -> None:
        """See Algorithm.tokenize."""
        text = decode(fragment.text)
        if trace is None:
            output.extend(chain.from_iterable(map(self._raw.__getitem__, _split(text))))
        else:
            self._tokenize_traced(text, fragment, output, trace)

    def _encode_raw(self, raw: str) -> tuple[TokenId, ...]:
        """The ids of a stretch without white space; clean-up cuts it into words."""
        # What Python takes for white space is a space by now, or gone.
        words = raw.translate(self._characters).split()
        if len(words) == 1:
            return self._words[words[0]]
        return tuple(chain.from_iterable(map(self._words.__getitem__, words)))

    def _encode_word(self, word: str) -> tuple[TokenId, ...]:
        raw = encode(word)
        whole = self._token_id(METASPACE + raw)
        if whole is not None:
            return (whole,)
        return tuple(map(_first, self._matches(raw, None)))

    def _matches(
        self, word: bytes, trace: events.TraceSink | None
    ) -> list[tuple[TokenId, int, int]]:
        """The longest tokens that follow one another in the word behind a U+2581, or one unknown
        token for the whole word where at some place none fits; with their spans."""
        text = METASPACE + word
        size = len(text)
        lengths = self._lengths.get
        token_id = self._token_id
        found: list[tuple[TokenId, int, int]] = []
        start = 0
        while start < size:
            head = text[start : start + HEAD]
            for length in lengths(head) or SHORTER[len(head)]:
                end = start + length
                if end <= size and (id := token_id(text[start:end])) is not None:
                    break
            else:
                if trace is not None:
                    matched = tuple(id for id, _, _ in found)
                    trace(
                        events.WordRolledBack(text, start, matched, self._unknown)
                        if found
                        else events.UnknownToken(text, self._unknown)
                    )
                return [(self._unknown, 0, size)]
            found.append((id, start, end))
            if trace is not None:
                trace(events.LongestMatch(text[start:end], id, start))
            start = end
        return found

    def _tokenize_traced(
        self, text: str, fragment: Fragment, output: list[TokenId], trace: events.TraceSink
    ) -> None:
        words = self._words_with_sources(text, byte_offsets(fragment.text, fragment.start))
        trace_replaced_bytes(fragment.text, text, trace)
        before = encode(text)
        after = b" ".join(b"".join(unit for unit, _, _ in word) for word in words)
        changes = self._changes(text, byte_offsets(before))
        trace(events.TextPrepared("clean_text", before, after, changes))
        position = 0
        for units in words:
            marked = [(METASPACE, units[0][1], units[0][1]), *units]
            source = SourceMap(marked, exact=False, end=units[-1][2])
            size = len(source.text)
            word = source.text[len(METASPACE) :]
            trace(
                events.ChunkStarted(
                    word,
                    source.text,
                    *source.span(0, size),
                    position,
                    position + len(word),
                    False,
                )
            )
            for id, start, end in self._matches(word, trace):
                # The U+2581 that matching starts from is no part of the prepared text.
                first = position + max(0, start - len(METASPACE))
                last = position + max(0, end - len(METASPACE))
                trace(events.TokenEmitted(id, *source.span(start, end), first, last, False))
                output.append(id)
            position += len(word) + 1

    def _changes(self, text: str, offsets: list[int]) -> tuple[events.Change, ...]:
        return tuple(
            events.Change(offsets[index], offsets[index + 1], encode(made))
            for index, char in enumerate(text)
            if (made := self._characters[ord(char)]) != char
        )

    def _words_with_sources(
        self, text: str, offsets: list[int]
    ) -> list[list[tuple[bytes, int, int]]]:
        """The cleaned words, each as characters with their spans in the input."""
        words: list[list[tuple[bytes, int, int]]] = [[]]
        for index, char in enumerate(text):
            for made in self._characters[ord(char)]:
                if made == " ":
                    words.append([])
                else:
                    words[-1].append((encode(made), offsets[index], offsets[index + 1]))
        return [word for word in words if word]


class _Characters(dict[int, str]):
    """Code point -> what it becomes: nothing, a space that ends a word, itself in lower case, or a
    word of its own (punctuation and Chinese), set in spaces."""

    def __init__(self, lowercase: bool, strip_accents: bool) -> None:
        self._lower = lowercase_map() if lowercase else {}
        self._base = base_letter_map() if strip_accents else {}
        self._strip_accents = strip_accents

    def __missing__(self, code_point: int) -> str:
        made = self._clean(self._base.get(code_point, code_point))
        self[code_point] = made
        return made

    def _clean(self, code_point: int) -> str:
        if is_whitespace(code_point):
            return " "
        kind = category(code_point)
        if code_point in (0, 0xFFFD) or kind == "C":
            return ""
        if self._strip_accents and kind == "M":
            return ""
        char = chr(self._lower.get(code_point, code_point))
        if (
            kind == "P"
            or (kind == "S" and code_point < 0x7F)
            or any(first <= code_point <= last for first, last in CHINESE)
        ):
            return f" {char} "
        return char
