from __future__ import annotations

from pathlib import Path

import pytest

from tests.asking import small
from tests.gguf_files import CONTROL, NORMAL, UNKNOWN
from tokcli.algorithms import exact_sums
from tokcli.algorithms.exact_sums import FINEST, ExactSums
from tokcli.algorithms.ugm import Ugm

A_BIT = 2.0**-24


@pytest.fixture
def small_doubles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums of the finest scores are exact up to 100."""
    monkeypatch.setattr(exact_sums, "LARGEST", 100 * FINEST)


def sums(*scores: float) -> ExactSums:
    """Of the tokens "a" and "é", as far as there are scores, with an unknown score of -3."""
    pairs = zip("aé", scores, strict=False)
    tokens = {char.encode(): (score, id) for id, (char, score) in enumerate(pairs)}
    return ExactSums(tokens, -3.0)


def as_it_is(char: str) -> str:
    return char


@pytest.mark.usefixtures("small_doubles")
@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("", True),
        ("x" * 32, True),
        # Above 98, less than the worst score below 100, there is room for none.
        ("é" * 49, True),
        ("é" * 50, False),
        ("a" * 40, True),
        ("a" * 97, True),
        ("a" * 98, False),
        ("é" * 40 + "x" * 6, True),
        ("é" * 40 + "x" * 7, False),
        ("日" * 33, False),
        ("\udc80" * 33, False),
    ],
)
def test_what_characters_come_to(text: str, exact: bool) -> None:
    assert sums(-1 - A_BIT, -2.0).hold_for(text, as_it_is) == exact


@pytest.mark.usefixtures("small_doubles")
def test_what_characters_become_counts() -> None:
    found = sums(-1 - A_BIT, -2.0)

    assert found.hold_for("日" * 49, lambda char: char.replace("日", "é"))
    assert not found.hold_for("é" * 40, lambda char: 2 * char)
    assert found.hold_for("日" * 1000, lambda _: "")


@pytest.mark.usefixtures("small_doubles")
def test_coarse_scores_leave_more_room() -> None:
    assert sums(-1.0, -2.0).hold_for("日" * 1000, as_it_is)
    assert not sums(-1.0, -2 - A_BIT).hold_for("日" * 1000, as_it_is)


@pytest.mark.usefixtures("small_doubles")
def test_scores_above_zero_count_too() -> None:
    assert not sums(-1 - A_BIT, 2.5).hold_for("é" * 40, as_it_is)


@pytest.mark.parametrize("score", [A_BIT / 2, float("inf"), float("nan")])
def test_scores_that_are_too_fine_are_never_exact(score: float) -> None:
    assert not sums(score).hold_for("a", as_it_is)


def test_no_scores() -> None:
    assert sums().hold_for("a", as_it_is)


@pytest.mark.parametrize("largest", [0.0, 30 * FINEST, 2.0**53])
def test_ids_do_not_depend_on_it(
    largest: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_sums, "LARGEST", largest)
    whole = []
    best_path = Ugm._best_path

    def spy(ugm: Ugm, text: bytes, *more: object) -> list[int]:
        whole.append(len(text) > 60)
        return best_path(ugm, text, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(Ugm, "_best_path", spy)
    tokenizer = small(
        tmp_path,
        "t5",
        ["<unk>", "</s>", "▁", "a", "b", "ab", "▁a", "é"],
        types=[UNKNOWN, CONTROL, *[NORMAL] * 6],
        scores=[0.0, 0.0, -2.0, -1.0, -1.25, -2.5, -3.5, -2.0],
        remove_extra_whitespaces=True,
    )
    text = "abba ab é 日a\ud800 " * 5

    ids = tokenizer.tokenize(text)
    assert any(whole) == (largest == 0.0)
    assert ids == tokenizer.tokenize(text, trace=lambda _: None)
