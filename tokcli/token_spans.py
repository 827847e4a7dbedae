"""Which bytes of the input each token stands for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tokcli.tokenizer import Tokenizer
from tokcli.trace import Event, FragmentSpecial, SpecialAdded, TokenEmitted
from tokcli.vocab import TokenId, VocabType

__all__ = ["SpannedTokens", "TokenSpan", "spanned_tokens", "traced_tokens"]


class TokenSpan(NamedTuple):
    """A token and its bytes start..end of the input; None for one that add_special put in.

    Where the vocabulary rewrites text before it tokenizes it, the best enclosing span.
    """

    id: TokenId
    start: int | None
    end: int | None


class SpannedTokens(NamedTuple):
    """The ids of an input, and the same with their spans, to go through once."""

    ids: list[TokenId]
    spans: Iterable[TokenSpan]


def spanned_tokens(
    tokenizer: Tokenizer, data: bytes, *, add_special: bool, parse_special: bool
) -> SpannedTokens:
    """What `tokenizer.tokenize` gives for `data`, with spans.

    Raises TokenizeError where llama.cpp would end its process.
    """
    vocab = tokenizer.vocab
    if vocab.type != VocabType.BPE or not vocab.flag("byte_encode"):
        return traced_tokens(tokenizer, data, add_special=add_special, parse_special=parse_special)
    ids = tokenizer.tokenize(data, add_special=False, parse_special=parse_special)
    pieces = [tokenizer.piece(id) for id in ids]
    if b"".join(pieces) != data:
        return traced_tokens(tokenizer, data, add_special=add_special, parse_special=parse_special)
    # Every token stands for bytes of the input, and together they are all of it.
    first, last = _added(tokenizer) if add_special else ([], [])

    def spans() -> Iterator[TokenSpan]:
        end = 0
        for id in first:
            yield TokenSpan(id, None, None)
        for id, piece in zip(ids, pieces, strict=True):
            start, end = end, end + len(piece)
            yield TokenSpan(id, start, end)
        for id in last:
            yield TokenSpan(id, None, None)

    return SpannedTokens([*first, *ids, *last], spans())


def traced_tokens(
    tokenizer: Tokenizer, data: bytes, *, add_special: bool, parse_special: bool
) -> SpannedTokens:
    """The same from what the engine reports as it works, which takes ten times as long."""
    spans: list[TokenSpan] = []

    def listen(event: Event) -> None:
        if isinstance(event, (TokenEmitted, FragmentSpecial)):
            spans.append(TokenSpan(event.id, event.start, event.end))
        elif isinstance(event, SpecialAdded):
            spans.append(TokenSpan(event.id, None, None))

    ids = tokenizer.tokenize(
        data, add_special=add_special, parse_special=parse_special, trace=listen
    )
    return SpannedTokens(ids, spans)


def _added(tokenizer: Tokenizer) -> tuple[list[TokenId], list[TokenId]]:
    """The tokens that add_special puts before and after any text."""
    events: list[Event] = []
    tokenizer.tokenize(b"", add_special=True, trace=events.append)
    added = [event for event in events if isinstance(event, SpecialAdded)]
    return (
        [event.id for event in added if event.role == "BOS"],
        [event.id for event in added if event.role != "BOS"],
    )
