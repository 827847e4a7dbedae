"""Caches, cuts, windows, tables built on the way and tracing never change an id."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests import builders, vocabularies
from tests.batching import always_together
from tests.inputs import hard_inputs
from tokcli import pretokenize
from tokcli.algorithms import bpe_chunks, ugm, ugm_words
from tokcli.batch import bpe as batch_bpe
from tokcli.batch import cuts as batch_cuts
from tokcli.batch import merges, word_ids
from tokcli.errors import TokcliError
from tokcli.merging import cuts, few_merges, memo, merge_windows
from tokcli.text import matches
from tokcli.tokenizer import Tokenizer, load
from tokcli.trace import Event

Patch = pytest.MonkeyPatch
Answer = list[int] | str


def answer(tokenizer: Tokenizer, text: bytes, *, traced: bool = False) -> Answer:
    """The ids of `text`, or what is wrong with it."""
    events: list[Event] = []
    try:
        return tokenizer.tokenize(text, trace=events.append if traced else None)
    except TokcliError as error:
        return str(error)


def _texts() -> list[bytes]:
    inputs = hard_inputs()
    joined = b" ".join(inputs)
    words = b"the abcabc Hello world ing 12312300 aaaaaaaaa ......" * 3
    return [*inputs, words, words + joined]


def no_caches(patch: Patch) -> None:
    patch.setattr(memo, "LONGEST_KEY", -1)


def tiny_caches(patch: Patch) -> None:
    patch.setattr(memo, "MOST_KEYS", 2)


def coarse_cuts(patch: Patch) -> None:
    patch.setattr(cuts, "SHORTEST_CUT", 0)


def cuts_of_much_short_text(patch: Patch) -> None:
    patch.setattr(cuts, "MUCH_SHORT_TEXT", 0)


def fine_cuts(patch: Patch) -> None:
    patch.setattr(cuts, "SHORTEST_FINE_CUT", 0)
    patch.setattr(bpe_chunks, "LONG_WORD", 1)


def no_cuts(patch: Patch) -> None:
    patch.setattr(cuts, "SHORTEST_CUT", 1 << 60)
    patch.setattr(cuts, "SHORTEST_FINE_CUT", 1 << 60)
    patch.setattr(cuts, "MUCH_SHORT_TEXT", 1 << 60)
    patch.setattr(bpe_chunks, "LONG_WORD", 1 << 60)


def tiny_windows(patch: Patch) -> None:
    patch.setattr(merge_windows, "LONGEST_WHOLE", 3)
    patch.setattr(merge_windows, "WINDOW", 4)


def no_lists(patch: Patch) -> None:
    for module in (matches, pretokenize, ugm):
        patch.setattr(module, "LONGEST_LISTED", 0)
    patch.setattr(ugm_words, "SEGMENT", 1)
    patch.setattr(pretokenize, "FEW", 2)
    patch.setattr(pretokenize, "BATCH", 3)


def all_merges_at_once(patch: Patch) -> None:
    patch.setattr(few_merges, "SHORT_TEXT", -1)


def never_all_merges(patch: Patch) -> None:
    patch.setattr(few_merges, "SHORT_TEXT", 1 << 60)
    patch.setattr(few_merges, "SEARCHES", (b"",) * 1000)


def few_merges_for_words_alone(patch: Patch) -> None:
    always_together(patch)
    never_all_merges(patch)
    patch.setattr(merges, "FEWEST", 1 << 60)


def all_together(patch: Patch) -> None:
    always_together(patch)


def all_together_in_parts(patch: Patch) -> None:
    always_together(patch)
    no_lists(patch)
    patch.setattr(batch_cuts, "SEGMENT", 5)
    patch.setattr(merges, "SIZES", (2, 3, 254))
    patch.setattr(merges, "CELLS", 9)
    patch.setattr(word_ids, "MOST_WORDS", 3)


def all_together_in_short_lists(patch: Patch) -> None:
    always_together(patch)
    patch.setattr(pretokenize, "SEGMENT", 1)


def all_together_by_words(patch: Patch) -> None:
    always_together(patch)
    patch.setattr(batch_bpe, "WORD_LENGTH", 1 << 60)


def all_together_by_chunks(patch: Patch) -> None:
    always_together(patch)
    patch.setattr(batch_bpe, "WORD_LENGTH", 0)


WAYS: tuple[Callable[[Patch], None], ...] = (
    no_caches, tiny_caches, coarse_cuts, cuts_of_much_short_text, fine_cuts, no_cuts, tiny_windows,
    no_lists, all_merges_at_once, never_all_merges, few_merges_for_words_alone, all_together,
    all_together_in_parts, all_together_in_short_lists, all_together_by_words,
    all_together_by_chunks,
)  # fmt: skip


# Vocabularies in which rules meet that seldom do.
RARE: dict[str, tuple[Callable[..., Path], dict[str, object]]] = {
    # Newlines are a token that no merge makes.
    "gemma4-newlines": (
        builders.tiny_raw_bpe,
        {"merges": [merge for merge in builders.RAW_MERGES if "\n" not in merge]},
    ),
    # Of a merge that is there twice, the first counts.
    "merges-twice": (
        builders.tiny_bpe,
        {"merges": [*builders.BYTE_LEVEL_MERGES, *reversed(builders.BYTE_LEVEL_MERGES)]},
    ),
    # White space is dropped before spaces could be escaped.
    "whitespace-gemma4": (builders.tiny_whitespace, {"pre": "gemma4"}),
    "whitespace-sarvam-moe": (builders.tiny_whitespace, {"pre": "sarvam-moe"}),
}


@pytest.fixture(scope="module", params=[*vocabularies.ALL, *RARE])
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vocabulary")
    if request.param in RARE:
        build, overrides = RARE[request.param]
        return build(folder / "rare.gguf", **overrides)
    return vocabularies.path_of(request.param, folder)


@pytest.fixture(scope="module")
def expected(path: Path) -> list[Answer]:
    """Each text by a tokenizer of its own, traced: no cache, no cut, no window is used there."""
    tokenizer = load(path)
    return [answer(tokenizer, text, traced=True) for text in _texts()]


def test_untraced_as_traced(path: Path, expected: list[Answer]) -> None:
    tokenizer = load(path)

    assert [answer(tokenizer, text) for text in _texts()] == expected


def test_again_as_the_first_time(path: Path, expected: list[Answer]) -> None:
    tokenizer = load(path)
    for text in _texts():
        answer(tokenizer, text)

    assert [answer(tokenizer, text) for text in _texts()] == expected


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_in_any_other_way(
    path: Path, expected: list[Answer], way: Callable[[Patch], None], monkeypatch: Patch
) -> None:
    way(monkeypatch)
    tokenizer = load(path)

    assert [answer(tokenizer, text) for text in _texts()] == expected
