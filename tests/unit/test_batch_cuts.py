from __future__ import annotations

import re
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokcli.batch import cuts
from tokcli.batch.cuts import PairCuts
from tokcli.batch.text import code_points, text_of

texts = st.text("ab\u2581\n\u4e00\U0001f600\ud800", max_size=60)


def side_by_side(tokens: str, apart: str | None = None) -> PairCuts:
    points = code_points(tokens)
    return PairCuts(points[:-1], points[1:], apart)


def pieces(cuts: PairCuts, text: str) -> list[str]:
    found = []
    for lot in cuts.pieces(text):
        several, longer, single = lot.parted()
        longer_ones, single_ones = iter(longer), iter(text_of(single))
        found += [next(longer_ones) if whole else next(single_ones) for whole in several]
        assert not [*longer_ones, *single_ones]
    return found


@given(tokens=texts, text=texts)
def test_cuts_where_no_pair_stands(tokens: str, text: str) -> None:
    found = pieces(side_by_side(tokens), text)

    assert "".join(found) == text
    pairs = {tokens[i : i + 2] for i in range(len(tokens))}
    for left, right in pairwise(found):
        assert left[-1] + right[0] not in pairs
    # Among so few characters no two pairs share a place in the table.
    assert all(piece[i : i + 2] in pairs for piece in found for i in range(len(piece) - 1))


@given(text=texts)
def test_runs_of_one_character_stay_apart(text: str) -> None:
    everything = "".join(a + b for a in text for b in text)
    for tokens in ("", everything):
        found = pieces(side_by_side(tokens, apart="\n"), text)

        assert "".join(found) == text
        assert [piece for piece in found if "\n" in piece] == re.findall("\n+", text)


@given(tokens=texts, text=texts, size=st.integers(1, 9))
def test_segments_change_nothing(tokens: str, text: str, size: int) -> None:
    pair_cuts = side_by_side(tokens)
    expected = pieces(pair_cuts, text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts, "SEGMENT", size)
        assert pieces(pair_cuts, text) == expected


def test_text_that_holds_every_character() -> None:
    text = "".join(map(chr, range(sys.maxunicode + 1)))

    assert pieces(side_by_side("ab"), text) == [*text[: ord("a")], "ab", *text[ord("c") :]]
