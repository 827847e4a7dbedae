"""Arrays of strings that are laid out when they are asked for, against those that are at once."""

from __future__ import annotations

import random
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokcli import gguf_strings
from tokcli.batch.spans import spans_of
from tokcli.gguf_strings import Strings, end_of_strings

# Bytes that letters, lengths of one byte and lengths of two may be mistaken for.
letters = st.sampled_from(b"a \x01\x02\x03\xc4\xa0]^-\\")
# About where a length begins to take another byte, or holds a NUL.
sizes = st.sampled_from((1, 2, 3, 32, 39, 40, 41, 97, 254, 255, 256, 257, 511, 512, 513))
items = st.one_of(
    st.lists(letters, min_size=1, max_size=4).map(bytes),
    st.tuples(letters, sizes).map(lambda drawn: bytes((drawn[0],)) * drawn[1]),
)


def written(strings: list[bytes]) -> bytes:
    return b"".join(struct.pack("<Q", len(string)) + string for string in strings)


def read(strings: list[bytes]) -> Strings:
    block = written(strings)
    # What follows in the file looks like more of the same.
    end = end_of_strings(b"key" + block + written([b"a"] * 3), 3, len(strings))
    assert end == 3 + len(block)
    return Strings(block, len(strings))


@given(st.lists(items, max_size=40), st.lists(letters | st.just(0), max_size=4).map(bytes))
def test_strings_are_those_that_were_written(strings: list[bytes], alphabet: bytes) -> None:
    found = read(strings)
    assert found.made_of(alphabet) == [s for s in strings if set(s) <= set(alphabet)]
    assert len(found) == len(strings)
    assert list(found) == strings
    assert list(reversed(found)) == strings[::-1]
    assert found[:2] == strings[:2]
    assert found == strings
    assert found == read(strings)
    assert found != read([*strings, b"a"])
    assert found != read([*strings[1:], b"aaaaaa"])
    spans = spans_of(found)
    assert spans.strings() == strings
    assert spans.text == b"".join(strings)


def test_many_are_walked_at_a_time() -> None:
    source = random.Random(5)
    sizes = [source.choice((1, 2, 7, 30, 40, 41, 300)) for _ in range(5 * gguf_strings.RUN + 7)]
    strings = [bytes(source.choices(b"ab \xff", k=size)) for size in sizes]
    found = read(strings)
    assert found == strings
    assert found.made_of(b"ab") == [string for string in strings if set(string) <= set(b"ab")]


@pytest.mark.parametrize("odd", [b"", b"\0", b"a\0b", b"a" * (1 << 16)])
@pytest.mark.parametrize("before", [0, 1, gguf_strings.RUN + 1])
def test_other_strings_are_left_to_others(odd: bytes, before: int) -> None:
    strings = [b"ab"] * before + [odd] + [b"c"] * gguf_strings.RUN
    assert end_of_strings(written(strings), 0, len(strings)) is None
    assert end_of_strings(written(strings), 0, before) == 10 * before


@pytest.mark.parametrize("count", [1, gguf_strings.RUN, 3 * gguf_strings.RUN])
def test_strings_that_are_cut_short_end_beyond(count: int) -> None:
    data = written([b"abc"] * count)
    assert end_of_strings(data, 0, count) == len(data)
    assert end_of_strings(data[:-1], 0, count) == len(data)
    assert end_of_strings(data[:-3], 0, count) == len(data)
    # Of the length itself a part is missing.
    assert end_of_strings(data[:-4], 0, count) == len(data) - 3
    assert end_of_strings(data[:-11], 0, count) == len(data) - 3
    assert end_of_strings(data, 0, count + 1) == len(data) + 8
    assert end_of_strings(data[:-3] + b"\xff" * 11, 0, count + 1) is None
    assert end_of_strings(data, len(data), 0) == len(data)


def test_a_length_beyond_all_files_is_no_string() -> None:
    assert end_of_strings(b"\xff" * 8 + b"abc", 0, 1) is None
