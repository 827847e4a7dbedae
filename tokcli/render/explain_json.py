"""An explanation as JSON; tokcli/schemas/explain.schema.json describes it.

Everything is there, whatever its length. Indices count from 0 (regexes, alternatives, symbols,
fragments, tokens), chunk numbers from 1; spans are byte offsets, the end not included.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tokcli.float_text import float_text
from tokcli.render.explain_model import Added, Cause, ChunkStory, Run, SpecialStory, TokenRow
from tokcli.render.explain_tokens import remarks
from tokcli.render.explain_view import Limits
from tokcli.render.explain_why import reason
from tokcli.token_roles import attribute_names, token_roles
from tokcli.trace import (
    BestPath,
    ByteFallback,
    Candidates,
    DnaBlock,
    Event,
    LongestMatch,
    MergeApplied,
    SymbolDropped,
    SymbolsSplit,
    UnknownToken,
    WholeWord,
    WordRolledBack,
)

__all__ = ["SCHEMA_VERSION", "document", "documents"]

SCHEMA_VERSION = 1

Json = dict[str, Any]

CAUSES = {
    "Added": "added",
    "CutOut": "special",
    "Merged": "merged",
    "OneOfBytes": "byte_fallback",
    "OnPath": "best_path",
    "Hashed": "hash",
    "WholeWord": "whole_word",
    "LongestMatch": "longest_match",
    "DnaBlock": "dna_block",
    "UnknownToken": "unknown",
    "WordRolledBack": "rolled_back",
}


def documents(runs: list[Run], limits: Limits) -> Json:
    """The document of one run, or of several side by side (--both)."""
    if len(runs) == 1:
        return document(runs[0], limits)
    return {"schema_version": SCHEMA_VERSION, "runs": [document(run, limits) for run in runs]}


def document(run: Run, limits: Limits) -> Json:
    """What `run` tells, of the stages and the chunk that `limits` names."""
    explanation, vocab = run.explanation, run.vocab
    stages: dict[str, Callable[[], Json]] = {
        "input": lambda: {"input": _input(run)},
        "fragments": lambda: {"fragments": _fragments(run), "ignored_special": _ignored(run)},
        "prepare": lambda: {"prepare": _prepare(run)},
        "chunks": lambda: {"regexes": _regexes(run), "chunks": _chunks(run, limits)},
        "bytes": lambda: {"bytes": _bytes(run, limits)},
        "steps": lambda: {"steps": _steps(run, limits)},
        "tokens": lambda: {"tokens": _tokens(run, limits)},
        "warnings": lambda: {
            "warnings": [
                {"code": warning.code, "message": warning.message}
                for warning in explanation.warnings
            ],
            "remarks": [{"code": code, "message": message} for code, message in remarks(run)],
        },
    }
    told: Json = {
        "schema_version": SCHEMA_VERSION,
        "model": run.request.model,
        "vocab": {
            "type": vocab.type.label,
            "model": vocab.model,
            "pre": vocab.pre,
            "n_tokens": len(vocab),
        },
        "settings": {
            "add_special": explanation.add_special,
            "parse_special": explanation.parse_special,
            "escape": run.request.escapes is not None,
        },
        "count": len(explanation.ids),
    }
    for name, tell in stages.items():
        if name in limits.stages:
            told |= tell()
    return told


def _data(data: bytes) -> Json:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = None
    return {"text": text, "bytes": data.hex()}


def _number(value: float) -> float | str:
    """JSON has no NaN and no infinities."""
    text = float_text(value) if abs(value) < 3.4e38 else f"{value:g}"
    return float(text) if text[-1].isdigit() else text


def _input(run: Run) -> Json:
    data = run.explanation.input
    typed = run.request.typed
    return {
        **_data(data),
        "n_bytes": len(data),
        "n_code_points": len(data.decode("utf-8", "surrogateescape")),
        "escapes": run.request.escapes,
        "typed": None if typed is None else _data(typed),
    }


def _fragments(run: Run) -> list[Json]:
    told: list[Json] = []
    for fragment in run.fragments:
        if isinstance(fragment, SpecialStory):
            event = fragment.event
            told.append(
                {
                    "kind": "special",
                    "start": event.start,
                    "end": event.end,
                    "id": event.id,
                    "rule": event.rule,
                    "strip_start": event.strip_start,
                    "strip_end": event.strip_end,
                }
            )
        else:
            told.append({"kind": "text", "start": fragment.start, "end": fragment.end})
    return told


def _ignored(run: Run) -> list[Json]:
    return [
        {
            "id": found.id,
            "start": found.start,
            "end": found.end,
            **_data(run.vocab.texts[found.id]),
        }
        for found in run.explanation.ignored_special
    ]


def _prepare(run: Run) -> list[Json]:
    return [
        {
            "fragment": index,
            "rule": rewrite.rule,
            "before": _data(rewrite.before),
            "after": _data(rewrite.after),
            "changes": [
                {"start": change.start, "end": change.end, "after": _data(change.after)}
                for change in rewrite.changes
            ],
        }
        for index, fragment in enumerate(run.fragments)
        if not isinstance(fragment, SpecialStory)
        for rewrite in fragment.rewrites
    ]


def _regexes(run: Run) -> list[Json]:
    return [
        {
            "name": regex.name,
            "pattern": regex.pattern,
            "alternatives": list(regex.alternatives),
            "splitter": regex.splitter,
        }
        for regex in run.regexes
    ]


def _wanted(run: Run, limits: Limits) -> list[ChunkStory]:
    return [chunk for chunk in run.chunks if limits.chunk in (None, chunk.number)]


def _chunks(run: Run, limits: Limits) -> list[Json]:
    return [
        {
            "number": chunk.number,
            "fragment": chunk.fragment,
            "start": chunk.event.start,
            "end": chunk.event.end,
            "exact": chunk.event.exact,
            "text_start": chunk.event.text_start,
            "text_end": chunk.event.text_end,
            **_data(chunk.event.text),
            "cuts": [
                {
                    "regex": cut.stage,
                    "alternative": cut.alternative,
                    "start": cut.start,
                    "end": cut.end,
                }
                for cut in chunk.cuts
            ],
        }
        for chunk in _wanted(run, limits)
    ]


def _bytes(run: Run, limits: Limits) -> list[Json]:
    return [
        {
            "chunk": chunk.number,
            "before": _data(chunk.event.text),
            "after": _data(chunk.event.encoded),
        }
        for chunk in _wanted(run, limits)
    ]


def _steps(run: Run, limits: Limits) -> list[Json]:
    return [
        {
            "chunk": chunk.number,
            "same_as": chunk.same_as,
            "steps": [_step(step) for step in chunk.steps],
            "final": [_data(symbol) for symbol in chunk.final],
        }
        for chunk in _wanted(run, limits)
    ]


def _step(step: Event) -> Json:
    if isinstance(step, SymbolsSplit):
        return {"step": "symbols", "symbols": [_data(symbol) for symbol in step.symbols]}
    if isinstance(step, MergeApplied):
        return {
            "step": "merge",
            "left_index": step.left_index,
            "right_index": step.right_index,
            "left": _data(step.left),
            "right": _data(step.right),
            "result": _data(step.result),
            "rank": step.rank,
            "score": None if step.score is None else _number(step.score),
        }
    if isinstance(step, WholeWord):
        return {"step": "whole_word", "id": step.id, "rule": step.rule, **_data(step.text)}
    if isinstance(step, ByteFallback):
        return {"step": "byte_fallback", "ids": list(step.ids), **_data(step.symbol)}
    if isinstance(step, UnknownToken):
        return {"step": "unknown", "id": step.id, **_data(step.text)}
    if isinstance(step, SymbolDropped):
        return {"step": "dropped", **_data(step.text)}
    if isinstance(step, LongestMatch):
        return {"step": "longest_match", "at": step.text_start, "id": step.id, **_data(step.text)}
    if isinstance(step, DnaBlock):
        return {
            "step": "dna_block",
            "at": step.text_start,
            "id": step.id,
            "kmer": step.kmer.decode(),
            **_data(step.text),
        }
    if isinstance(step, WordRolledBack):
        return {
            "step": "rolled_back",
            "at": step.text_start,
            "matched": list(step.matched),
            "id": step.id,
            **_data(step.word),
        }
    if isinstance(step, Candidates):
        return {
            "step": "candidates",
            "at": step.text_start,
            "options": [
                {
                    "id": option.id,
                    **_data(option.text),
                    "score": _number(option.score),
                    "total": _number(option.total),
                    "chosen": option.chosen,
                }
                for option in step.options
            ],
        }
    assert isinstance(step, BestPath)
    return {
        "step": "best_path",
        "path": [
            {
                "id": taken.id,
                **_data(taken.text),
                "score": _number(taken.score),
                "total": _number(taken.total),
            }
            for taken in step.steps
        ],
    }


def _tokens(run: Run, limits: Limits) -> list[Json]:
    chunks = run.chunks
    roles = token_roles(run.vocab)
    return [
        _token(run, row, None if row.chunk is None else chunks[row.chunk - 1], roles)
        for row in run.tokens
        if limits.chunk in (None, row.chunk)
    ]


def _token(
    run: Run, row: TokenRow, chunk: ChunkStory | None, roles: dict[int, tuple[str, ...]]
) -> Json:
    piece = run.piece(row.id)
    known = 0 <= row.id < len(run.vocab)
    return {
        "index": row.index,
        "id": row.id,
        "piece": None if piece is None else _data(piece)["text"],
        "bytes": None if piece is None else piece.hex(),
        "attributes": list(attribute_names(run.vocab.attr(row.id))) if known else [],
        "roles": list(roles.get(row.id, ())),
        "start": row.start,
        "end": row.end,
        "exact": row.exact,
        "text_start": row.text_start,
        "text_end": row.text_end,
        "chunk": row.chunk,
        "cause": CAUSES[type(row.cause).__name__],
        "source": _source(run, row.cause),
        "why": reason(run, row, chunk),
    }


def _source(run: Run, cause: Cause) -> Json | None:
    """The setting that added the token, and where the setting comes from."""
    if not isinstance(cause, Added):
        return None
    setting = run.vocab.settings.get(cause.setting)
    if setting is None:
        kind, detail = "type", f"{run.vocab.type.label} always adds {cause.role}"
    else:
        kind, detail = setting.source
    return {"role": cause.role, "setting": cause.setting, "kind": kind, "detail": detail}
