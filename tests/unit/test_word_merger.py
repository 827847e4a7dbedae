from __future__ import annotations

import pytest

from tokcli import word_merger
from tokcli.batch.merges import MergeBatch, Merges
from tokcli.word_merger import WordMerger

Made = list[MergeBatch | None]


@pytest.fixture(autouse=True)
def _few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_merger, "WORDS_FOR_NUMPY", 2)
    monkeypatch.setattr(word_merger, "MERGES_FOR_A_WORD", 10)


def letters(made: Made) -> MergeBatch:
    batch = MergeBatch(Merges([b"a"], [b"b"], [0]), {b"ab": 7}, lambda text: tuple(text), None)
    made.append(batch)
    return batch


def test_few_words_are_not_worth_it() -> None:
    made: Made = []
    merger = WordMerger(15, lambda: letters(made))

    assert list(merger.encode(["ab", "b"])) == []
    assert made == []


def test_many_are_and_then_few_too() -> None:
    made: Made = []
    merger = WordMerger(15, lambda: letters(made))

    assert dict(merger.encode(["ab", "b", "bab"])) == {"ab": (7,), "b": (98,), "bab": (98, 7)}
    assert dict(merger.encode(["ab"])) == {"ab": (7,)}
    assert len(made) == 1


def test_asks_once_where_it_cannot_be() -> None:
    made: Made = []

    def cannot() -> None:
        made.append(None)

    merger = WordMerger(0, cannot)

    assert list(merger.encode(["ab", "b"])) == []
    assert list(merger.encode(["ab", "b"])) == []
    assert made == [None]
