"""Which bytes of the input each token stands for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tokcli.algorithms.base import NO_TOKEN
from tokcli.algorithms.spm import space_prefix
from tokcli.partition import TextFragment
from tokcli.text.unicode import REPLACEMENT, ill_formed
from tokcli.tokenizer import Tokenizer
from tokcli.trace import Event, FragmentSpecial, SpecialAdded, TokenEmitted
from tokcli.vocab import TokenId, VocabType

__all__ = ["SpannedTokens", "TokenSpan", "spanned_tokens", "traced_tokens"]

# Types whose pieces do not come to the text: they leave out spaces, fold case and the like.
NORMALIZING = (VocabType.WPM, VocabType.UGM, VocabType.TEST)


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
    """What `tokenizer.tokenize` gives for `data`, with spans: by the pieces of the tokens where
    these come to the text, else as traced.

    Raises TokenizeError where llama.cpp would end its process.
    """
    if tokenizer.vocab.type not in NORMALIZING:
        ids = tokenizer.tokenize(data, add_special=False, parse_special=parse_special)
        bounds = _bounds_by_pieces(tokenizer, data, ids, parse_special)
        if bounds is not None:
            return _with_added(ids, bounds, _added(tokenizer) if add_special else ([], []))
    return traced_tokens(tokenizer, data, add_special=add_special, parse_special=parse_special)


def _with_added(
    ids: list[TokenId],
    bounds: Iterable[tuple[int, int]],
    added: tuple[list[TokenId], list[TokenId]],
) -> SpannedTokens:
    first, last = added

    def spans() -> Iterator[TokenSpan]:
        for id in first:
            yield TokenSpan(id, None, None)
        for id, (start, end) in zip(ids, bounds, strict=True):
            yield TokenSpan(id, start, end)
        for id in last:
            yield TokenSpan(id, None, None)

    return SpannedTokens([*first, *ids, *last], spans())


def _bounds_by_pieces(
    tokenizer: Tokenizer, data: bytes, ids: list[TokenId], parse_special: bool
) -> Iterator[tuple[int, int]] | None:
    """The bytes of the input that each of these tokens stands for; None where their pieces do not
    come to the text."""
    if NO_TOKEN in ids:
        return None
    known = {id: tokenizer.piece(id) for id in set(ids)}
    pieces = list(map(known.__getitem__, ids))
    stretches = list(_stretches(tokenizer, data, parse_special))
    text = b"".join([stretch.text for stretch in stretches])
    if b"".join(pieces) != text or not all(known.values()):
        return None
    return _bounds(pieces, stretches)


class _Stretch(NamedTuple):
    """A stretch of what the pieces of all tokens come to, and the bytes start..end of the input
    that it stands for: one for one if there are as many, else all of them for each of its own."""

    text: bytes
    start: int
    end: int


def _stretches(tokenizer: Tokenizer, data: bytes, parse_special: bool) -> Iterator[_Stretch]:
    """What the pieces come to where no more is rewritten than spaces and ill-formed bytes."""
    vocab = tokenizer.vocab
    after_special = True
    for fragment in tokenizer.partitioner.partition(data, parse_special):
        start, end = fragment.start, fragment.end
        is_text = isinstance(fragment, TextFragment)
        if is_text and vocab.type == VocabType.SPM:
            yield _Stretch(space_prefix(vocab, after_special), start, start)
        if is_text and vocab.type == VocabType.BPE:
            for place in ill_formed(data[start:end]):
                replaced = fragment.start + place
                yield _Stretch(data[start:replaced], start, replaced)
                start = replaced + 1
                yield _Stretch(REPLACEMENT, replaced, start)
        yield _Stretch(data[start:end], start, end)
        after_special = not is_text


def _bounds(pieces: Iterable[bytes], stretches: Iterable[_Stretch]) -> Iterator[tuple[int, int]]:
    """The bytes of the input that each piece stands for; together they are the text of
    `stretches`."""
    ahead = _placed(stretches)
    # The place between two pieces, and the stretch there.
    place = first = last = start = end = 0
    for piece in pieces:
        while place == last:
            first, last, start, end = next(ahead)
        source = start + place - first if last - first == end - start else start
        place += len(piece)
        while place > last:
            first, last, start, end = next(ahead)
        yield source, start + place - first if last - first == end - start else end


def _placed(stretches: Iterable[_Stretch]) -> Iterator[tuple[int, int, int, int]]:
    """Each stretch as bytes of the whole text and bytes of the input."""
    last = 0
    for text, start, end in stretches:
        first, last = last, last + len(text)
        yield first, last, start, end


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
