from __future__ import annotations

import pytest

from tests.reference import naive_merge
from tokcli.merging.merge import merge_symbols
from tokcli.trace import Event, MergeApplied


def characters(text: str) -> list[bytes]:
    return [char.encode() for char in text]


def ranks(*merges: str) -> dict[bytes, float]:
    return {merge.encode(): rank for rank, merge in enumerate(merges)}


@pytest.mark.parametrize(
    ("text", "merges", "expected"),
    [
        ("", [], []),
        ("a", ["a b"], ["a"]),
        ("abc", [], ["a", "b", "c"]),
        ("abc", ["a b"], ["ab", "c"]),
        ("abc", ["b c", "a b"], ["a", "bc"]),
        ("abc", ["a b", "ab c"], ["abc"]),
        # Equal ranks: leftmost first, so an odd one out is the last.
        ("aaa", ["a a"], ["aa", "a"]),
        ("aaaaa", ["a a", "aa aa"], ["aaaa", "a"]),
        # The queued (b, c) is stale once b is part of ab.
        ("abcd", ["a b", "b c", "c d"], ["ab", "cd"]),
        ("ababab", ["ab ab", "a b"], ["abab", "ab"]),
    ],
)
def test_lowest_rank_merges_first(text: str, merges: list[str], expected: list[str]) -> None:
    rank = ranks(*merges).get

    assert merge_symbols(characters(text), rank, b" ") == [part.encode() for part in expected]
    assert naive_merge(characters(text), rank, b" ") == [part.encode() for part in expected]


def test_scores_join_without_a_separator() -> None:
    scores: dict[bytes, float] = {b"ab": 1.5, b"bc": 0.5}

    assert merge_symbols(characters("abc"), scores.get, b"", scored=True) == [b"a", b"bc"]


def test_trace_tells_each_merge_in_order() -> None:
    events: list[Event] = []

    merge_symbols(characters("abc"), ranks("b c", "a bc").get, b" ", events.append)

    assert events == [
        MergeApplied(1, 2, b"b", b"c", b"bc", 0, None),
        MergeApplied(0, 1, b"a", b"bc", b"abc", 1, None),
    ]


def test_trace_of_scores_is_not_negated() -> None:
    events: list[Event] = []

    merge_symbols(characters("ab"), {b"ab": 2.5}.get, b"", events.append, scored=True)

    assert events == [MergeApplied(0, 1, b"a", b"b", b"ab", None, -2.5)]
