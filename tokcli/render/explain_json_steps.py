"""What the algorithm did, as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from tokcli.render.explain_model import ChunkStory
from tokcli.render.json_layout import LaidOut, Stream, json_document
from tokcli.text.float_text import float_text
from tokcli.trace import (
    BestPath,
    ByteFallback,
    Candidate,
    Candidates,
    DnaBlock,
    Event,
    LongestMatch,
    MergeApplied,
    PathStep,
    SymbolDropped,
    SymbolsSplit,
    UnknownToken,
    WholeWord,
    WordRolledBack,
)

__all__ = ["data_json", "steps_json"]

Json = dict[str, Any]
Each = Callable[[Callable[[Any], object], Iterable[Any]], object]

# Steps of chunks up to this many bytes are kept for chunks that go the same way, as so many.
LONGEST_KEPT = 128
MOST_KEPT = 1 << 10
MOST_SYMBOLS = 1 << 12


def data_json(data: bytes) -> Json:
    """Bytes as text, null where they are not UTF-8, and in hex."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = None
    return {"text": text, "bytes": data.hex()}


def steps_json(chunks: Iterable[ChunkStory], all_chunks: Sequence[ChunkStory]) -> Iterator[Json]:
    """The steps of each of `chunks`; `all_chunks` are those of the whole run, in order."""

    @lru_cache(MOST_KEPT)
    def kept(number: int) -> Json:
        told = _steps(all_chunks[number - 1], _listed)
        return {key: LaidOut(json_document(value)) for key, value in told.items()}

    for chunk in chunks:
        short = len(chunk.event.encoded) <= LONGEST_KEPT
        told = kept(chunk.same_as or chunk.number) if short else _steps(chunk, _streamed)
        yield {"chunk": chunk.number, "same_as": chunk.same_as, **told}


def _steps(chunk: ChunkStory, each: Each) -> Json:
    """`each` makes the arrays: lists, or streams where there is much."""
    return {
        "steps": each(lambda step: _step(step, each), chunk.steps),
        "final": each(_symbol, chunk.final),
    }


def _listed(make: Callable[[Any], object], items: Iterable[Any]) -> list[object]:
    return list(map(make, items))


def _streamed(make: Callable[[Any], object], items: Iterable[Any]) -> Stream:
    return Stream(map(make, items))


@lru_cache(MOST_SYMBOLS)
def _symbol(symbol: bytes) -> LaidOut:
    return LaidOut(json_document(data_json(symbol)))


def _number(value: float) -> float | str:
    """JSON has no NaN and no infinities."""
    text = float_text(value) if abs(value) < 3.4e38 else f"{value:g}"
    return float(text) if text[-1].isdigit() else text


def _step(step: Event, each: Each) -> Json:
    if isinstance(step, SymbolsSplit):
        return {"step": "symbols", "symbols": each(_symbol, step.symbols)}
    if isinstance(step, MergeApplied):
        return {
            "step": "merge",
            "left_index": step.left_index,
            "right_index": step.right_index,
            "left": _symbol(step.left),
            "right": _symbol(step.right),
            "result": _symbol(step.result),
            "rank": step.rank,
            "score": None if step.score is None else _number(step.score),
        }
    if isinstance(step, WholeWord):
        return {"step": "whole_word", "id": step.id, "rule": step.rule, **data_json(step.text)}
    if isinstance(step, ByteFallback):
        return {"step": "byte_fallback", "ids": list(step.ids), **data_json(step.symbol)}
    if isinstance(step, UnknownToken):
        return {"step": "unknown", "id": step.id, **data_json(step.text)}
    if isinstance(step, SymbolDropped):
        return {"step": "dropped", **data_json(step.text)}
    if isinstance(step, LongestMatch):
        at = {"step": "longest_match", "at": step.text_start}
        return {**at, "id": step.id, **data_json(step.text)}
    if isinstance(step, DnaBlock):
        at = {"step": "dna_block", "at": step.text_start}
        return {**at, "id": step.id, "kmer": step.kmer.decode(), **data_json(step.text)}
    if isinstance(step, WordRolledBack):
        return {
            "step": "rolled_back",
            "at": step.text_start,
            "matched": list(step.matched),
            "id": step.id,
            **data_json(step.word),
        }
    if isinstance(step, Candidates):
        options = [_candidate(option) for option in step.options]
        return {"step": "candidates", "at": step.text_start, "options": options}
    assert isinstance(step, BestPath)
    return {"step": "best_path", "path": each(_on_path, step.steps)}


def _on_path(way: PathStep | Candidate) -> Json:
    score, total = _number(way.score), _number(way.total)
    return {**_token(way.id, way.text), "score": score, "total": total}


@lru_cache(MOST_SYMBOLS)
def _token(id: int | None, text: bytes) -> Json:
    told = {"id": id, **data_json(text)}
    return {key: LaidOut(json_document(value)) for key, value in told.items()}


def _candidate(option: Candidate) -> Json:
    return {**_on_path(option), "chosen": option.chosen}
