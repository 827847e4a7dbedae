"""The stage "prepare": what it says of the rules that rewrite text."""

from __future__ import annotations

from pathlib import Path

import pytest

import tokcli
from tests import vocabularies
from tests.explained import check
from tokcli.render.explain_page import page
from tokcli.render.explain_text import page_lines
from tokcli.render.explain_view import Limits
from tokcli.trace import Change, TextPrepared


def prepared(name: str, folder: Path, data: bytes) -> tuple[list[TextPrepared], list[str]]:
    """The rules' events, and the lines of the stage."""
    tokenizer = tokcli.load(vocabularies.path_of(name, folder))
    run = check(tokenizer, data, add_special=False, parse_special=True)
    lines = page_lines(page(run, Limits(stages=("prepare",))))
    return [rewrite for text in run.texts for rewrite in text.rewrites], list(lines)


@pytest.mark.parametrize(
    ("name", "next_rule"),
    [
        ("built-in", None),
        ("gemma4", "escape_whitespaces"),
        ("hybriddna-auto-tags", "dna"),
        ("whitespace-lowercase", "lowercase"),
        ("wpm", "clean_text"),
        ("ugm-nfc", "nfc"),
        ("plamo2", None),
        ("plamo3", None),
    ],
)
def test_bytes_that_are_not_utf_8_have_a_rule(
    tmp_path: Path, name: str, next_rule: str | None
) -> None:
    rewrites, lines = prepared(
        name, tmp_path, "a\udcffé\udcf0\udc9f".encode("utf-8", "surrogateescape")
    )

    replaced = "\ufffd".encode()
    after = "a\ufffdé\ufffd\ufffd".encode()
    assert rewrites[0] == TextPrepared(
        "replaced_bytes",
        b"a\xff\xc3\xa9\xf0\x9f",
        after,
        (Change(1, 2, replaced), Change(4, 5, replaced), Change(5, 6, replaced)),
    )
    if next_rule is not None:
        assert rewrites[1][:2] == (next_rule, after)
    rows = [line.split() for line in lines]
    assert "replaced_bytes each byte that is not UTF-8 becomes U+FFFD".split() in rows
    assert ["4..5", '"\\xf0"', '"\ufffd"', *"is not UTF-8".split()] in rows


@pytest.mark.parametrize("name", ["built-in", "wpm", "plamo2"])
def test_u_fffd_in_the_input_is_no_replacement(tmp_path: Path, name: str) -> None:
    rewrites, _ = prepared(name, tmp_path, "a\ufffd".encode())

    assert "replaced_bytes" not in [rewrite.rule for rewrite in rewrites]


@pytest.mark.parametrize("name", ["spm", "rwkv", "test"])
def test_types_that_tokenize_bytes_replace_none(tmp_path: Path, name: str) -> None:
    rewrites, _ = prepared(name, tmp_path, b"a")

    assert "replaced_bytes" not in [rewrite.rule for rewrite in rewrites]


def test_ugm_replaces_bytes_along_with_its_character_map(tmp_path: Path) -> None:
    rewrites, lines = prepared("ugm-charsmap", tmp_path, b"\xffab\xff")

    assert [rewrite.rule for rewrite in rewrites] == ["charsmap"]
    rows = [line.split() for line in lines]
    assert [*["0..1", '"\\xff"', '"▁\ufffd"'], *"starts a word, and is not UTF-8".split()] in rows
    assert ["3..4", '"\\xff"', '"\ufffd"', *"is not UTF-8".split()] in rows


def test_wpm_says_what_each_dropped_character_is(tmp_path: Path) -> None:
    _, lines = prepared("wpm", tmp_path, "a\ufffd\x01e\u0301\u200bÉ".encode())

    rows = {line.split()[0]: " ".join(line.split()[3:]) for line in lines if '""' in line}
    assert rows == {
        "1..4": "is U+FFFD, which stands for lost text, and goes",
        "4..5": "is a control, format or private-use character and goes",
        "6..8": "is an accent and goes",
        "8..11": "is a control, format or private-use character and goes",
    }
