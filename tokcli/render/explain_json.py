"""An explanation as JSON; tokcli/schemas/explain.schema.json describes it.

Everything is there, whatever its length, and made as it is written. Indices count from 0 (regexes,
alternatives, symbols, fragments, tokens), chunk numbers from 1; spans are byte offsets, the end not
included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from tokcli.listing.token_roles import attribute_names, token_roles
from tokcli.render.explain_json_steps import data_json, steps_json
from tokcli.render.explain_model import Added, Cause, ChunkStory, Run, SpecialStory
from tokcli.render.explain_tokens import remarks
from tokcli.render.explain_view import Limits
from tokcli.render.explain_why import reason
from tokcli.render.json_layout import LaidOut, Stream, json_document, json_pieces
from tokcli.trace import Change
from tokcli.vocab import TokenId

__all__ = ["SCHEMA_VERSION", "document_pieces"]

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


def document_pieces(runs: list[Run], limits: Limits) -> Iterator[str]:
    """The document of one run, or of several side by side (--both), piece by piece."""
    if len(runs) == 1:
        return json_pieces(_document(runs[0], limits))
    several = Stream(_document(run, limits) for run in runs)
    return json_pieces({"schema_version": SCHEMA_VERSION, "runs": several})


def _document(run: Run, limits: Limits) -> Json:
    """What `run` tells, of the stages and the chunk that `limits` names."""
    explanation, vocab = run.explanation, run.vocab
    stages: dict[str, Callable[[], Json]] = {
        "input": lambda: {"input": _input(run)},
        "fragments": lambda: {
            "fragments": Stream(_fragments(run)),
            "ignored_special": Stream(_ignored(run)),
        },
        "prepare": lambda: {"prepare": Stream(_prepare(run))},
        "chunks": lambda: {"regexes": _regexes(run), "chunks": Stream(_chunks(run, limits))},
        "bytes": lambda: {"bytes": Stream(_bytes(run, limits))},
        "steps": lambda: {"steps": Stream(steps_json(_wanted(run, limits), run.chunks))},
        "tokens": lambda: {"tokens": Stream(_tokens(run, limits))},
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


def _input(run: Run) -> Json:
    data = run.explanation.input
    typed = run.request.typed
    return {
        **data_json(data),
        "n_bytes": len(data),
        "n_code_points": len(data.decode("utf-8", "surrogateescape")),
        "escapes": run.request.escapes,
        "typed": None if typed is None else data_json(typed),
    }


def _fragments(run: Run) -> Iterator[Json]:
    for fragment in run.fragments:
        if isinstance(fragment, SpecialStory):
            event = fragment.event
            yield {
                "kind": "special",
                "start": event.start,
                "end": event.end,
                "id": event.id,
                "rule": event.rule,
                "strip_start": event.strip_start,
                "strip_end": event.strip_end,
            }
        else:
            yield {"kind": "text", "start": fragment.start, "end": fragment.end}


def _ignored(run: Run) -> Iterator[Json]:
    for found in run.explanation.ignored_special:
        text = data_json(run.vocab.texts[found.id])
        yield {"id": found.id, "start": found.start, "end": found.end, **text}


def _prepare(run: Run) -> Iterator[Json]:
    for index, fragment in enumerate(run.fragments):
        if isinstance(fragment, SpecialStory):
            continue
        for rewrite in fragment.rewrites:
            yield {
                "fragment": index,
                "rule": rewrite.rule,
                "before": data_json(rewrite.before),
                "after": data_json(rewrite.after),
                "changes": Stream(map(_change, rewrite.changes)),
            }


def _change(change: Change) -> Json:
    return {"start": change.start, "end": change.end, "after": data_json(change.after)}


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


def _chunks(run: Run, limits: Limits) -> Iterator[Json]:
    for chunk in _wanted(run, limits):
        event = chunk.event
        yield {
            "number": chunk.number,
            "fragment": chunk.fragment,
            "start": event.start,
            "end": event.end,
            "exact": event.exact,
            "text_start": event.text_start,
            "text_end": event.text_end,
            **data_json(event.text),
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


def _bytes(run: Run, limits: Limits) -> Iterator[Json]:
    for chunk in _wanted(run, limits):
        event = chunk.event
        before, after = data_json(event.text), data_json(event.encoded)
        yield {"chunk": chunk.number, "before": before, "after": after}


def _tokens(run: Run, limits: Limits) -> Iterator[Json]:
    chunks = run.chunks
    roles = token_roles(run.vocab)

    @cache
    def token(id: TokenId) -> Json:
        told = _token(run, id, roles.get(id, ()))
        return {key: LaidOut(json_document(value)) for key, value in told.items()}

    for row in run.tokens:
        if limits.chunk not in (None, row.chunk):
            continue
        yield {
            "index": row.index,
            **token(row.id),
            "start": row.start,
            "end": row.end,
            "exact": row.exact,
            "text_start": row.text_start,
            "text_end": row.text_end,
            "chunk": row.chunk,
            "cause": CAUSES[type(row.cause).__name__],
            "source": _source(run, row.cause),
            "why": reason(run, row, None if row.chunk is None else chunks[row.chunk - 1]),
        }


def _token(run: Run, id: TokenId, roles: tuple[str, ...]) -> Json:
    """What is the same wherever the token occurs."""
    piece = run.piece(id)
    known = 0 <= id < len(run.vocab)
    return {
        "id": id,
        "piece": None if piece is None else data_json(piece)["text"],
        "bytes": None if piece is None else piece.hex(),
        "attributes": list(attribute_names(run.vocab.attr(id))) if known else [],
        "roles": list(roles),
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
