"""Words and places worked on together come to the same ids as one by one, whatever the vocabulary.

The vocabularies are tiny and random, and so are the sizes from which, and in which, work is done
together."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import vocabularies
from tests.asking import small, with_bytes
from tests.batching import always_together
from tests.builders import BYTE_LEVEL
from tests.charsmap import precompiled_charsmap
from tests.gguf_files import CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED
from tests.inputs import hard_inputs
from tokcli.algorithms import ugm, ugm_words
from tokcli.batch import cuts as batch_cuts
from tokcli.batch import rwkv as rwkv_batch
from tokcli.batch import spm as spm_batch
from tokcli.batch import ugm as ugm_batch
from tokcli.batch import word_ids
from tokcli.errors import TokenizeError
from tokcli.merging import cuts
from tokcli.tokenizer import Tokenizer, load
from tokcli.trace import Event

BYTES = st.sampled_from(b"ab\n\xff")
byte_tokens = st.lists(BYTES, min_size=1, max_size=5).map(bytes)


def one_by_one(tokenizer: Tokenizer, text: str | bytes) -> list[int] | str:
    """The ids as they are found when every step is told, or what is wrong with the text."""
    events: list[Event] = []
    try:
        return tokenizer.tokenize(text, add_special=False, trace=events.append)
    except TokenizeError as error:
        return str(error)


def at_once(tokenizer: Tokenizer, text: str | bytes) -> list[int] | str:
    """The ids as they are found in batches."""
    try:
        return tokenizer.tokenize(text, add_special=False)
    except TokenizeError as error:
        return str(error)


@pytest.mark.parametrize("name", ["rwkv", "ugm", "ugm-charsmap"])
def test_hard_texts(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = load(vocabularies.path_of(name, tmp_path))
    always_together(monkeypatch)
    texts = hard_inputs()
    for text in [*texts, b"\n".join(texts)]:
        assert at_once(tokenizer, text) == one_by_one(tokenizer, text)


@given(
    tokens=st.sets(byte_tokens, max_size=12),
    # Where a byte alone is no token, most texts are an error.
    singles=st.sampled_from([b"ab\n\xff", b"ab\n\xff", b"b\n"]),
    text=st.lists(st.one_of(BYTES, st.just(ord("c"))), max_size=60).map(bytes),
    few=st.integers(1, 4),
    steps=st.integers(1, 9),
    size=st.integers(1, 20),
)
def test_rwkv(
    tmp_path: Path, tokens: set[bytes], singles: bytes, text: bytes, few: int, steps: int, size: int
) -> None:
    tokens = tokens.union(bytes((byte,)) for byte in singles)
    escaped = ["".join(f"\\x{byte:02x}" for byte in token) for token in sorted(tokens)]
    tokenizer = small(tmp_path, "rwkv", escaped)
    with pytest.MonkeyPatch.context() as patch:
        always_together(patch)
        patch.setattr(rwkv_batch, "FEW_PIECES", few)
        patch.setattr(rwkv_batch, "MOST_STEPS", steps)
        patch.setattr(rwkv_batch, "SLICE", size)

        assert at_once(tokenizer, text) == one_by_one(tokenizer, text)


# Which two symbols, of those that there are by then, merge into another one.
PICKS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=14)


def merged(picks: list[tuple[int, int]], symbols: list[str]) -> list[tuple[str, str]]:
    """The pairs that merge, each once, with what they make added to `symbols`."""
    pairs: list[tuple[str, str]] = []
    for left, right in picks:
        pair = symbols[left % len(symbols)], symbols[right % len(symbols)]
        if pair not in pairs:
            pairs.append(pair)
            symbols.append("".join(pair))
    return pairs


@given(
    picks=PICKS,
    scores=st.lists(st.sampled_from([-2.0, -1.0, 0.0]), min_size=18, max_size=18),
    text=st.text("aab é▁c", max_size=40),
    missing=st.sets(st.sampled_from("ab▁é"), max_size=2),
    longest=st.sampled_from([2, 4, 32]),
    size=st.integers(1, 9),
)
def test_spm(
    tmp_path: Path,
    picks: list[tuple[int, int]],
    scores: list[float],
    text: str,
    missing: set[str],
    longest: int,
    size: int,
) -> None:
    symbols = list("ab▁é")
    merged(picks, symbols)
    # A character need not be a token for what it merges into.
    symbols = [symbol for symbol in dict.fromkeys(symbols) if symbol not in missing]
    columns, types = with_bytes(symbols)
    scores = scores[: len(symbols)] + [0.0] * 256
    tokenizer = small(tmp_path, "llama", columns, types=types, scores=scores)
    with pytest.MonkeyPatch.context() as patch:
        always_together(patch)
        # Into longer tokens nothing merges in a batch, but in words that are too long for one.
        patch.setattr(spm_batch, "LONGEST", longest)
        patch.setattr(spm_batch, "SPLITS", size)
        patch.setattr(batch_cuts, "SEGMENT", size)

        assert at_once(tokenizer, text) == one_by_one(tokenizer, text)


def test_spm_cuts_no_token_that_is_too_long_for_a_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns, types = with_bytes(["b▁", "ab▁"])
    tokenizer = small(tmp_path, "llama", columns, types=types, scores=[0.0] * len(columns))
    always_together(monkeypatch)
    monkeypatch.setattr(spm_batch, "LONGEST", 2)

    assert at_once(tokenizer, "xab ") == one_by_one(tokenizer, "xab ")
    assert 1 in at_once(tokenizer, "xab ")


# Merges that are no two symbols: they merge nothing.
ODD_MERGES = ["a  b", "ab", " b", "a ", "", "a b c", " "]


@given(
    picks=PICKS,
    odd=st.sets(st.sampled_from(ODD_MERGES), max_size=3),
    text=st.text("aabé c'", max_size=40),
)
def test_bpe_of_bytes(
    tmp_path: Path, picks: list[tuple[int, int]], odd: set[str], text: str
) -> None:
    symbols = list("abcÃ©Ġ'")
    rules = [f"{left} {right}" for left, right in merged(picks, symbols)]
    tokenizer = small(
        tmp_path,
        "gpt2",
        list(dict.fromkeys([*BYTE_LEVEL, *symbols])),
        merges=[*rules[:1], *sorted(odd), *rules[1:]],
        pre="gpt-2",
    )
    with pytest.MonkeyPatch.context() as patch:
        always_together(patch)

        assert at_once(tokenizer, text) == one_by_one(tokenizer, text)


@given(picks=PICKS, text=st.text("aab é\n▁c", max_size=40), size=st.integers(1, 9))
def test_bpe_of_characters(
    tmp_path: Path, picks: list[tuple[int, int]], text: str, size: int
) -> None:
    symbols = list("ab▁é\n")
    rules = [f"{left} {right}" for left, right in merged(picks, symbols)]
    tokens, types = with_bytes(list(dict.fromkeys(symbols)))
    tokenizer = small(tmp_path, "gemma4", tokens, types=types, merges=rules)
    with pytest.MonkeyPatch.context() as patch:
        always_together(patch)
        patch.setattr(batch_cuts, "SEGMENT", size)

        assert at_once(tokenizer, text) == one_by_one(tokenizer, text)


# A mark within a token keeps words together: it is to be rare.
MARKS = st.sampled_from(["", "▁"])
LETTERS = st.one_of(st.sampled_from(["a", "b", "ab"]), st.text("aabbé<", min_size=1, max_size=6))
PIECES = st.one_of(*[st.tuples(MARKS, LETTERS).map("".join)] * 30, st.just("▁"), st.just("a▁b"))
# Few scores, for equal sums.
SCORES = st.sampled_from([-3.0, -2.0, -1.0, -1.0, 0.0, 0.5])
TYPES = st.sampled_from([NORMAL, NORMAL, NORMAL, UNUSED, USER_DEFINED, CONTROL])
UGM_TOKENS = st.builds(
    dict.__or__,
    st.dictionaries(PIECES, st.tuples(SCORES, TYPES), max_size=14),
    st.sampled_from([{}, {"▁": (-2.0, NORMAL)}]),
)
# Numbers stand for tokens. Some characters vanish, become spaces, belong together in the map.
CHARACTERS = st.sampled_from("aabbc▁é\u0301<\0\u200b\u00a0     \t")
UGM_TEXTS = st.lists(st.one_of(CHARACTERS, st.integers(0, 13)), min_size=5, max_size=60)
ENTRIES = st.sampled_from(["é", "a\u0301", "ab", "<a", "c", "ab", "é", "b "])
CHARSMAPS = st.dictionaries(ENTRIES, st.text("ab é", max_size=2), max_size=2)


def spelled(parts: list[str | int], tokens: list[str]) -> str:
    """`parts` put together, with tokens for numbers and spaces for the marks in them."""
    return "".join(
        part if isinstance(part, str) else "".join(tokens[part : part + 1]).replace("▁", " ")
        for part in parts
    )


def ugm_tokenizer(
    folder: Path, tokens: dict[str, tuple[float, int]], unknown: int, entries: dict[str, str]
) -> Tokenizer:
    columns = {"<unk>": (-1.0, unknown), **tokens}
    return small(
        folder,
        "t5",
        list(columns),
        types=[type for _, type in columns.values()],
        scores=[score for score, _ in columns.values()],
        unknown_token_id=0,
        precompiled_charsmap=precompiled_charsmap(
            {"\t": " ", "\u00a0": " ", "\u200b": ""} | entries
        ),
        remove_extra_whitespaces=True,
        add_space_prefix=True,
    )


@given(
    tokens=UGM_TOKENS,
    unknown=st.sampled_from([UNKNOWN, NORMAL]),
    entries=CHARSMAPS,
    parts=UGM_TEXTS,
    sizes=st.sampled_from([(30,), (2, 5, 8, 30), (3, 7)]),
    cells=st.integers(1, 60),
    lot=st.integers(1, 12),
    kept=st.integers(0, 12),
)
def test_ugm(
    tmp_path: Path,
    tokens: dict[str, tuple[float, int]],
    unknown: int,
    entries: dict[str, str],
    parts: list[str | int],
    sizes: tuple[int, ...],
    cells: int,
    lot: int,
    kept: int,
) -> None:
    tokenizer = ugm_tokenizer(tmp_path, tokens, unknown, entries)
    text = spelled(parts, list(tokens))
    with pytest.MonkeyPatch.context() as patch:
        always_together(patch)
        patch.setattr(ugm, "MOST_LISTS", lot)
        patch.setattr(ugm_words, "SEGMENT", lot)
        patch.setattr(word_ids, "MOST_WORDS", kept)
        patch.setattr(ugm_batch, "SIZES", sizes)
        patch.setattr(ugm_batch, "CELLS", cells)

        expected = one_by_one(tokenizer, text)
        # Some words are known the second time.
        at_once(tokenizer, text[: len(text) // 2])
        assert [at_once(tokenizer, text) for _ in range(2)] == [expected] * 2


@given(
    tokens=UGM_TOKENS,
    unknown=st.sampled_from([UNKNOWN, NORMAL]),
    entries=CHARSMAPS,
    parts=UGM_TEXTS,
    shortest=st.integers(0, 40),
)
def test_ugm_cut_at_characters_that_no_token_joins(
    tmp_path: Path,
    tokens: dict[str, tuple[float, int]],
    unknown: int,
    entries: dict[str, str],
    parts: list[str | int],
    shortest: int,
) -> None:
    tokenizer = ugm_tokenizer(tmp_path, tokens, unknown, entries)
    text = spelled(parts, list(tokens))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts, "SHORTEST_CUT", shortest)
        patch.setattr(cuts, "SHORTEST_FINE_CUT", 2 * shortest)

        assert at_once(tokenizer, text) == one_by_one(tokenizer, text)
