from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from tokcli.batch import word_ids
from tokcli.batch.cuts import Pieces
from tokcli.batch.text import code_points
from tokcli.batch.word_ids import Encoded, WordIds


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
    words = WordIds(lengths, 9)

    assert words.of([["ab", "", "abc", "ab"]]) == [2, 1, 3, 2, 1, 2, 1]
    assert words.of([["abc", "x", "ab"]]) == [3, 2, 1, 1, 2, 1]
    assert words.of([[]]) == []
    assert lengths.asked == [["ab", "", "abc"], ["x"]]


@pytest.mark.parametrize(
    ("bound", "most"), [("MOST_IDS", 3), ("MOST_WORDS", 2), ("MOST_CHARACTERS", 3)]
)
def test_what_is_too_much_is_forgotten(
    bound: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_ids, bound, most)
    lengths = Lengths()
    words = WordIds(lengths, 9)

    assert words.of([["ab", "a"]]) == [2, 1, 1]
    assert words.of([["ab", "b"]]) == [2, 1, 1]
    assert words.of([["ab"]]) == [2, 1]
    assert lengths.asked == [["ab", "a"], ["b"], ["ab"]]


def test_an_error_leaves_nothing_half_done() -> None:
    words = WordIds(Lengths(), 9)
    words.of([["ab"]])

    with pytest.raises(ValueError):  # noqa: PT011
        words.of([["abc", "!"]])

    assert words.of([["abc", "ab"]]) == [3, 2, 1, 2, 1]


def test_gives_the_same_numbers_each_time() -> None:
    words = WordIds(Lengths(), 999)
    long = "x" * 900

    # Not only equal: a list of them takes no memory for each.
    assert words.of([[long]])[0] is words.of([[long, long]])[900]


def test_an_unknown_token_that_is_not_there() -> None:
    def unknown(words: Sequence[str]) -> Iterator[Encoded]:
        size = len(words)
        yield Encoded(np.arange(size), np.full(size, -1, np.int32), np.ones(size, np.int64))

    assert WordIds(unknown, 9).of([["a", "b"]]) == [-1, -1]


LAST = chr(sys.maxunicode)


def cut(*pieces: str) -> Pieces:
    return Pieces(code_points("".join(pieces)), np.cumsum([len(piece) for piece in pieces]))


@pytest.mark.parametrize("bound", ["MOST_IDS", "MOST_WORDS", "MOST_CHARACTERS", None])
def test_pieces_have_the_ids_of_words(bound: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if bound:
        monkeypatch.setattr(word_ids, bound, 1)
    lengths = Lengths()
    words = WordIds(lengths, 9)

    for _ in range(2):
        pieces = cut("ab", LAST, "c", "abc", LAST, "d")
        assert words.of_pieces(pieces) == [2, 1, 1, 1, 3, 2, 1, 1, 1]
        assert words.of_pieces(cut("c", "\ud800", "c")) == [1, 1, 1]
        assert words.of_pieces(cut("ab")) == [2, 1]
    assert words.of([[LAST, "ab"]]) == [1, 2, 1]
    asked = [word for several in lengths.asked for word in several]
    assert bound is not None or len(asked) == len(set(asked))


def test_an_error_leaves_no_character_half_done() -> None:
    words = WordIds(Lengths(), 9)

    with pytest.raises(ValueError):  # noqa: PT011
        words.of_pieces(cut("a", "!"))

    assert words.of_pieces(cut("ab", "a", "ab")) == [2, 1, 1, 2, 1]
