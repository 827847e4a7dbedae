"""What must hold of every explanation, whatever the vocabulary and the text."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from typing import Any

import jsonschema

from tokcli.explain import Explanation
from tokcli.render.explain_build import build
from tokcli.render.explain_json import document_pieces
from tokcli.render.explain_model import ChunkStory, Merged, Request, Run, TextStory
from tokcli.render.explain_page import page
from tokcli.render.explain_text import page_lines
from tokcli.render.explain_view import Limits
from tokcli.schemas import load_schema
from tokcli.tokenizer import Tokenizer
from tokcli.trace import (
    FragmentSpecial,
    MergeApplied,
    SpecialAdded,
    SymbolsSplit,
    TokenEmitted,
)


@cache
def validator() -> Any:
    """Checks documents against the schema in the package."""
    schema = load_schema("explain")
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def document(runs: list[Run], limits: Limits | None = None) -> Any:
    """The JSON of `runs`, parsed."""
    return json.loads("".join(document_pieces(runs, limits or Limits())))


def check(tokenizer: Tokenizer, data: bytes, *, add_special: bool, parse_special: bool) -> Run:
    """Explain `data` and assert what holds of all explanations; returns the model."""
    explanation = tokenizer.explain(data, add_special=add_special, parse_special=parse_special)
    assert list(explanation.ids) == tokenizer.tokenize(
        data, add_special=add_special, parse_special=parse_special
    )
    assert _ids_in_events(explanation) == list(explanation.ids)
    run = build(explanation, Request("model.gguf"))
    assert [row.id for row in run.tokens] == list(explanation.ids)
    for chunk in run.chunks:
        _check_merges(tokenizer, chunk)
    _check_spans(run)
    return run


def check_drawing(run: Run) -> None:
    """Assert that the page can be drawn, that it holds nothing a terminal obeys, and that the
    document is valid."""
    for text in page_lines(page(run, Limits(steps=5))):
        assert not any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for char in text), repr(text)
    validator().validate(document([run]))


def _ids_in_events(explanation: Explanation) -> list[int]:
    kinds = (SpecialAdded, FragmentSpecial, TokenEmitted)
    return [event.id for event in explanation.events if isinstance(event, kinds)]


def _check_merges(tokenizer: Tokenizer, chunk: ChunkStory) -> None:
    """Replaying the merges over the initial symbols gives the final ones, which are tokens."""
    merges = [step for step in chunk.steps if isinstance(step, MergeApplied)]
    splits = [step for step in chunk.steps if isinstance(step, SymbolsSplit)]
    assert len(splits) <= 1
    state: list[bytes | None] = list(splits[0].symbols) if splits else []
    for merge in merges:
        between = state[merge.left_index + 1 : merge.right_index]
        assert not any(between), "merged symbols must be neighbours"
        assert (state[merge.left_index], state[merge.right_index]) == (merge.left, merge.right)
        state[merge.left_index], state[merge.right_index] = merge.result, None
    assert tuple(symbol for symbol in state if symbol is not None) == chunk.final
    for row in chunk.tokens:
        if isinstance(row.cause, Merged):
            assert tokenizer.vocab.token_to_id[row.cause.symbol] == row.id
    if chunk.symbols:
        assert b"".join(chunk.symbols) == chunk.event.encoded


def _check_spans(run: Run) -> None:
    """Spans lie in the input and in order; what is exact quotes it."""
    data = run.explanation.input
    placed = [row for row in run.tokens if row.start is not None]
    for row in placed:
        assert row.start is not None
        assert row.end is not None
        assert 0 <= row.start <= row.end <= len(data)
    for left, right in pairwise(placed):
        assert (left.start or 0) <= (right.start or 0)
    covered = 0
    for fragment in run.fragments:
        if isinstance(fragment, TextStory):
            assert fragment.start == covered
            covered = fragment.end
            for chunk in fragment.chunks:
                assert fragment.start <= chunk.event.start <= chunk.event.end <= fragment.end
                for row in chunk.tokens:
                    assert row.text_start is not None
                    assert row.text_end is not None
                    assert chunk.event.text_start <= row.text_start
                    assert row.text_end <= chunk.event.text_end
        else:
            assert fragment.event.strip_start == covered
            covered = fragment.event.strip_end
    assert covered == len(data)


def check_tiling(run: Run) -> None:
    """Assert that tokens with exact spans cover their fragment byte for byte, one after another."""
    data = run.explanation.input
    for fragment in run.texts:
        rows = [row for chunk in fragment.chunks for row in chunk.tokens]
        quoted = b"".join(data[row.start : row.end] for row in rows)
        assert quoted == data[fragment.start : fragment.end]
