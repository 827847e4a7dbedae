from __future__ import annotations

import gc
from collections.abc import Sequence

import pytest

from tokcli import memo
from tokcli.errors import TokenizeError
from tokcli.memo import BatchMemo, Memo


def test_computes_a_key_once() -> None:
    asked: list[str] = []

    def length(key: str) -> int:
        asked.append(key)
        return len(key)

    lengths = Memo(length)

    assert [lengths["ab"], lengths["ab"], lengths["c"]] == [2, 2, 1]
    assert asked == ["ab", "c"]


def test_does_not_keep_long_keys() -> None:
    lengths = Memo(len)

    assert lengths["x" * (memo.LONGEST_KEY + 1)] == memo.LONGEST_KEY + 1
    assert len(lengths) == 0


def test_starts_afresh_when_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memo, "MOST_KEYS", 2)
    lengths = Memo(len)

    for key in ("a", "bb", "ccc"):
        assert lengths[key] == len(key)

    assert dict(lengths) == {"ccc": 3}


@pytest.fixture
def asked_together() -> list[list[str]]:
    return []


@pytest.fixture
def lengths(asked_together: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> BatchMemo[int]:
    monkeypatch.setattr(memo, "MANY_KEYS", 3)

    def of_all(keys: Sequence[str]) -> list[tuple[str, int]]:
        asked_together.append(sorted(keys))
        return [(key, len(key)) for key in keys if key != "odd"]

    return BatchMemo(len, of_all)


def test_learns_many_keys_together(
    lengths: BatchMemo[int], asked_together: list[list[str]]
) -> None:
    lengths.learn(["a", "bb", "ccc", "a"])

    assert lengths == {"a": 1, "bb": 2, "ccc": 3}
    assert asked_together == [["a", "bb", "ccc"]]


def test_learns_only_what_is_new(lengths: BatchMemo[int], asked_together: list[list[str]]) -> None:
    assert lengths["a"] == 1

    lengths.learn(["a", "bb", "ccc", "dddd", "x" * (memo.LONGEST_KEY + 1)])

    assert asked_together == [["bb", "ccc", "dddd"]]
    assert len(lengths) == 4


def test_few_keys_are_left_to_be_computed_alone(
    lengths: BatchMemo[int], asked_together: list[list[str]]
) -> None:
    lengths.learn(["a", "bb"])
    lengths.learn(["a", "bb", "a", "bb"])

    assert asked_together == []
    assert len(lengths) == 0


def test_what_cannot_be_computed_together_is_computed_alone(lengths: BatchMemo[int]) -> None:
    lengths.learn(["odd", "bb", "ccc", "dddd"])

    assert "odd" not in lengths
    assert lengths["odd"] == 3


def test_learning_stays_within_bounds(
    lengths: BatchMemo[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memo, "MOST_KEYS", 4)
    lengths.learn(["a", "bb", "ccc"])

    lengths.learn(["a" * size for size in range(4, 12)])

    assert len(lengths) == 4
    assert lengths["a" * 11] == 11


def test_the_collector_runs_on_afterwards(lengths: BatchMemo[int]) -> None:
    lengths.learn(["a", "bb", "ccc"])

    assert gc.isenabled()


def test_an_error_waits_for_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memo, "MANY_KEYS", 2)

    def refuse(key: str) -> int:
        raise TokenizeError(key)

    def refuse_all(keys: Sequence[str]) -> list[tuple[str, int]]:
        raise TokenizeError("several")

    refused = BatchMemo(refuse, refuse_all)
    refused.learn(["a", "b"])

    with pytest.raises(TokenizeError, match="b"):
        _ = refused["b"]
    assert gc.isenabled()
