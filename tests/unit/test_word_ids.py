from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from tokcli import word_ids
from tokcli.word_ids import Encoded, WordIds


class Lengths:
    """A word of n characters has the ids n, n - 1, ..., 1; the longest words come first."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def __call__(self, words: Sequence[str]) -> Iterator[Encoded]:
        self.asked.append(list(words))
        if "!" in words:
            raise ValueError
        for index in sorted(range(len(words)), key=lambda index: -len(words[index])):
            size = len(words[index])
            ids = np.arange(size, 0, -1, dtype=np.int32)
            yield Encoded(np.array([index]), ids, np.array([size]))


def test_each_word_is_worked_out_once() -> None:
    lengths = Lengths()
    words = WordIds(lengths)

    assert words.of(["ab", "", "abc", "ab"]) == [2, 1, 3, 2, 1, 2, 1]
    assert words.of(["abc", "x", "ab"]) == [3, 2, 1, 1, 2, 1]
    assert words.of([]) == []
    assert lengths.asked == [["ab", "", "abc"], ["x"]]


def test_what_is_too_much_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_ids, "MOST_IDS", 3)
    lengths = Lengths()
    words = WordIds(lengths)

    assert words.of(["ab", "a"]) == [2, 1, 1]
    assert words.of(["ab", "b"]) == [2, 1, 1]
    assert words.of(["ab"]) == [2, 1]
    assert lengths.asked == [["ab", "a"], ["b"], ["ab"]]


def test_an_error_leaves_nothing_half_done() -> None:
    words = WordIds(Lengths())
    words.of(["ab"])

    with pytest.raises(ValueError):  # noqa: PT011
        words.of(["abc", "!"])

    assert words.of(["abc", "ab"]) == [3, 2, 1, 2, 1]
