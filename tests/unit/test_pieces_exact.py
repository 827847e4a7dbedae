"""Files on which tokenizing in pieces could go wrong: plain ids equal traced ones, which are never
cut, and llama.cpp's definition where that is short to say."""

from __future__ import annotations

from pathlib import Path

import pytest

import tokcli
from tests.charsmap import precompiled_charsmap
from tests.gguf_files import write_vocab
from tokcli.algorithms.heads import lengths_by_head
from tokcli.trace import Event

MARK = "▁"
UNK, NORMAL, USER_DEFINED, UNUSED = 2, 1, 4, 5


def both_ways(tok: tokcli.Tokenizer, text: str) -> tuple[list[int], list[int]]:
    events: list[Event] = []
    plain = tok.tokenize(text, add_special=False)
    return plain, tok.tokenize(text, add_special=False, trace=events.append)


def test_a_merge_without_a_space_does_not_shift_the_others(tmp_path: Path) -> None:
    path = tmp_path / "odd-merges.gguf"
    tokens = ["a", "b", "d", "e", "de", MARK, "x", "y", "z", "w", "v", "u"]
    write_vocab(path, model="gemma4", tokens=tokens, merges=["ab", "d e", "a b a"])
    plain, traced = both_ways(tokcli.load(path), "de " * 1500)

    assert plain == traced
    assert plain[:2] == [4, 5]


def test_an_entry_that_starts_with_a_space_keeps_words_together(tmp_path: Path) -> None:
    path = tmp_path / "space-entry.gguf"
    write_vocab(
        path,
        model="t5",
        tokens=["<pad>", "</s>", "<unk>", MARK, "a", "b", "X"],
        types=[3, 3, UNK, NORMAL, NORMAL, NORMAL, NORMAL],
        scores=[0.0, 0.0, 0.0, -1.0, -2.0, -2.0, -2.0],
        precompiled_charsmap=precompiled_charsmap({" a": "X"}),
        remove_extra_whitespaces=True,
        add_space_prefix=True,
    )
    plain, traced = both_ways(tokcli.load(path), "b a")

    assert plain == traced


def test_without_normal_tokens_sums_are_too_coarse_to_cut(tmp_path: Path) -> None:
    path = tmp_path / "no-normal.gguf"
    write_vocab(
        path,
        model="t5",
        tokens=["<pad>", "</s>", "<unk>", MARK, "a", "b", "ab", MARK + "ab"],
        types=[3, 3, UNK, UNUSED, UNUSED, UNUSED, UNUSED, UNUSED],
        scores=[0.0, 0.0, 0.0, -1.0, -1.0, -1.0, -5.0, -9.0],
        remove_extra_whitespaces=True,
        add_space_prefix=True,
    )
    plain, traced = both_ways(tokcli.load(path), "x ab")

    assert plain == traced


def test_nan_scores_merge_last_however_the_text_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "nan.gguf"
    tokens = ["<unk>", "<s>", "</s>", MARK, "a", "b", "c", "ab", "bc", "abc", MARK + "a"]
    scores = [0.0, 0.0, 0.0, -1.0, -1.0, -1.0, -1.0, float("nan"), -2.0, float("nan"), -3.0]
    write_vocab(path, model="llama", tokens=tokens, scores=scores)
    tok = tokcli.load(path)
    for text in ("abc " * 2000, "abcab ca " * 900, "cab"):
        plain, traced = both_ways(tok, text)

        assert plain == traced


@pytest.mark.parametrize("model", ["t5", "bert"])
def test_an_endless_token_changes_no_others(tmp_path: Path, model: str) -> None:
    path = tmp_path / "endless.gguf"
    tokens = ["<pad>", "</s>", "<unk>", MARK, "a", MARK + "a", "a" * 8000, "b"]
    types = [3, 3, UNK, NORMAL, NORMAL, NORMAL, USER_DEFINED if model == "t5" else NORMAL, NORMAL]
    write_vocab(
        path,
        model=model,
        tokens=tokens,
        types=types,
        scores=[-1.0] * 8,
        bos_token_id=0,
        seperator_token_id=1,
        unknown_token_id=2,
    )
    tok = tokcli.load(path)
    plain, traced = both_ways(tok, "ab" + "a" * 70)

    assert plain == traced
    assert len(plain) > 1


def test_lengths_to_try_are_those_of_tokens_that_begin_alike() -> None:
    texts = [b"a", b"ab", b"abc", b"b" * 8000]

    assert lengths_by_head(texts, 2) == {b"a": (1,), b"ab": (3, 2), b"bb": (8000,)}
