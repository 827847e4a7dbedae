from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.asking import small, texts
from tests.builders import BYTE_LEVEL
from tests.gguf_files import NORMAL, USER_DEFINED
from tokcli.tokenizer import Tokenizer

KMERS = ("ACACAC", "CCCCCC", "ANNNNN", "ACNNNN")
TAGS = ("<dna>", "</dna>", "<oov>")


def tiny(
    folder: Path, kmers: Sequence[str] = KMERS, tags: Sequence[str] = TAGS, **fields: Any
) -> Tokenizer:
    tokens = [*BYTE_LEVEL, "CC", *tags, *[kmer + "\ue000" for kmer in kmers]]
    settings = {"pre": "gpt-2", "merges": ["C C"]}
    return small(folder, "hybriddna", tokens, **(settings | fields))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CCC", ["CC", "C"]),
        ("<dna>ACACAC</dna>", ["<dna>", "ACACAC", "</dna>"]),
        ("<dna> acacac \n</dna>C", ["<dna>", "ACACAC", "</dna>", "C"]),
        # The last chunk is padded; what is no base, or no token, is out of vocabulary.
        ("<dna>CCCCCCAC</dna>", ["<dna>", "CCCCCC", "AC", "</dna>"]),
        ("<dna>A", ["<dna>", "A"]),
        ("<dna>GGGGGG", ["<dna>", "<oov>"]),
        ("<dna>ACXCAC", ["<dna>", "<oov>"]),
        ("<dna>日本語日本語ACACAC", ["<dna>", "<oov>", "ACACAC"]),
        ("<dna></dna>", ["<dna>", "</dna>"]),
        # A stray end tag: what came before it was DNA.
        ("ACACAC</dna>CC", ["ACACAC", "</dna>", "CC"]),
        ("CC<dna>A</dna>AC</dna>", ["CC", "<dna>", "A", "</dna>", "AC", "</dna>"]),
        ("", []),
    ],
)
def test_tagged(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert texts(tiny(tmp_path), text) == expected


@pytest.mark.parametrize("tag", TAGS[:2])
def test_repeated_tags_take_time_in_proportion(tmp_path: Path, tag: str) -> None:
    tokenizer = tiny(tmp_path)
    start = time.perf_counter()

    ids = tokenizer.tokenize(tag * 40_000, add_special=False)

    assert ids.count(tokenizer.vocab.token_to_id[tag.encode()]) == (40_000 if "/" in tag else 1)
    assert time.perf_counter() - start < 4


def test_padding_is_a_without_the_n_token(tmp_path: Path) -> None:
    tokenizer = tiny(tmp_path, ["CAAAAA"])

    assert texts(tokenizer, "<dna>C") == ["<dna>", "CAAAAA"]


def test_kmers_are_rendered_without_marker_and_padding(tmp_path: Path) -> None:
    tokenizer = tiny(tmp_path, ["ACACAC", "ANNNNN", "NNNNNN", "NACNAN"])
    first = len(tokenizer.vocab) - 4

    assert [tokenizer.piece(first + place) for place in range(4)] == [
        b"ACACAC",
        b"A",
        b"NNNNNN",
        b"NACNA",
    ]


def test_without_all_three_tags_it_is_plain_bpe(tmp_path: Path) -> None:
    tokenizer = tiny(tmp_path, tags=["<dna>", "</dna>"])

    assert texts(tokenizer, "<dna>CC") == [*"<dna>", "CC"]


def test_user_defined_tags_are_cut_out_first(tmp_path: Path) -> None:
    n_tokens = 256 + 1 + 3 + len(KMERS)
    types = [NORMAL] * 257 + [USER_DEFINED] * 2 + [NORMAL] * (n_tokens - 259)
    tokenizer = tiny(tmp_path, types=types)

    assert texts(tokenizer, "<dna>CC") == ["<dna>", "CC"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Six bases or more, in either case.
        ("ACACAC", ["<dna>", "ACACAC", "</dna>"]),
        ("x ccccccac", ["x", "Ġ", "<dna>", "CCCCCC", "AC", "</dna>"]),
        ("CCCCC", ["CC", "CC", "C"]),
        # Ambiguity codes: twelve letters with a fifth of them at most.
        ("ACACACCCCCCN", ["<dna>", "ACACAC", "<oov>", "</dna>"]),
        ("ACACACN", list("ACACACN")),
        # Six groups set apart by blanks, twelve bases.
        ("AC AC AC CC CC CC", ["<dna>", "ACACAC", "CCCCCC", "</dna>"]),
        ("CC CC CC CC CC", ["CC"] + ["Ġ", "CC"] * 4),
    ],
)
def test_auto_tags(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert texts(tiny(tmp_path, dna_auto_tags=True), text) == expected
