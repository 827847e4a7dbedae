from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.asking import small, texts
from tests.batching import always_together
from tests.charsmap import precompiled_charsmap
from tests.gguf_files import CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED
from tokcli.algorithms.ugm import Ugm
from tokcli.tokenizer import Tokenizer

TOKENS = ["<pad>", "</s>", "<unk>", "▁", "a", "b", "ab", "aba", "é", "\ufffd", "{u}", "{u}{", "un"]
TYPES = [CONTROL, CONTROL, UNKNOWN] + [NORMAL] * 7 + [USER_DEFINED] * 2 + [UNUSED]
SCORES = [0.0, 0.0, 0.0, -2.0, -1.0, -1.0, -1.5, -4.0, -3.0, -5.0, -9.0, -9.0, -1.0]


def tiny(folder: Path, **fields: Any) -> Tokenizer:
    return small(folder, "t5", TOKENS, **({"types": TYPES, "scores": SCORES} | fields))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("ab", ["ab"]),
        ("aba", ["ab", "a"]),
        # Equal sums: what came first stays.
        ("abab", ["ab", "ab"]),
        # Neighbouring unknown characters are one token.
        ("axyzb", ["a", "<unk>", "b"]),
        ("日本a", ["<unk>", "a"]),
        ("é", ["é"]),
        ("un", ["un"]),
        (" a", ["▁", "a"]),
        ("a  b", ["a", "▁", "▁", "b"]),
        # Each byte of ill-formed UTF-8 becomes U+FFFD, of overlong forms too.
        (b"\xff", ["\ufffd"]),
        (b"\xc0\x80a", ["\ufffd", "\ufffd", "a"]),
        (b"\xf4\x90\x80\x80", ["\ufffd"] * 4),
        (b"\xed\xa0\x80", ["<unk>"]),
    ],
)
def test_best_path(tmp_path: Path, text: str | bytes, expected: list[str]) -> None:
    assert texts(tiny(tmp_path), text) == expected


def test_spaces(tmp_path: Path) -> None:
    prefixed = tiny(tmp_path, add_space_prefix=True)
    assert texts(prefixed, "a  b") == ["▁", "a", "▁", "▁", "b"]

    joined = tiny(tmp_path, remove_extra_whitespaces=True)
    assert texts(joined, "  a  b ") == ["▁", "a", "▁", "b"]


@pytest.mark.parametrize("together", [False, True])
def test_of_equal_sums_the_first_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, together: bool
) -> None:
    tokenizer = small(
        tmp_path,
        "t5",
        ["<pad>", "</s>", "<unk>", "▁", "a", "b", "ab", "aba"],
        types=[CONTROL, CONTROL, UNKNOWN] + [NORMAL] * 5,
        scores=[0.0, 0.0, 0.0, -1.0, -1.0, -1.0, -2.0, -3.0],
        remove_extra_whitespaces=True,
    )
    if together:
        always_together(monkeypatch)

    assert texts(tokenizer, "ab aba abab") == ["▁", "ab", "▁", "aba", "▁", "ab", "ab"]


def test_a_token_may_reach_into_the_next_word(tmp_path: Path) -> None:
    tokenizer = small(
        tmp_path,
        "t5",
        ["<pad>", "</s>", "<unk>", "▁", "a", "a▁", "▁▁"],
        types=[CONTROL, CONTROL, UNKNOWN] + [NORMAL] * 4,
        scores=[0.0, 0.0, 0.0, -2.0, -2.0, -1.0, -1.0],
        remove_extra_whitespaces=True,
    )

    assert texts(tokenizer, "a a") == ["▁", "a▁", "a"]
    assert texts(tokenizer, "a▁ a") == ["▁", "a", "▁▁", "a"]


def test_charsmap_replaces_the_longest_match(tmp_path: Path) -> None:
    table = precompiled_charsmap({"A": "a", "AB": "b", "ﬁ": "", "\t": " ", "e\u0301": "é"})
    tokenizer = tiny(tmp_path, precompiled_charsmap=table)

    assert texts(tokenizer, "A") == ["a"]
    assert texts(tokenizer, "AB") == ["b"]
    assert texts(tokenizer, "aﬁb") == ["ab"]
    assert texts(tokenizer, "a\tb") == ["a", "▁", "b"]
    assert texts(tokenizer, "e\u0301") == ["é"]


def test_nfc_comes_first(tmp_path: Path) -> None:
    assert texts(tiny(tmp_path), "e\u0301") == ["<unk>"]
    assert texts(tiny(tmp_path, **{"normalizer.nfc": True}), "e\u0301") == ["é"]


def test_user_defined_text_is_not_normalized(tmp_path: Path) -> None:
    table = precompiled_charsmap({"u": "a", "{": "b"})
    tokenizer = tiny(tmp_path, precompiled_charsmap=table)

    assert texts(tokenizer, "{u}a") == ["{u}", "a"]
    # "{" and "{u" begin such a token, and are left alone too.
    assert texts(tokenizer, "{") == ["<unk>"]
    assert texts(tokenizer, "u") == ["a"]


def test_types_count_as_the_file_has_them(tmp_path: Path) -> None:
    # "<|im_end|>" becomes a control token after the table was built from its NORMAL type.
    tokenizer = small(
        tmp_path,
        "t5",
        ["<pad>", "</s>", "<unk>", "<|im_end|>"],
        types=[CONTROL, CONTROL, UNKNOWN, NORMAL],
        scores=[0.0, 0.0, 0.0, -1.0],
    )

    assert texts(tokenizer, "<|im_end|>") == ["<|im_end|>"]


def test_eos_is_added(tmp_path: Path) -> None:
    assert texts(tiny(tmp_path), "a", add_special=True) == ["a", "</s>"]


def test_a_surrogate_is_a_character_of_one_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer = tiny(tmp_path, remove_extra_whitespaces=True)
    text = b"the ab\xed\xa0\x80 abc\xed\xb2\x80\xff " * 9
    traced = tokenizer.tokenize(text, trace=lambda _: None)
    searched: list[bytes] = []
    best_path = Ugm._best_path

    def spy(ugm: Ugm, piece: bytes, *more: Any) -> list[int]:
        searched.append(piece)
        return best_path(ugm, piece, *more)

    monkeypatch.setattr(Ugm, "_best_path", spy)

    assert tokenizer.tokenize(text) == traced
    assert max(map(len, searched)) < 16


@pytest.mark.parametrize("together", [False, True])
def test_an_ill_formed_token_is_no_surrogate(
    tmp_path: Path, together: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer = small(
        tmp_path,
        "t5",
        ["<unk>", "</s>", "▁", b"\xed\xa0\x80", b"\x80", "a"],
        types=[UNKNOWN, CONTROL, NORMAL, NORMAL, NORMAL, NORMAL],
        scores=[-1.0] * 6,
        remove_extra_whitespaces=True,
    )
    if together:
        always_together(monkeypatch)
    for text in (b"a\xed\xa0\x80a", b"\xed\xb2\x80", b"a\x80\xed\xa0\x80"):
        assert tokenizer.tokenize(text) == tokenizer.tokenize(text, trace=lambda _: None)
