from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.asking import small, texts
from tests.builders import BYTE_LEVEL, BYTE_TOKENS, tiny_bpe, tiny_raw_bpe, tiny_soprano
from tests.gguf_files import BYTE, NORMAL
from tokcli import load


def byte_level(folder: Path, merges: list[str], more: list[str], **fields: Any) -> Any:
    fields = {"pre": "gpt-2", **fields}
    tokens = [*BYTE_LEVEL, *more]
    return small(folder, "gpt2", tokens, merges=merges, **fields)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("ab", ["ab"]),
        (" ab", ["Ġab"]),
        ("aab", ["a", "ab"]),
        ("abab", ["ab", "ab"]),
        # A merge whose result is no token falls back on the bytes of the mapped text.
        ("xy", ["x", "y"]),
        ("é", ["Ã©"]),
        (b"\xff", ["ï", "¿", "½"]),
    ],
)
def test_byte_level_merges(tmp_path: Path, text: str | bytes, expected: list[str]) -> None:
    merges = ["a b", "Ġ ab", "x y", "Ã ©"]

    assert texts(byte_level(tmp_path, merges, ["ab", "Ġab", "Ã©"]), text) == expected


def test_the_first_of_equal_merges_counts(tmp_path: Path) -> None:
    merges = ["b c", "a b", "b c"]

    assert texts(byte_level(tmp_path, merges, ["ab", "bc"]), "abc") == ["a", "bc"]


@pytest.mark.parametrize("odd", ["ab", " ab", "a\0 b", ""])
def test_odd_merges_join_nothing(tmp_path: Path, odd: str) -> None:
    assert texts(byte_level(tmp_path, [odd], ["ab"]), "ab") == ["a", "b"]


def test_ignore_merges_takes_whole_chunks(tmp_path: Path) -> None:
    merges = ["a b"]
    whole = byte_level(tmp_path, merges, ["ab", "abc"], pre="llama-bpe", add_bos_token=False)
    assert texts(whole, "abc") == ["abc"]
    assert texts(whole, "abcd") == ["ab", "c", "d"]

    merged = byte_level(tmp_path, merges, ["ab", "abc"])
    assert texts(merged, "abc") == ["ab", "c"]


def test_kimi_k2_needs_no_merges(tmp_path: Path) -> None:
    tokenizer = load(tiny_bpe(tmp_path / "kimi.gguf", pre="kimi-k2", merges=None))

    assert texts(tokenizer, "he") == ["h", "e"]


def test_raw_bpe_falls_back_to_byte_tokens(tmp_path: Path) -> None:
    tokenizer = load(tiny_raw_bpe(tmp_path / "raw.gguf"))

    assert texts(tokenizer, "the ab") == ["t", "he", "▁ab"]
    assert texts(tokenizer, "x") == ["<0x78>"]
    # Byte tokens above 0xF7 are missing here, and are left out.
    assert (
        texts(tokenizer, "ж\U0010ffff") == ["<0xD0>", "<0xB6>", "<0xF4>", "<0x8F>"] + ["<0xBF>"] * 2
    )


def test_gemma_takes_a_run_of_line_feeds_whole(tmp_path: Path) -> None:
    gemma = load(tiny_raw_bpe(tmp_path / "gemma.gguf"))
    assert texts(gemma, "\n\n\na") == ["\n\n\n", "a"]

    sarvam = load(tiny_raw_bpe(tmp_path / "sarvam.gguf", model="gpt2", pre="sarvam-moe"))
    assert texts(sarvam, "\n\n\na") == ["\n\n", "\n", "a"]


def test_mmbert_prefixes_lines(tmp_path: Path) -> None:
    tokenizer = load(tiny_raw_bpe(tmp_path / "mmbert.gguf", model="gpt2", pre="mmbert"))

    assert texts(tokenizer, "ab\nab  t") == ["▁ab", "\n", "▁ab", "▁", "▁t"]


def test_prepend_scheme_first(tmp_path: Path) -> None:
    scheme = {"metaspace.prepend_scheme": "first"}
    tokenizer = load(tiny_raw_bpe(tmp_path / "first.gguf", **scheme))

    assert texts(tokenizer, "ab") == ["▁ab"]
    assert texts(tokenizer, " ab") == ["▁ab"]
    assert texts(tokenizer, "\n") == ["▁", "\n"]
    assert texts(tokenizer, "") == []
    assert texts(tokenizer, "<|user|>ab") == ["<|user|>", "ab"]
    assert texts(tokenizer, "ab", add_special=True) == ["<bos>", "▁ab"]


def test_merges_of_surrogates_in_a_long_line(tmp_path: Path) -> None:
    lone = b"\xed\xa0\x80"
    tokens = [lone, b"a", lone + b"a", "▁"]
    merges = [lone + b" a"]
    tokenizer = small(tmp_path, "gpt2", tokens, pre="sarvam-moe", merges=merges)

    for count in (1, 40, 5000):
        assert tokenizer.tokenize((lone + b"a ") * count, add_special=False) == [2, 3] * count


def test_soprano_lowers_case_and_joins_white_space(tmp_path: Path) -> None:
    tokenizer = load(tiny_soprano(tmp_path / "soprano.gguf"))

    assert texts(tokenizer, "THE\t\n 12é") == ["the", " ", "1", "2", "é"]
    assert texts(tokenizer, "\u0130") == ["i", "\u0307"]
    assert texts(tokenizer, "xy") == ["[UNK]", "[UNK]"]
    without = load(tiny_soprano(tmp_path / "none.gguf", unknown_token_id=None))
    assert texts(without, "x") == ["-1"]


def test_model_whitespace_drops_white_space(tmp_path: Path) -> None:
    tokens = [*BYTE_TOKENS, "a", "b", "ab", "A", "i", "▁"]
    fields: dict[str, Any] = {
        "pre": "whitespace",
        "merges": ["a b"],
        "types": [BYTE] * 256 + [NORMAL] * 6,
    }
    plain = small(tmp_path, "whitespace", tokens, **fields)
    assert texts(plain, " ab \u3000 Ab\n") == ["ab", "A", "b"]
    assert texts(plain, "é") == ["<0xC3>", "<0xA9>"]

    lower = small(tmp_path, "whitespace", tokens, **fields, **{"normalizer.lowercase": True})
    assert texts(lower, "AB \u0130") == ["ab", "i"]

    # The words are cut before mmbert puts its prefix on each.
    prefixed = small(tmp_path, "whitespace", tokens, **(fields | {"pre": "mmbert"}))
    assert texts(prefixed, "ab\nab\u3000a b") == ["▁", "ab", "▁", "ab", "▁", "a", "▁", "b"]
