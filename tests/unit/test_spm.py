from __future__ import annotations

from pathlib import Path

import pytest

from tests.asking import small, texts, with_bytes
from tests.gguf_files import CONTROL, NORMAL, USER_DEFINED
from tokcli import TokenizeError
from tokcli.tokenizer import Tokenizer

PIECES = ["<s>", "</s>", "▁", "a", "b", "c", "ab", "bc", "▁ab", "abc", "▁▁", "{u}"]
SCORES = [0.0, 0.0, -9.0, -9.0, -9.0, -9.0, -1.0, -1.0, -3.0, -2.0, -4.0, 0.0]


def tiny(folder: Path, **fields: object) -> Tokenizer:
    types = [CONTROL, CONTROL] + [NORMAL] * 9 + [USER_DEFINED]
    tokens, types = with_bytes(PIECES, types)
    settings: dict[str, object] = {
        "types": types,
        "scores": SCORES + [0.0] * 256,
        "bos_token_id": 0,
        "eos_token_id": 1,
        "add_space_prefix": False,
    }
    return small(folder, "llama", tokens, **(settings | fields))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("a", ["a"]),
        # "ab" and "bc" score the same: the leftmost first.
        ("abc", ["abc"]),
        ("bab", ["b", "ab"]),
        # A joined text that is a token already counts, whatever it was made of.
        (" abc", ["▁", "abc"]),
        (" ab", ["▁ab"]),
        ("   ", ["▁▁", "▁"]),
        # What is no token goes out byte by byte.
        ("aé", ["a", "<0xC3>", "<0xA9>"]),
        ("a\0", ["a", "<0x00>"]),
        (b"\xe6\x97", ["<0xE6>", "<0x97>"]),
        (b"\xffab", ["<0xFF>", "<0x61>", "<0x62>"]),
    ],
)
def test_merges_by_score(tmp_path: Path, text: str | bytes, expected: list[str]) -> None:
    assert texts(tiny(tmp_path), text) == expected


def test_the_prefix_comes_at_the_start_and_after_special_tokens(tmp_path: Path) -> None:
    tokenizer = tiny(tmp_path, add_space_prefix=True)

    assert texts(tokenizer, "ab") == ["▁ab"]
    assert texts(tokenizer, "ab{u}ab") == ["▁ab", "{u}", "▁ab"]
    assert texts(tokenizer, "") == []


def test_scores_decide_between_pieces_of_equal_text(tmp_path: Path) -> None:
    scores = [*SCORES[:7], -0.5, *SCORES[8:], *[0.0] * 256]

    assert texts(tiny(tmp_path, scores=scores), "abc") == ["abc"]
    assert texts(tiny(tmp_path, scores=scores), " abcc") == ["▁", "abc", "c"]


def test_add_special(tmp_path: Path) -> None:
    assert texts(tiny(tmp_path), "a", add_special=True) == ["<s>", "a"]
    both = tiny(tmp_path, add_eos_token=True)
    assert texts(both, "", add_special=True) == ["<s>", "</s>"]


def test_a_lone_byte_stands_in_for_its_token(tmp_path: Path) -> None:
    tokenizer = small(tmp_path, "llama", ["a", b"\xff"], add_space_prefix=False)

    assert tokenizer.tokenize(b"\xff", add_special=False) == [1]


def test_a_missing_byte_is_an_error(tmp_path: Path) -> None:
    tokenizer = small(tmp_path, "llama", ["a"], add_space_prefix=False)

    with pytest.raises(TokenizeError, match="no token for byte 0x62"):
        tokenizer.tokenize("ab", add_special=False)
