"""PLaMo2 and PLaMo3: the cheapest way through the text (llm_tokenizer_plamo2 in llama.cpp).

A piece costs minus its score in ten-thousandths; a character as byte tokens costs a thousand. Among
equals the longer piece wins. All tokens but the byte tokens take part, control tokens included.
PLaMo3 first cuts the text at runs of equal characters and around `<|plamo:...|>`.
"""

from __future__ import annotations

import math
import re
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from tokcli import events
from tokcli.algorithms.base import Fragment
from tokcli.algorithms.replaced_bytes import trace_replaced_bytes
from tokcli.errors import VocabError
from tokcli.source_map import SourceMap
from tokcli.text.regex_classes import translate
from tokcli.text.unicode import byte_offsets, decode, encode
from tokcli.vocab import BYTE, TokenId, Vocab, VocabType

__all__ = ["Plamo"]

FALLBACK_COST = 10_000_000
UNUSABLE_COST = 20_000_000
SCALE = 10_000
BYTE_ORDER_MARK = "\ufeff"
BOUNDARY = "\uee00"


class _Piece(NamedTuple):
    cost: int
    id: TokenId


class Plamo:
    """PLaMo tokenizer of one vocabulary. Raises VocabError when one of the 256 byte tokens is
    missing (llama.cpp does not load such a file)."""

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab
        self._bytes = _byte_tokens(vocab)
        self._cuts = vocab.type == VocabType.PLAMO3

    @cached_property
    def _pieces(self) -> dict[str, _Piece]:
        pieces = {}
        for id, text in enumerate(self._vocab.texts):
            score = self._vocab.score(id)
            if self._vocab.file_attr(id) & BYTE or not math.isfinite(score):
                continue
            scaled = score * SCALE
            cost = -int(math.copysign(math.floor(abs(scaled) + 0.5), scaled))
            decoded = decode(text)
            if cost < UNUSABLE_COST and encode(decoded) == text:
                pieces[decoded] = _Piece(cost, id)
        return pieces

    @cached_property
    def _lengths(self) -> dict[str, tuple[int, ...]]:
        """First code point -> the lengths of pieces that start with it, longest first."""
        lengths: dict[str, set[int]] = {}
        for text in self._pieces:
            lengths.setdefault(text[0], set()).add(len(text))
        return {head: tuple(sorted(found, reverse=True)) for head, found in lengths.items()}

    def tokenize(
        self, fragment: Fragment, output: list[TokenId], trace: events.TraceSink | None = None
    ) -> None:
        """See Algorithm.tokenize."""
        text = decode(fragment.text)
        dropped = not self._cuts and text.startswith(BYTE_ORDER_MARK)
        if dropped:
            text = text[1:]
        spans = _segments(text) if self._cuts else [(0, len(text))]
        if trace is None:
            for start, end in spans:
                for ids, _ in self._cheapest(text[start:end], None):
                    output.extend(ids)
            return
        whole = BYTE_ORDER_MARK + text if dropped else text
        trace_replaced_bytes(fragment.text, whole, trace)
        offsets = byte_offsets(fragment.text, fragment.start)[1 if dropped else 0 :]
        source = SourceMap.of_text(text, offsets)
        if dropped:
            trace(events.TextPrepared("byte_order_mark", encode(whole), source.text))
        positions = [0]
        for char in text:
            positions.append(positions[-1] + len(encode(char)))
        if self._cuts:
            chunks = tuple(
                events.Chunk(*source.span(positions[start], positions[end]), None)
                for start, end in spans
            )
            trace(events.ChunksSplit(0, self._vocab.type.label, "", (), "plamo3", chunks))
        for start, end in spans:
            self._trace_segment(text[start:end], positions[start], source, output, trace)

    def _trace_segment(
        self,
        text: str,
        position: int,
        source: SourceMap,
        output: list[TokenId],
        trace: events.TraceSink,
    ) -> None:
        raw = encode(text)
        if not raw:
            return
        end = position + len(raw)
        trace(events.ChunkStarted(raw, raw, *source.span(position, end), position, end, True))
        for ids, length in self._cheapest(text, trace):
            step = length // len(ids)
            for id in ids:
                source.emit(trace, id, position, position + step)
                output.append(id)
                position += step

    def _cheapest(
        self, text: str, trace: events.TraceSink | None
    ) -> list[tuple[tuple[TokenId, ...], int]]:
        """The path's steps: the ids of each (several for byte tokens) and its length in bytes."""
        size = len(text)
        pieces = self._pieces.get
        lengths = self._lengths.get
        costs = [0] * (size + 1)
        widths = [1] * (size + 1)
        choices: list[TokenId | None] = [None] * (size + 1)
        place = len(encode(text))
        for start in range(size - 1, -1, -1):
            best: int | None = None
            options: list[events.Candidate] = []
            for length in lengths(text[start], ()):
                end = start + length
                piece = pieces(text[start:end]) if end <= size else None
                if piece is None:
                    continue
                cost = costs[end] + piece.cost
                better = best is None or cost < best
                if better:
                    best, widths[start], choices[start] = cost, length, piece.id
                if trace is not None:
                    options.append(_candidate(piece.id, text[start:end], piece.cost, cost, better))
                if piece.cost == FALLBACK_COST:
                    # The reference takes a score of exactly -1000 for the end of its list.
                    break
            else:
                cost = costs[start + 1] + FALLBACK_COST
                better = best is None or cost < best
                if better:
                    best, widths[start], choices[start] = cost, 1, None
                if trace is not None:
                    options.append(_candidate(None, text[start], FALLBACK_COST, cost, better))
            assert best is not None
            costs[start] = best
            if trace is not None:
                place -= len(encode(text[start]))
                trace(events.Candidates(place, tuple(options)))
        return self._walk(text, costs, widths, choices, trace)

    def _walk(
        self,
        text: str,
        costs: list[int],
        widths: list[int],
        choices: list[TokenId | None],
        trace: events.TraceSink | None,
    ) -> list[tuple[tuple[TokenId, ...], int]]:
        steps: list[tuple[tuple[TokenId, ...], int]] = []
        taken: list[events.PathStep] = []
        fallbacks: list[events.ByteFallback] = []
        start = 0
        while start < len(text):
            end = start + widths[start]
            raw = encode(text[start:end])
            id = choices[start]
            ids = (id,) if id is not None else tuple(self._bytes[byte] for byte in raw)
            steps.append((ids, len(raw)))
            if trace is not None:
                score = (costs[end] - costs[start]) / SCALE
                taken.append(events.PathStep(id, raw, score, -costs[start] / SCALE))
                if id is None:
                    fallbacks.append(events.ByteFallback(raw, ids))
            start = end
        if trace is not None:
            trace(events.BestPath(tuple(taken)))
            for fallback in fallbacks:
                trace(fallback)
        return steps


def _candidate(
    id: TokenId | None, text: str, cost: int, total: int, chosen: bool
) -> events.Candidate:
    return events.Candidate(id, encode(text), -cost / SCALE, -total / SCALE, chosen)


def _byte_tokens(vocab: Vocab) -> list[TokenId]:
    ids = [0] * 256
    for id, text in enumerate(vocab.texts):
        match = _BYTE_TEXT.fullmatch(text) if vocab.file_attr(id) & BYTE else None
        if match:
            ids[int(match[1], 16)] = id
    if 0 in ids:
        # Id 0 marks an empty place in the reference too, so byte token 0 counts as missing.
        byte = ids.index(0)
        raise VocabError(
            f"byte token '<0x{byte:02X}>' is not set, and PLaMo needs all 256 (none of them with "
            "id 0); convert the model again"
        )
    return ids


_BYTE_TEXT = re.compile(rb"<0x([0-9A-Fa-f]{2})>")


def _segments(text: str) -> list[tuple[int, int]]:
    """The spans that PLaMo3 encodes one by one."""
    cuts = {0, len(text)}
    position = 0
    body = _special_body()
    while (position := text.find("<|plamo:", position)) >= 0:
        match = body.match(text, position)
        if match:
            cuts.update(match.span())
            position = match.end()
        else:
            position += 1
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and text[end] == text[start] and end not in cuts:
            end += 1
        length = end - start
        if (length >= 4 and text[start] != "\n") or (length >= 2 and text[start] == " "):
            cuts.update((start, end))
        start = end
    dropped = [index for index, char in enumerate(text) if char == BOUNDARY]
    cuts.update(dropped)
    cuts.update(index + 1 for index in dropped)
    places = sorted(cuts)
    return [(start, end) for start, end in pairwise(places) if text[start] != BOUNDARY]


def _special_body() -> re.Pattern[str]:
    other = translate(r"[^|\s\u001c-\u001f]", alphabet="all", published=r"\s")
    return re.compile(rf"<\|plamo:{other}{{0,64}}\|>")
