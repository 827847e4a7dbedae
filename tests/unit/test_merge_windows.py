from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokcli.merging import merge_windows
from tokcli.merging.merge import merge_symbols
from tokcli.merging.merge_windows import merge_word


@pytest.fixture(autouse=True)
def _tiny_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge_windows, "LONGEST_WHOLE", 3)
    monkeypatch.setattr(merge_windows, "WINDOW", 4)
    monkeypatch.setattr(merge_windows, "FEWEST", 3)


def letters(text: str) -> list[bytes]:
    return [letter.encode() for letter in text]


@st.composite
def tables(draw: st.DrawFn) -> dict[bytes, float]:
    """Merges in any order, with ties, of symbols that other merges make."""
    texts = ["a", "b", "c"]
    table: dict[bytes, float] = {}
    for _ in range(draw(st.integers(1, 12))):
        left, right = draw(st.sampled_from(texts)), draw(st.sampled_from(texts))
        table[f"{left} {right}".encode()] = draw(st.integers(0, 6))
        texts.append(left + right)
    return table


@given(table=tables(), text=st.text("abc", min_size=4, max_size=80))
def test_windows_change_nothing(table: dict[bytes, float], text: str) -> None:
    whole = merge_symbols(letters(text), table.get, b" ")

    assert merge_word(letters(text), table.get, b" ") == whole


@given(table=tables(), text=st.text("abc", min_size=4, max_size=80))
def test_nor_where_texts_have_scores(table: dict[bytes, float], text: str) -> None:
    scores = {merge.replace(b" ", b""): rank for merge, rank in table.items()}
    whole = merge_symbols(letters(text), scores.get, b"", scored=True)

    assert merge_word(letters(text), scores.get, b"", scored=True) == whole


def test_a_token_may_be_longer_than_a_window() -> None:
    table = {b"a a": 0.0, b"aa aa": 1.0, b"aaaa aaaa": 2.0, b"aaaaaaaa aaaaaaaa": 3.0}

    assert merge_word(letters("a" * 41), table.get, b" ") == [b"a" * 16, b"a" * 16, b"a" * 8, b"a"]


def test_what_comes_far_behind_may_decide() -> None:
    # The last merges start from the end, which no window but the last one sees.
    table = {b"b c": 0.0, b"a bc": 1.0, b"b abc": 2.0, b"a babc": 3.0, b"ab ab": 5.0, b"a b": 4.0}
    text = "ab" * 20 + "abc"
    whole = merge_symbols(letters(text), table.get, b" ")

    assert merge_word(letters(text), table.get, b" ") == whole
    assert whole[-1] == b"ababc"
