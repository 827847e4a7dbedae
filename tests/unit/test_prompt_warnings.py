from __future__ import annotations

import pathlib

import pytest

import tokcli
from tests.builders import tiny_rwkv, tiny_spm
from tokcli.prompt_warnings import prompt_warnings
from tokcli.text.unicode import first_ill_formed


def codes(tok: tokcli.Tokenizer, data: bytes) -> list[str]:
    ids = tok.tokenize(data, add_special=False)
    warnings = prompt_warnings(tok, data, ids, add_special=False, parse_special=True)
    return [warning.code for warning in warnings if warning.code == "replaced-bytes"]


@pytest.mark.parametrize(
    ("data", "place"),
    [(b"", None), ("é日\ufffd".encode(), None), (b"\xed\xa0\x80", None), (b"ab\xff\xfe", 2)],
)
def test_the_first_byte_that_is_replaced_is_found(data: bytes, place: int | None) -> None:
    assert first_ill_formed(data) == place


def test_replaced_bytes_are_told(tmp_path: pathlib.Path) -> None:
    builtin = tokcli.load()
    warnings = prompt_warnings(
        builtin, b"a\xff\xfe\xef\xbf\xbd", [64], add_special=False, parse_special=True
    )

    assert [warning.code for warning in warnings] == ["replaced-bytes"]
    assert warnings[0].message.startswith(
        "2 bytes that are no UTF-8 turned into U+FFFD, as in llama.cpp (first: byte 1"
    )
    assert codes(builtin, "日本\ufffd".encode()) == []


def test_types_that_tokenize_bytes_replace_none(tmp_path: pathlib.Path) -> None:
    assert codes(tokcli.load(tiny_spm(tmp_path / "spm.gguf")), b"a\xff") == []
    assert codes(tokcli.load(tiny_rwkv(tmp_path / "rwkv.gguf")), b"a\xff") == []


@pytest.mark.parametrize("text", [5, [72], None, pathlib.Path("x")])
def test_what_is_no_text_is_refused(text: object) -> None:
    with pytest.raises(TypeError, match="text must be str or bytes"):
        tokcli.load().tokenize(text)  # type: ignore[arg-type]
