from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokcli.batch import packed_strings
from tokcli.batch.numbering import Numbering, spans_of
from tokcli.batch.packed_strings import NOT_FOUND, PackedStrings, Spans

# Of sizes around those of one number and of two, with bytes that look like padding.
STRINGS = st.one_of(
    st.binary(max_size=3),
    st.lists(st.sampled_from(b"\0a"), min_size=6, max_size=18).map(bytes),
    st.lists(st.sampled_from(b"\0a\xff"), max_size=5).map(bytes),
)


def packed(strings: list[bytes]) -> PackedStrings:
    return PackedStrings(spans_of(strings), np.arange(len(strings), dtype=np.int32))


@given(strings=st.sets(STRINGS, max_size=20), asked=st.lists(STRINGS, max_size=20))
def test_what_is_short_is_found_and_nothing_else(strings: set[bytes], asked: list[bytes]) -> None:
    there = sorted(strings)
    asked += there
    expected = [
        there.index(string) if string in strings and len(string) <= 15 else NOT_FOUND
        for string in asked
    ]

    assert packed(there).find(spans_of(asked)).tolist() == expected


def test_strings_may_lie_anywhere_and_overlap() -> None:
    spans = Spans(b"abcabc", np.array([0, 1, 3, 6, 5]), np.array([3, 2, 3, 0, 1]))

    assert spans.strings(np.arange(5)) == [b"abc", b"bc", b"abc", b"", b"c"]
    assert packed([b"bc", b"abc", b""]).find(spans).tolist() == [1, 0, 1, 2, NOT_FOUND]


def test_of_strings_that_share_a_key_one_is_found_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_strings, "FIRST", np.uint64(0))
    monkeypatch.setattr(packed_strings, "SECOND", np.uint64(0))
    strings = [b"a", b"b", b"a" * 12, b"b" * 12]

    found = packed(strings).find(spans_of([*strings, b"c"])).tolist()

    assert sorted(found)[:4] == [NOT_FOUND] * 4
    assert all(number in (index, NOT_FOUND) for index, number in enumerate(found))
    ids = {string: id for id, string in enumerate(strings)}
    assert Numbering(ids).add(spans_of(strings))[0].tolist() == [1, 2, 3, 4]


@given(tokens=st.sets(STRINGS, max_size=9), several=st.lists(st.lists(STRINGS, max_size=9)))
def test_symbols_have_the_numbers_of_tokens_or_others(
    tokens: set[bytes], several: list[list[bytes]]
) -> None:
    ids = {token: 3 * id for id, token in enumerate(tokens)}
    numbering = Numbering(ids)

    numbers = numbering.add(*map(spans_of, several))

    for symbols, found in zip(several, numbers, strict=True):
        for symbol, number in zip(symbols, found.tolist(), strict=True):
            if symbol in ids:
                assert number == ids[symbol] + 1
            else:
                assert numbering.others[number - numbering.first_other] == symbol
    assert len(set(numbering.others)) == len(numbering.others)
    for symbols, found in zip(several, numbers, strict=True):
        assert numbering.add_few(symbols).tolist() == found.tolist()
        assert numbering.known(symbols)[0].tolist() == found.tolist()
