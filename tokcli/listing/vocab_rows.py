"""A vocabulary token by token: rows of everything there is to know, and filters that pick them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from tokcli.errors import TokenizeError, UsageError
from tokcli.listing.token_roles import attribute_names, token_roles, type_name
from tokcli.text.number_ranges import numbers_in
from tokcli.tokenizer import Tokenizer
from tokcli.vocab import SPECIAL_ATTRS, TYPE_ATTRS, TokenId

if TYPE_CHECKING:
    import regex

__all__ = ["VocabFilter", "VocabRow", "select_ids", "vocab_rows"]

# A pattern that takes longer on one token will never get through the vocabulary.
MATCH_SECONDS = 1.0


class VocabRow(NamedTuple):
    """One token. `piece`: its bytes as llama.cpp renders it (None where it aborts instead);
    `raw`: its text in the file; `attributes`: names of what it is after llama.cpp's overrides."""

    id: TokenId
    piece: bytes | None
    raw: bytes
    score: float
    type: str
    attributes: tuple[str, ...]
    roles: tuple[str, ...]


def vocab_rows(tokenizer: Tokenizer, ids: Iterable[TokenId]) -> Iterator[VocabRow]:
    """The rows of `ids`, one at a time."""
    vocab = tokenizer.vocab
    roles = token_roles(vocab).get
    raw_texts, scores = vocab.raw_texts, vocab.scores
    type_of, attr_of = vocab.type_of, vocab.attr
    for id in ids:
        yield VocabRow(
            id,
            _piece(tokenizer, id),
            raw_texts[id],
            scores[id],
            type_name(type_of(id)),
            attribute_names(attr_of(id)),
            roles(id, ()),
        )


def _piece(tokenizer: Tokenizer, id: TokenId) -> bytes | None:
    try:
        return tokenizer.piece(id)
    except TokenizeError:
        return None


@dataclass(frozen=True)
class VocabFilter:
    """Which tokens to pick; what is left out picks all.

    ids: ranges of ids, whose order is kept. types: numbers of token_type; a token counts as what
    the file says and as what llama.cpp makes of it. pattern: a regex searched for in the piece and
    in the raw text (bytes that are not UTF-8 match nothing but themselves). text: the whole piece
    or raw text. special: only tokens that are cut out of text or have a role. limit: how many at
    most.
    """

    ids: tuple[range, ...] | None = None
    types: frozenset[int] | None = None
    pattern: str | None = None
    text: bytes | None = None
    special: bool = False
    limit: int | None = None


def select_ids(tokenizer: Tokenizer, wanted: VocabFilter) -> Iterator[TokenId]:
    """The ids that every filter of `wanted` lets through.

    Raises UsageError for a pattern that is no regex or takes too long.
    """
    count = len(tokenizer.vocab)
    ids: Iterable[TokenId] = range(count) if wanted.ids is None else numbers_in(wanted.ids)
    for test in _tests(tokenizer, wanted):
        ids = filter(test, ids)
    return islice(ids, wanted.limit)


def _tests(tokenizer: Tokenizer, wanted: VocabFilter) -> Iterator[Callable[[TokenId], bool]]:
    vocab = tokenizer.vocab
    if wanted.types is not None:
        types = wanted.types
        bits = sum({TYPE_ATTRS.get(number, 0) for number in types})
        yield lambda id: vocab.type_of(id) in types or bool(vocab.attr(id) & bits)
    if wanted.special:
        roles = token_roles(vocab)
        yield lambda id: id in roles or bool(vocab.attr(id) & SPECIAL_ATTRS)
    if wanted.text is not None:
        text = wanted.text
        yield lambda id: vocab.raw_texts[id] == text or _piece(tokenizer, id) == text
    if wanted.pattern is not None:
        yield _matcher(tokenizer, wanted.pattern)


def _matcher(tokenizer: Tokenizer, pattern: str) -> Callable[[TokenId], bool]:
    compiled = _compile(pattern)
    raw_texts = tokenizer.vocab.raw_texts

    def matches(id: TokenId) -> bool:
        raw = raw_texts[id]
        piece = _piece(tokenizer, id)
        return _found(compiled, raw, id) or (
            piece is not None and piece != raw and _found(compiled, piece, id)
        )

    return matches


def _compile(pattern: str) -> regex.Pattern[str]:
    import regex

    try:
        return regex.compile(pattern)
    except regex.error as error:
        raise UsageError(f"--match: '{pattern}' is no regular expression: {error}") from error


def _found(pattern: regex.Pattern[str], data: bytes, id: TokenId) -> bool:
    text = data.decode("utf-8", "surrogateescape")
    try:
        return pattern.search(text, timeout=MATCH_SECONDS) is not None
    except TimeoutError as error:
        raise UsageError(
            f"--match: the pattern takes more than {MATCH_SECONDS:g} s on token {id}; "
            "nested repetitions such as (a+)+ do that, write it without them"
        ) from error
