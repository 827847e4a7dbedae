from __future__ import annotations

import pytest

from tokcli.text.byte_alphabet import (
    BYTE_TO_CHAR,
    BYTE_TO_UTF8,
    CHAR_TO_BYTE,
    read_from_alphabet,
    write_in_alphabet,
)


def test_known_characters() -> None:
    assert BYTE_TO_CHAR[ord(" ")] == "Ġ"
    assert BYTE_TO_CHAR[ord("\n")] == "Ċ"
    assert BYTE_TO_CHAR[ord("A")] == "A"
    assert BYTE_TO_CHAR[0x00] == "\u0100"
    assert BYTE_TO_CHAR[0x7F] == "\u0121"
    assert BYTE_TO_CHAR[0xAD] == "\u0143"
    assert BYTE_TO_CHAR[0xFF] == "ÿ"


def test_is_one_to_one_and_printable() -> None:
    assert len(set(BYTE_TO_CHAR)) == 256
    assert BYTE_TO_CHAR.isprintable()
    assert " " not in BYTE_TO_CHAR


def test_the_three_tables_agree() -> None:
    for byte in range(256):
        assert CHAR_TO_BYTE[BYTE_TO_CHAR[byte]] == byte
        assert BYTE_TO_UTF8[byte].decode() == BYTE_TO_CHAR[byte]


def test_writes_texts_as_the_table_says() -> None:
    texts = ["", "a b", "é\n", "\0ÿ", "\ud800", "日本"]

    assert write_in_alphabet(texts) == [
        b"".join(BYTE_TO_UTF8[byte] for byte in text.encode("utf-8", "surrogatepass"))
        for text in texts
    ]


def test_reads_what_it_writes() -> None:
    texts = ["", "a b", "é\n", "\0ÿ", "", "日本", "\n"]

    assert read_from_alphabet(write_in_alphabet(texts)) == [text.encode() for text in texts]
    assert read_from_alphabet([b""]) == [b""]


@pytest.mark.parametrize("text", [b"a b", b"a\n", "日".encode(), "\u0144".encode(), b"\xff"])
def test_does_not_read_what_is_not_of_the_alphabet(text: bytes) -> None:
    with pytest.raises(UnicodeError):
        read_from_alphabet([b"a", text])
