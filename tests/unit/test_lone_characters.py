"""Long text in which nothing merges takes a way of its own, to the same ids."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.builders import RAW_MERGES, tiny_raw_bpe, tiny_spm
from tests.gguf_files import NORMAL, UNKNOWN
from tokcli.algorithms import bpe, spm
from tokcli.errors import TokenizeError
from tokcli.merging import lone_characters
from tokcli.tokenizer import load


def without_newline_merges(path: Path) -> Path:
    """Newlines are a token that no merge makes."""
    return tiny_raw_bpe(path, merges=[merge for merge in RAW_MERGES if "\n" not in merge])


# Vocabularies with letters that merge and letters that do not; "é" does with itself.
BUILDERS = {"spm": tiny_spm, "gemma4": tiny_raw_bpe, "newlines": without_newline_merges}
LETTERS = ["0123", "34.é", "ёжз", "日a", "▁ .", "ab", "12", "\x00x", "\ufffd\udc80z", "1\n2", "\n3"]


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


@pytest.mark.parametrize("sample", [0, 2, 256])
@pytest.mark.parametrize("build", BUILDERS.values(), ids=BUILDERS)
def test_the_ids_are_those_of_the_other_ways(
    build: Callable[[Path], Path],
    sample: int,
    tmp_path: Path,
    ways: dict[bool, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = build(tmp_path / "m.gguf")
    choices = random.Random(1).choices
    texts = ["".join(choices(letters, k=size)) for letters in LETTERS for size in (3, 5, 9, 9, 9)]
    texts += ["\n\n\n", "abab", "éé", "1212"]
    monkeypatch.setattr(lone_characters, "SAMPLE", sample)
    found = [load(path).tokenize(text) for text in texts]
    taken, left = ways[True], ways[False]
    monkeypatch.setattr(lone_characters, "MOST_PAIRS", -1)

    assert found == [load(path).tokenize(text) for text in texts]
    assert min(taken, left) > 9


@pytest.mark.parametrize("build", BUILDERS.values(), ids=BUILDERS)
def test_it_is_tried_once(
    build: Callable[[Path], Path], tmp_path: Path, ways: dict[bool, int]
) -> None:
    path = build(tmp_path / "m.gguf")
    for texts in (("жж", "жж", "abc"), ("abc", "жж")):
        tokenizer = load(path)
        for text in texts:
            tokenizer.tokenize(text)
    assert ways == {True: 1, False: 1}


def test_many_pairs_are_not_looked_for(
    tmp_path: Path, ways: dict[bool, int], monkeypatch: pytest.MonkeyPatch
) -> None:
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
