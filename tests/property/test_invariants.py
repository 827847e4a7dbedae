"""What must hold whatever the text and the vocabulary."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokcli
from tests import vocabularies
from tests.inputs import around, hard_inputs
from tests.reference import naive_merge
from tokcli.merging.merge import merge_symbols
from tokcli.partition import SpecialFragment
from tokcli.pretokenize import regex_stages
from tokcli.pretokenizer_table import PRE_TOKENIZERS, REGEXES
from tokcli.text.unicode import decode
from tokcli.tokenizer import Tokenizer
from tokcli.trace import Event, FragmentSpecial, SpecialAdded, TokenEmitted
from tokcli.vocab import CONTROL, UNKNOWN

# For tests that run once for each vocabulary: a share of what the profile says, together more.
few = settings(max_examples=settings().max_examples // 3)

BYTE_LEVEL = ("built-in", "bpe-gpt-2", "bpe-llama3", "bpe-qwen2", "bpe-tekken", "bpe-no-pre")

# Texts that tokenizers find hard, cut and joined, and any bytes and characters.
snippets = st.sampled_from(hard_inputs())
characters = st.text(max_size=20).map(lambda text: text.encode("utf-8", "surrogatepass"))
inputs = st.lists(st.one_of(snippets, characters, st.binary(max_size=8)), max_size=5).map(b"".join)
texts = st.lists(st.one_of(snippets.map(decode), st.text(max_size=20)), max_size=5).map("".join)


@cache
def tokenizer(name: str, folder: Path) -> Tokenizer:
    return tokcli.load(vocabularies.path_of(name, folder))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("vocabularies")


@cache
def spellings(name: str, folder: Path) -> list[bytes]:
    """The texts of the special tokens, and texts around them."""
    vocab = tokenizer(name, folder).vocab
    special = [vocab.texts[id] for id in vocab.special_token_ids[:12]]
    return [*special, *around(special)] if special else [b""]


def with_special(data: st.DataObject, name: str, folder: Path) -> bytes:
    parts = st.one_of(inputs, st.sampled_from(spellings(name, folder)))
    return b"".join(data.draw(st.lists(parts, max_size=4)))


@given(name=st.sampled_from(BYTE_LEVEL), text=texts)
def test_byte_level_bpe_gives_every_byte_back(name: str, folder: Path, text: str) -> None:
    tok = tokenizer(name, folder)
    data = text.encode("utf-8", "surrogatepass")

    ids = tok.tokenize(data, add_special=False, parse_special=False)

    assert b"".join(tok.piece(id) for id in ids) == data


@given(name=st.sampled_from(vocabularies.ALL), data=st.data(), parse_special=st.booleans())
def test_fragments_tile_the_input(
    name: str, folder: Path, data: st.DataObject, parse_special: bool
) -> None:
    tok = tokenizer(name, folder)
    text = with_special(data, name, folder)
    position = 0

    for fragment in tok.partitioner.partition(text, parse_special):
        start, end = fragment.start, fragment.end
        if isinstance(fragment, SpecialFragment):
            assert text[start:end] == tok.vocab.texts[fragment.id]
            assert not text[fragment.strip_start : start].strip()
            assert not text[end : fragment.strip_end].strip()
            assert parse_special or not tok.vocab.attr(fragment.id) & (CONTROL | UNKNOWN)
            start, end = fragment.strip_start, fragment.strip_end
        assert start == position
        assert end > start
        position = end

    assert position == len(text)


@pytest.mark.parametrize("name", vocabularies.TINY)
@few
@given(data=st.data(), add_special=st.booleans(), parse_special=st.booleans())
def test_listening_changes_nothing(
    name: str, folder: Path, data: st.DataObject, add_special: bool, parse_special: bool
) -> None:
    tok = tokenizer(name, folder)
    text = with_special(data, name, folder)
    events: list[Event] = []

    ids = tok.tokenize(text, add_special=add_special, parse_special=parse_special)
    heard = tok.tokenize(
        text, add_special=add_special, parse_special=parse_special, trace=events.append
    )

    assert heard == ids
    # Each id is reported once, and its span lies in the input.
    told = [e for e in events if isinstance(e, (TokenEmitted, FragmentSpecial, SpecialAdded))]
    assert [event.id for event in told] == ids
    for event in told:
        if not isinstance(event, SpecialAdded):
            assert 0 <= event.start <= event.end <= len(text)


@given(name=st.sampled_from(vocabularies.ALL), data=st.data())
def test_ids_lie_in_the_vocabulary(name: str, folder: Path, data: st.DataObject) -> None:
    tok = tokenizer(name, folder)
    no_token = {-1} if tok.vocab.special_id("unk") is None else set()

    ids = tok.tokenize(with_special(data, name, folder))

    assert set(ids) <= set(range(len(tok.vocab))) | no_token
    assert isinstance(tok.detokenize(id for id in ids if id >= 0), bytes)


@given(name=st.sampled_from(BYTE_LEVEL), data=st.data())
def test_text_yields_no_control_tokens(name: str, folder: Path, data: st.DataObject) -> None:
    tok = tokenizer(name, folder)

    ids = tok.tokenize(with_special(data, name, folder), add_special=False, parse_special=False)

    assert not [id for id in ids if tok.vocab.attr(id) & (CONTROL | UNKNOWN)]


@pytest.mark.parametrize("regexes", REGEXES)
@few
@given(text=texts)
def test_pieces_concatenate_to_the_text(regexes: str, text: str) -> None:
    pieces = [text] if text else []
    for stage in regex_stages(regexes):
        for piece in pieces:
            spans = [(span.start, span.end) for span in stage.pieces(piece)]
            assert [piece[start:end] for start, end in spans] == stage.split(piece)
        pieces = [part for piece in pieces for part in stage.split(piece)]

    assert "".join(pieces) == text
    assert all(pieces)


def test_every_regex_list_has_a_name() -> None:
    assert {rules.regexes for rules in PRE_TOKENIZERS.values()} == set(REGEXES)


symbols = st.lists(st.sampled_from([b"a", b"b", b"c"]), max_size=24)
sides = st.text("abc", min_size=1, max_size=4)


@given(symbols=symbols, merges=st.lists(st.tuples(sides, sides), max_size=30))
def test_the_heap_merges_as_the_definition_says(
    symbols: list[bytes], merges: list[tuple[str, str]]
) -> None:
    ranks = {f"{left} {right}".encode(): rank for rank, (left, right) in enumerate(merges)}

    assert merge_symbols(list(symbols), ranks.get, b" ") == naive_merge(symbols, ranks.get, b" ")


@given(symbols=symbols, scores=st.dictionaries(sides.map(str.encode), st.integers(-3, 3)))
def test_the_heap_merges_scores_as_the_definition_says(
    symbols: list[bytes], scores: dict[bytes, int]
) -> None:
    merged = merge_symbols(list(symbols), scores.get, b"", scored=True)

    assert merged == naive_merge(symbols, scores.get, b"")


@pytest.mark.parametrize("name", vocabularies.TINY)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_long_text_is_tokenized_as_short_text_is(name: str, seed: int, folder: Path) -> None:
    """What was seen before, and how much text there is, must not show in the ids."""
    chance = random.Random(seed)
    parts = [*hard_inputs(), *spellings(name, folder)]
    long = b"".join(chance.choices(parts, k=300))
    tok = tokenizer(name, folder)

    ids = tok.tokenize(long)

    assert ids == tok.tokenize(long, trace=lambda event: None)
