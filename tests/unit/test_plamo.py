from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.asking import BYTE_TOKENS, small, texts
from tests.gguf_files import BYTE, NORMAL
from tokcli import VocabError
from tokcli.algorithms import plamo
from tokcli.text.unicode import encode
from tokcli.tokenizer import Tokenizer
from tokcli.trace import Candidates

HEAD = ["<|plamo:unk|>", "<|plamo:bos|>", "<|plamo:eos|>", "<|plamo:pad|>"]
PIECES = {
    "a": -1.0, "aa": -2.0, "aaa": -2.5, "b": -3.0, "ab": -4.0, "日": -1.0, "日本": -5.0,
    "never": float("-inf"), "dear": -2000.0, "d": -1.0, "=": -1.0, "====": -1.0, " ": -1.0,
    "  ": -1.0, "\n\n\n\n": -1.0, "\n": -1.0, "x=": -1.0, "x": -1.0, "\ufeff": -1.0,
    "<|plamo:b|>": -1.0,
}  # fmt: skip


def tiny(folder: Path, model: str = "plamo2", **fields: Any) -> Tokenizer:
    tokens = [*HEAD, *BYTE_TOKENS, *PIECES]
    types = [NORMAL] * 4 + [BYTE] * 256 + [NORMAL] * len(PIECES)
    scores = [0.0] * 260 + list(PIECES.values())
    return small(folder, model, tokens, **({"types": types, "scores": scores} | fields))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("aa", ["aa"]),
        ("aaa", ["aaa"]),
        ("aaaa", ["aaa", "a"]),
        # Equal costs: the longer piece first.
        ("ab", ["ab"]),
        ("日本", ["日本"]),
        # A score of minus infinity, or of -2000 and below, takes a piece out.
        ("never", ["<0x6E>", "<0x65>", "<0x76>", "<0x65>", "<0x72>"]),
        ("dear", ["d", "<0x65>", "a", "<0x72>"]),
        ("é", ["<0xC3>", "<0xA9>"]),
        (b"\xff", ["<0xEF>", "<0xBF>", "<0xBD>"]),
        # One byte order mark at the start is dropped.
        ("\ufeffa", ["a"]),
        ("\ufeff\ufeff", ["\ufeff"]),
        ("x====", ["x", "===="]),
    ],
)
def test_cheapest_path(tmp_path: Path, text: str | bytes, expected: list[str]) -> None:
    assert texts(tiny(tmp_path), text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\ufeffa", ["\ufeff", "a"]),
        # A run of four, or two spaces, is a segment of its own: "x=" does not reach into it.
        ("x=", ["x="]),
        ("x===", ["x=", "=", "="]),
        ("x====", ["x", "===="]),
        ("x  x", ["x", "  ", "x"]),
        ("\n\n\n\n", ["\n\n\n\n"]),
        # U+EE00 cuts and is dropped.
        ("a\uee00b", ["a", "b"]),
        ("\uee00", []),
        ("x<|plamo:b|>=", ["x", "<|plamo:b|>", "="]),
        ("====<|plamo:b|>", ["====", "<|plamo:b|>"]),
    ],
)
def test_plamo3_cuts_segments(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert texts(tiny(tmp_path, "plamo3"), text) == expected


def test_control_tokens_take_part_as_text(tmp_path: Path) -> None:
    tokenizer = tiny(tmp_path, types=[3] * 4 + [BYTE] * 256 + [NORMAL] * len(PIECES))

    assert texts(tokenizer, "<|plamo:bos|>") == ["<|plamo:bos|>"]


def test_bos_and_eos_when_asked_for(tmp_path: Path) -> None:
    assert texts(tiny(tmp_path), "a", add_special=True) == ["a"]
    both = tiny(tmp_path, add_bos_token=True, add_eos_token=True)
    assert texts(both, "a", add_special=True) == ["<|plamo:bos|>", "a", "<|plamo:eos|>"]


def test_all_byte_tokens_are_needed(tmp_path: Path) -> None:
    with pytest.raises(VocabError, match="byte token '<0x41>' is not set"):
        small(
            tmp_path,
            "plamo2",
            [*HEAD, *[text for text in BYTE_TOKENS if text != "<0x41>"]],
            types=[NORMAL] * 4 + [BYTE] * 255,
        )


def test_a_byte_token_with_id_0_counts_as_missing(tmp_path: Path) -> None:
    with pytest.raises(VocabError, match="byte token '<0x00>' is not set"):
        small(tmp_path, "plamo2", BYTE_TOKENS, types=[BYTE] * 256)


def test_tracing_takes_work_in_proportion_to_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded = 0

    def counting(text: str) -> bytes:
        nonlocal encoded
        encoded += len(text)
        return encode(text)

    monkeypatch.setattr(plamo, "encode", counting)
    text = "a日é" * 500

    events = tiny(tmp_path).explain(text).events

    places = [event.text_start for event in events if isinstance(event, Candidates)]
    assert places == [
        start for n in reversed(range(500)) for start in (n * 6 + 4, n * 6 + 1, n * 6)
    ]
    assert encoded < 20 * len(text)
