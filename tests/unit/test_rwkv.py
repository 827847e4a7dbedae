from __future__ import annotations

from pathlib import Path

import pytest

from tests.asking import small, texts
from tests.builders import tiny_rwkv
from tokcli import TokenizeError, VocabError, load
from tokcli.text.rwkv_escapes import unescape


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("hello", ["hello"]),
        ("hellhello", ["hell", "hello"]),
        ("hel", ["he", "l"]),
        ("日", ["日"]),
        ("日本", ["日本"]),
        (b"\xe6\x97\xa6", ["\\xe6\\x97", "\\xa6"]),
        ("\n\n\n", ["\\n\\n", "\\n"]),
        (b"\xff\x00", ["\\xff", "\\x00"]),
    ],
)
def test_longest_match(tmp_path: Path, text: str | bytes, expected: list[str]) -> None:
    assert texts(load(tiny_rwkv(tmp_path / "rwkv.gguf")), text) == expected


def test_a_byte_that_starts_nothing_is_unknown(tmp_path: Path) -> None:
    tokens = ["a", "bc"]
    assert texts(small(tmp_path, "rwkv", tokens), "xa") == ["-1", "a"]
    assert texts(small(tmp_path, "rwkv", tokens, unknown_token_id=0), "xa") == ["a", "a"]


def test_where_the_reference_loops_for_ever_is_an_error(tmp_path: Path) -> None:
    tokenizer = small(tmp_path, "rwkv", ["a", "bc"])

    with pytest.raises(TokenizeError, match=r"byte 1 of the input \(0x62\)"):
        tokenizer.tokenize("aba", add_special=False)


def test_line_feeds_need_a_token_of_one(tmp_path: Path) -> None:
    with pytest.raises(VocabError, match="none is a line feed alone"):
        small(tmp_path, "rwkv", ["a", "\\n\\n"])

    assert texts(small(tmp_path, "rwkv", ["a", "\\n\\n", "\\x0a"]), "\n") == ["\\x0a"]


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        (b"plain", b"plain"),
        (b"\\t\\n\\r\\\\", b"\t\n\r\\"),
        (b"\\x41\\xff", b"A\xff"),
        (b"\\q", b"q"),
        # Cut short at the end.
        (b"a\\", b"a"),
        (b"a\\x4", b"a"),
        # Capitals are no hex digits, but the reference's arithmetic goes on.
        (b"\\xfF", b"\x06"),
        (b"b\\xzz", b"bS"),
        (b"\\x\xff\xff", b"\xbf"),
    ],
)
def test_escapes(tmp_path: Path, text: bytes, meaning: bytes) -> None:
    assert unescape(text) == meaning
    assert small(tmp_path, "rwkv", ["x", text]).piece(1) == meaning
