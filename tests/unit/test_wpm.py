from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.asking import small, texts
from tests.builders import tiny_wpm
from tests.gguf_files import CONTROL, NORMAL
from tokcli import VocabError, load
from tokcli.algorithms import wpm
from tokcli.tokenizer import Tokenizer

TOKENS = (
    "[UNK] [CLS] [SEP] ▁un ▁a ▁e ▁é ▁A aff able ▁, ▁日 ▁本 ▁ᄀ ▁$ a e é ▁ab b ▁ñ ▁n ▁+"
).split()


def tiny(folder: Path, **fields: Any) -> Tokenizer:
    types = [CONTROL] * 3 + [NORMAL] * (len(TOKENS) - 3)
    settings: dict[str, Any] = {
        "types": types,
        "unknown_token_id": 0,
        "bos_token_id": 1,
        "seperator_token_id": 2,
    }
    return small(folder, "bert", TOKENS, **(settings | fields))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\u3000", []),
        # No white space here, though Python takes it for some, and dropped.
        ("a\x1cb a\x1f", ["▁ab", "▁a"]),
        ("unaffable", ["▁un", "aff", "able"]),
        ("UNAFFABLE", ["▁un", "aff", "able"]),
        # No token goes on after "un": the whole word is unknown.
        ("unx a", ["[UNK]", "▁a"]),
        ("a,a", ["▁a", "▁,", "▁a"]),
        ("日本a", ["▁日", "▁本", "▁a"]),
        ("é", ["▁e"]),
        ("e\u0301", ["▁e"]),
        # The base of a Hangul syllable is its leading consonant.
        ("가", ["▁ᄀ"]),
        ("a$", ["▁a", "▁$"]),
        # A control or format character is dropped, a replacement character too.
        ("a\0\u200db\x07", ["▁ab"]),
        (b"a\xffb", ["▁ab"]),
    ],
)
def test_words(tmp_path: Path, text: str | bytes, expected: list[str]) -> None:
    assert texts(tiny(tmp_path), text) == expected


def test_python_splits_at_white_space_like_the_reference() -> None:
    every = "".join(f"a{chr(code)}" for code in range(0x11000) if not 0xD800 <= code < 0xE000)
    most = every.translate(dict.fromkeys(map(ord, wpm.SPACES_TO_PYTHON_ONLY)))

    for text in (every, most):
        assert list(wpm._split(text)) == wpm._raw_words().findall(text)


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("strip_accents", [False, True])
def test_no_white_space_but_the_space_is_left(lowercase: bool, strip_accents: bool) -> None:
    characters = wpm._Characters(lowercase, strip_accents)

    made = {char for code in range(0x11000) for char in characters[code]}

    assert {char for char in made if char.isspace()} == {" "}


def test_case_and_accents_can_be_kept(tmp_path: Path) -> None:
    cased = tiny(tmp_path, **{"normalizer.lowercase": False})
    assert texts(cased, "Aé") == ["▁A", "é"]

    accented = tiny(tmp_path, **{"normalizer.strip_accents": False})
    assert texts(accented, "É") == ["▁é"]


def test_bos_and_sep_heed_no_setting(tmp_path: Path) -> None:
    tokenizer = tiny(tmp_path, add_bos_token=False, add_eos_token=True, add_sep_token=False)

    assert texts(tokenizer, "a", add_special=True) == ["[CLS]", "▁a", "[SEP]"]


def test_a_byte_token_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VocabError, match=r"typed BYTE.*WPM"):
        load(tiny_wpm(tmp_path / "byte.gguf", tokens=["[UNK]", "a"], types=[2, 6]))


def test_without_an_unknown_token(tmp_path: Path) -> None:
    # The default, 100, lies outside this vocabulary.
    assert texts(tiny(tmp_path, unknown_token_id=None), "x") == ["-1"]


def test_a_missing_bos_is_an_error_only_when_it_is_wanted(tmp_path: Path) -> None:
    tokenizer = tiny(tmp_path, bos_token_id=None)

    assert texts(tokenizer, "a") == ["▁a"]
    with pytest.raises(VocabError, match="no BOS token"):
        tokenizer.tokenize("a")
