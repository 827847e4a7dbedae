from __future__ import annotations

import pytest

from tokcli.text.unicode import (
    ESCAPED_BYTES,
    byte_offsets,
    decode,
    decode_symbols,
    encode,
    ill_formed,
    sequence_length,
    to_bytes,
)

BAD = "\ufffd"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"a\x00b", "a\0b"),
        ("é日😀\U0010ffff".encode(), "é日😀\U0010ffff"),
        (b"\x80", BAD),
        (b"a\xffb", f"a{BAD}b"),
        # Cut short: each byte that starts nothing is one U+FFFD.
        (b"\xc3", BAD),
        (b"\xc3(", f"{BAD}("),
        (b"\xe6\x97", BAD * 2),
        (b"\xf0\x9f\x98a", f"{BAD * 3}a"),
        # Overlong.
        (b"\xc0\x80", BAD * 2),
        (b"\xc1\xbf", BAD * 2),
        (b"\xe0\x9f\xbf", BAD * 3),
        (b"\xf0\x8f\xbf\xbf", BAD * 4),
        # Past U+10FFFF.
        (b"\xf4\x90\x80\x80", BAD * 4),
        (b"\xf5\x80\x80\x80", BAD * 4),
        (b"\xf8\x88\x80\x80\x80", BAD * 5),
        # Surrogates pass.
        (b"\xed\xa0\x80", "\ud800"),
        (b"\xed\xbf\xbfx", "\udfffx"),
        (b"\xed\xa0", BAD * 2),
    ],
)
def test_decodes_as_the_reference(data: bytes, text: str) -> None:
    assert decode(data) == text


@pytest.mark.parametrize(
    ("data", "length"),
    [
        (b"a", 1),
        ("é".encode(), 2),
        ("日".encode(), 3),
        ("😀".encode(), 4),
        (b"\xed\xa0\x80", 3),
        (b"\x80", 0),
        (b"\xc0\x80", 0),
        (b"\xc3", 0),
        (b"\xe6\x97(", 0),
        (b"\xf4\x90\x80\x80", 0),
        (b"\xff", 0),
    ],
)
def test_sequence_length(data: bytes, length: int) -> None:
    assert sequence_length(b"x" + data + b"y", 1) == length


def test_finds_the_bytes_that_are_replaced() -> None:
    data = b"\xffab\xe3\x81\xc3\xa9\xed\xa0\x80\xed\xb2\x80\xf0\x9f\x98c\xed\xa0\xed\x80"
    places = list(ill_formed(data))

    assert places == [0, 3, 4, 13, 14, 15, 17, 18, 19, 20]
    assert len(places) == decode(data).count("\ufffd")
    rest = [byte for place, byte in enumerate(data) if place not in places]
    assert bytes(rest).decode("utf-8", "surrogatepass") == decode(data).replace("\ufffd", "")


def test_offsets_count_bytes() -> None:
    data = "aé".encode() + b"\xff" + "日".encode()

    assert byte_offsets(data) == [0, 1, 3, 4, 7]
    assert byte_offsets(data, 10) == [10, 11, 13, 14, 17]
    assert byte_offsets(b"") == [0]


def test_offsets_have_one_entry_for_each_code_point_and_an_end() -> None:
    data = bytes(range(256)) + b"\xed\xa0\x80\xf0\x9f\x98"

    offsets = byte_offsets(data)

    assert len(offsets) == len(decode(data)) + 1
    assert offsets[-1] == len(data)


def test_surrogates_are_encoded_in_three_bytes() -> None:
    assert encode("a\ud800") == b"a\xed\xa0\x80"


def test_str_input_may_hold_undecodable_bytes() -> None:
    assert to_bytes("a\udcff") == b"a\xff"
    assert to_bytes("\ud800é") == b"\xed\xa0\x80\xc3\xa9"


def test_symbols_of_ill_formed_text() -> None:
    def escaped(data: bytes) -> str:
        return "".join(chr(ESCAPED_BYTES + byte) for byte in data)

    assert decode_symbols("é日😀".encode()) == "é日😀"
    # The first byte says how many belong together, whatever they are.
    assert decode_symbols(b"a\xe3Abc\x80\xc3") == (
        "a" + escaped(b"\xe3Ab") + "c" + escaped(b"\x80") + escaped(b"\xc3")
    )
    assert decode_symbols(b"\xed\xa0\x80\xf5abcd") == escaped(b"\xed\xa0\x80\xf5abc") + "d"
