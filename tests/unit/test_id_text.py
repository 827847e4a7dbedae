from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokcli.errors import UsageError
from tokcli.text.id_text import IdReader, parse_ids, parse_texts

JSON = (
    '{"model": "m", "count": 2, "tokens": [{"id": 1, "piece": "a"}, {"id": 2, "piece": "b"}], '
    '"warnings": []}'
)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", []),
        (" \n", []),
        ("[]", []),
        ("1 2 3", [1, 2, 3]),
        ("[1, 2, 3]", [1, 2, 3]),
        ("1, 2,3", [1, 2, 3]),
        ("[1 2 3]\n", [1, 2, 3]),
        ("1\n2\r\n3\n", [1, 2, 3]),
        ("[1]\n[2, 3]\n", [1, 2, 3]),
        ("[1,2,]", [1, 2]),
        ("007", [7]),
        (JSON, [1, 2]),
        (f"{JSON}\n{JSON}\n", [1, 2, 1, 2]),
        (f'{{"inputs": [{JSON}, {JSON}], "total": 4}}', [1, 2, 1, 2]),
        ('[{"id": 5}, {"id": 6}]', [5, 6]),
        ('{"ids": [7, 8]}', [7, 8]),
    ],
)
def test_forms(text: str, ids: list[int]) -> None:
    assert parse_ids(text) == ids


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 -5", "item 2, '-5', is no token id"),
        ("0x1f", "item 1, '0x1f', is no token id"),
        ("[1.5]", "item 1, '1.5', is no token id"),
        ("1_000", "item 1, '1_000', is no token id"),
        ("٣", "item 1, '٣', is no token id"),
        ("1 two 3", "item 2, 'two', is no token id"),
        ("1;2", "item 1, '1;2', is no token id"),
        ("9" * 5000, "is no token id"),
        ("1,,2", "nothing before a comma, after item 1"),
        (",1", "nothing before a comma, after item 0"),
        ("[1, [2]]", "a list inside a list of ids, after item 1"),
        ("[1, 2", "the list of ids is not closed after item 2"),
        ("1]", "']' without '[' after item 1"),
        ('{"tokens": [{"id": -1}]}', "-1 in the JSON is no token id"),
        ('{"tokens": [{"id": 1.0}]}', "1.0 in the JSON is no token id"),
        ('{"tokens": [{"id": true}]}', "true in the JSON is no token id"),
        ('{"tokens": [{"piece": "a"}]}', 'the JSON has none of "tokens", "ids" and "inputs"'),
        ('{"ids": [' + "9" * 5000 + "]}", "JSON: a number of 5000 digits is too long"),
        ('{"tokens": [', "the ids are not well-formed JSON"),
        ("{" * 10_000, "the ids are not well-formed JSON"),
    ],
)
def test_what_is_no_id_is_named(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        parse_ids(text)


@given(st.lists(st.integers(0, 300_000)), st.data())
def test_ids_may_arrive_in_any_parts(ids: list[int], data: st.DataObject) -> None:
    text = str(ids)
    reader, found = IdReader(), []
    while text:
        size = data.draw(st.integers(1, 8))
        found += reader.feed(text[:size])
        text = text[size:]

    assert found + reader.finish() == ids


def test_an_id_is_complete_when_something_follows_it() -> None:
    reader = IdReader()

    assert reader.feed("[12") == []
    assert reader.feed("3") == []
    assert reader.feed(",") == [123]
    assert reader.feed("45 6") == [45]
    assert reader.feed("]") == [6]
    assert reader.finish() == []


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("", []),
        ("1 2\n\n[3]\n", [[1, 2], [], [3]]),
        ('{"ids": [1]}\n{"ids": []}\n', [[1], []]),
        ('{\n"tokens": [{"id": 1},\n{"id": 2}]}', [[1, 2]]),
        ('{"inputs": [{"ids": [1]},\n{"ids": [2, 3]}], "total": 3}', [[1], [2, 3]]),
        ('{"inputs": []}', []),
    ],
)
def test_texts(text: str, texts: list[list[int]]) -> None:
    assert [ids for _, ids in parse_texts(text)] == texts


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("1 2\n3 x\n", "line 1", "line 2: item 2, 'x', is no token id"),
        ('{"ids": [1]}\n{"ids": [-1]}', "input 1", "input 2: -1 in the JSON is no token id"),
    ],
)
def test_texts_come_before_the_fault_with_its_place(text: str, place: str, message: str) -> None:
    texts = parse_texts(text)

    assert next(texts)[0] == place
    with pytest.raises(UsageError, match=re.escape(message)):
        next(texts)
