"""Words and places worked on together come to the same ids as one by one, whatever the vocabulary.

The vocabularies are tiny and random, and so are the sizes from which, and in which, work is done
together."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.asking import small
from tokcli.algorithms import rwkv, rwkv_batch
from tokcli.errors import TokenizeError
from tokcli.tokenizer import Tokenizer
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
        patch.setattr(rwkv, "SHORTEST_BATCH", 0)
        patch.setattr(rwkv_batch, "FEW_PIECES", few)
        patch.setattr(rwkv_batch, "MOST_STEPS", steps)
        patch.setattr(rwkv_batch, "SLICE", size)

        assert at_once(tokenizer, text) == one_by_one(tokenizer, text)
