"""Which bytes of the input each token stands for, from what the engine reports as it works."""

from __future__ import annotations

from typing import NamedTuple

from tokcli.tokenizer import Tokenizer
from tokcli.trace import Event, FragmentSpecial, SpecialAdded, TokenEmitted
from tokcli.vocab import TokenId

__all__ = ["TokenSpan", "token_spans"]


class TokenSpan(NamedTuple):
    """A token and its bytes start..end of the input; None for one that add_special put in.

    Where the vocabulary rewrites text before it tokenizes it, the best enclosing span.
    """

    id: TokenId
    start: int | None
    end: int | None


def token_spans(
    tokenizer: Tokenizer, data: bytes, *, add_special: bool, parse_special: bool
) -> list[TokenSpan]:
    """What `tokenizer.tokenize` gives for `data`, with spans.

    Raises TokenizeError where llama.cpp would end its process.
    """
    spans: list[TokenSpan] = []

    def listen(event: Event) -> None:
        if isinstance(event, (TokenEmitted, FragmentSpecial)):
            spans.append(TokenSpan(event.id, event.start, event.end))
        elif isinstance(event, SpecialAdded):
            spans.append(TokenSpan(event.id, None, None))

    tokenizer.tokenize(data, add_special=add_special, parse_special=parse_special, trace=listen)
    return spans
