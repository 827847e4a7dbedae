from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokcli.batch import string_numbers
from tokcli.batch.numbering import Numbering
from tokcli.batch.spans import Spans, spans_of
from tokcli.batch.string_numbers import NOT_FOUND, StringNumbers

# Of sizes around those of one number and of two, with bytes that look like padding.
STRINGS = st.one_of(
    st.binary(max_size=3),
    st.lists(st.sampled_from(b"\0a"), min_size=6, max_size=18).map(bytes),
    st.lists(st.sampled_from(b"\0a\xff"), max_size=5).map(bytes),
)


def numbers(strings: Iterable[bytes]) -> StringNumbers:
    return StringNumbers({string: number for number, string in enumerate(strings)})


@given(strings=st.sets(STRINGS, max_size=20), asked=st.lists(STRINGS, max_size=20))
def test_what_has_a_number_is_found_and_nothing_else(
    strings: set[bytes], asked: list[bytes]
) -> None:
    there = sorted(strings)
    asked += there
    expected = [there.index(string) if string in strings else NOT_FOUND for string in asked]

    assert numbers(there).find(spans_of(asked)).tolist() == expected


def test_strings_may_lie_anywhere_and_overlap() -> None:
    spans = Spans(b"abcabc", np.array([0, 1, 3, 6, 5]), np.array([3, 2, 3, 0, 1]))

    assert spans.strings() == [b"abc", b"bc", b"abc", b"", b"c"]
    assert numbers([b"bc", b"abc", b""]).find(spans).tolist() == [1, 0, 1, 2, NOT_FOUND]


@pytest.mark.parametrize("size", [16, 255, 256, 256 + 15, 512 + 15])
def test_long_strings_are_not_taken_for_their_beginning(size: int) -> None:
    found = numbers([b"a" * 15, b"a" * (size + 1)]).find(spans_of([b"a" * size, b"a" * (size + 1)]))

    assert found.tolist() == [NOT_FOUND, 1]


def test_strings_may_share_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(string_numbers, "FIRST", np.uint64(0))
    monkeypatch.setattr(string_numbers, "SECOND", np.uint64(0))
    strings = [b"a", b"b", b"a" * 12, b"b" * 12]

    assert numbers(strings).find(spans_of([*strings, b"c"])).tolist() == [0, 1, 2, 3, NOT_FOUND]


@given(tokens=st.sets(STRINGS, max_size=9), several=st.lists(st.lists(STRINGS, max_size=9)))
def test_symbols_have_the_numbers_of_tokens_or_others(
    tokens: set[bytes], several: list[list[bytes]]
) -> None:
    ids = {token: 3 * id for id, token in enumerate(tokens)}
    numbering = Numbering(ids)

    answers = numbering.add(*map(spans_of, several))

    for symbols, found in zip(several, answers, strict=True):
        for symbol, number in zip(symbols, found.tolist(), strict=True):
            if symbol in ids:
                assert number == ids[symbol] + 1
            else:
                assert numbering.others[number - numbering.first_other] == symbol
    assert len(set(numbering.others)) == len(numbering.others)
    for symbols, found in zip(several, answers, strict=True):
        assert numbering.add_few(symbols).tolist() == found.tolist()
        assert numbering.known(symbols)[0].tolist() == found.tolist()
