"""Long text in which nothing merges takes a way of its own, to the same ids."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.builders import tiny_raw_bpe, tiny_spm
from tests.gguf_files import NORMAL, UNKNOWN
from tokcli.algorithms import bpe, spm
from tokcli.errors import TokenizeError
from tokcli.merging import lone_characters
from tokcli.tokenizer import load

# Vocabularies with letters that merge and letters that do not; "é" does with itself.
BUILDERS = {"spm": tiny_spm, "gemma4": tiny_raw_bpe}
LETTERS = ["0123", "34.é", "ёжз", "日a", "▁ .", "ab", "\x00x", "\ufffd\udc80z", "1\n2"]


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> dict[bool, int]:
    """All text is long; how often the way was taken, and how often not."""
    counts = {True: 0, False: 0}

    def spy(*arguments: Any) -> list[int] | None:
        found = lone_characters.encode_lone_characters(*arguments)
        counts[found is not None] += 1
        return found

    for module in (bpe, spm):
        monkeypatch.setattr(module, "LONG_TEXT", 0)
        monkeypatch.setattr(module, "encode_lone_characters", spy)
    monkeypatch.setattr("tokcli.merging.few_merges.SHORT_TEXT", -1)
    return counts


@pytest.mark.parametrize("samples", [1, 1 << 20])
@pytest.mark.parametrize("build", BUILDERS.values(), ids=BUILDERS)
def test_the_ids_are_those_of_the_other_ways(
    build: Callable[[Path], Path],
    samples: int,
    tmp_path: Path,
    ways: dict[bool, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = build(tmp_path / "m.gguf")
    choices = random.Random(1).choices
    texts = ["".join(choices(letters, k=9)) for letters in LETTERS for _ in range(8)]
    found = [load(path).tokenize(text) for text in texts]
    monkeypatch.setattr(lone_characters, "SAMPLES", samples)
    fewer = [load(path).tokenize(text) for text in texts]
    monkeypatch.setattr(lone_characters, "MOST_PAIRS", -1)

    assert found == fewer == [load(path).tokenize(text) for text in texts]
    assert min(ways.values()) > 20


def test_once_more_is_known_it_is_not_tried(tmp_path: Path, ways: dict[bool, int]) -> None:
    tokenizer = load(tiny_spm(tmp_path / "m.gguf"))

    for text in ("жж", "abc", "жж"):
        tokenizer.tokenize(text)
    assert ways == {True: 1, False: 1}


def test_many_pairs_are_not_looked_for(
    tmp_path: Path, ways: dict[bool, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lone_characters, "SAMPLES", 1)
    monkeypatch.setattr(lone_characters, "SAMPLE", 0)
    path = tiny_spm(tmp_path / "m.gguf", add_space_prefix=False)
    ids = load(path).tokenize("acb")
    monkeypatch.setattr(lone_characters, "MOST_PAIRS", 0)

    assert load(path).tokenize("acb") == ids
    assert ways == {True: 1, False: 1}


def test_the_first_byte_without_a_token_is_named(tmp_path: Path, ways: dict[bool, int]) -> None:
    path = tiny_spm(
        tmp_path / "m.gguf", tokens=["<unk>", "▁", "a"], token_type=[UNKNOWN, NORMAL, NORMAL],
        scores=[0.0] * 3, bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    for text in ("aжñ", "añж"):
        with pytest.raises(TokenizeError, match=f"byte 0x{text.encode()[1]:02X}"):
            load(path).tokenize(text)
