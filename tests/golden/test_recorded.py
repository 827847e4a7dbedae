"""Every tiny vocabulary and the built-in one, against the recorded answers of llama.cpp."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tokcli
from tests import vocabularies
from tests.answers import Comparison

RECORDED = Path(__file__).resolve().parent.parent / "recorded"

Case = tuple[dict[str, Any], dict[str, Any]]


def tokenize_cases(rows: list[dict[str, Any]]) -> Iterator[Case]:
    for row in rows:
        text = {name: row[name] for name in ("text", "hex") if name in row}
        for entry in row["answers"]:
            for flags in entry["flags"]:
                question = {
                    "op": "tokenize",
                    "add_special": "add_special" in flags,
                    "parse_special": "parse_special" in flags,
                }
                yield question | text, entry


def detokenize_cases(rows: list[dict[str, Any]]) -> Iterator[Case]:
    for row in rows:
        flags = {"remove_special": False, "unparse_special": True}
        yield {"op": "detokenize", "ids": row["ids"], **flags}, row


def piece_cases(rows: list[dict[str, Any]]) -> Iterator[Case]:
    for row in rows:
        for token, piece in zip(row["ids"], row["hex"], strict=True):
            question = {"op": "piece", "special": row["special"], "lstrip": row["lstrip"]}
            yield {**question, "id": token}, {"hex": piece}


CASES = {"tokenize": tokenize_cases, "detokenize": detokenize_cases, "piece": piece_cases}


@pytest.mark.parametrize("operation", CASES)
@pytest.mark.parametrize("name", vocabularies.ALL)
def test_answers_are_those_of_the_reference(name: str, operation: str, tmp_path: Path) -> None:
    recorded = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
    tokenizer = tokcli.load(vocabularies.path_of(name, tmp_path))
    comparison = Comparison(tokenizer, f"{name} {operation}")

    for question, expected in CASES[operation](recorded[operation]):
        comparison.check(question, expected, f"{name}.json")

    assert comparison.asked > 0
    comparison.assert_same()


def test_every_recording_belongs_to_a_vocabulary() -> None:
    assert sorted(vocabularies.ALL) == sorted(path.stem for path in RECORDED.glob("*.json"))


def test_built_in_vocabulary_is_used_without_a_path() -> None:
    assert tokcli.load().tokenize("How are", add_special=False) == [2437, 389]
