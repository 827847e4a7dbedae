from __future__ import annotations

import struct

import pytest

from tests.charsmap import precompiled_charsmap
from tokcli import TokenizeError
from tokcli.text.charsmap import CharsMap

MAP = CharsMap(precompiled_charsmap({"a": "x", "abc": "", "é": "e", "日本": "nihon", "\0b": "n"}))


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"a", (1, b"x")),
        (b"ab", (1, b"x")),
        (b"abc", (3, b"")),
        (b"abcd", (3, b"")),
        ("é".encode(), (2, b"e")),
        ("日本語".encode(), (6, b"nihon")),
        ("日".encode(), None),
        (b"b", None),
        (b"", None),
        # A NUL ends the search, as C strings end.
        (b"\0b", None),
    ],
)
def test_longest_prefix(data: bytes, found: tuple[int, bytes] | None) -> None:
    assert MAP.longest_prefix(data, 0) == found
    assert MAP.longest_prefix(b"..." + data, 3) == found


@pytest.mark.parametrize(
    ("data", "following"),
    [(b"", b"a\xc3\xe6"), (b"a", b"b"), (b"ab", b"c"), (b"abc", b""), ("日".encode(), b"\xe6")],
)
def test_what_entries_go_on_with(data: bytes, following: bytes) -> None:
    assert MAP.next_bytes(data) == set(following)
    assert MAP.goes_on(data) == bool(following)


def test_many_entries() -> None:
    replacements = {chr(code): f"<{code}>" for code in range(0x100, 0x180)}
    charsmap = CharsMap(precompiled_charsmap(replacements))

    for text, replacement in replacements.items():
        assert charsmap.longest_prefix(text.encode(), 0) == (2, replacement.encode())


def test_a_trie_that_points_outside_itself() -> None:
    charsmap = CharsMap(struct.pack("<II", 4, 0x3FF << 10) + b"x\0")

    with pytest.raises(TokenizeError, match="outside its own trie"):
        charsmap.longest_prefix(b"a", 0)
    assert charsmap.starts_entry(b"a")
    assert charsmap.next_bytes(b"a") == set(range(1, 256))


@pytest.mark.parametrize("length", [1, 2, 3, 7])
def test_a_trie_that_leads_back_to_itself(length: int) -> None:
    trie = _circle(length)
    charsmap = CharsMap(struct.pack("<I", len(trie)) + trie + b"x\0")

    assert charsmap.longest_prefix(b"ab", 0) is None
    with pytest.raises(TokenizeError, match="leads back to itself"):
        charsmap.longest_prefix(b"a" * 1000, 0)


def _circle(length: int) -> bytes:
    """A trie for any number of "a", in which so many nodes follow one another in a circle."""
    units = [0] * 4096
    # Nodes lie at these places, and a base leads to each by way of "a".
    places = [256 * (number + 1) for number in range(length)]
    bases = [place ^ ord("a") for place in places]
    units[0] = bases[0] << 10
    for place, base in zip(places, [*bases[1:], bases[0]], strict=True):
        units[place] = (place ^ base) << 10 | ord("a")
    return struct.pack("<4096I", *units)


def test_a_replacement_that_lies_outside() -> None:
    blob = bytearray(precompiled_charsmap({"a": "x"}))
    value = blob.rindex(struct.pack("<I", 1 << 31))
    blob[value : value + 4] = struct.pack("<I", 1 << 31 | 999)

    with pytest.raises(TokenizeError, match="outside its own replacements"):
        CharsMap(bytes(blob)).longest_prefix(b"a", 0)
