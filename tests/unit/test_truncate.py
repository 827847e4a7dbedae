from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokcli
from tests import vocabularies
from tokcli.truncate import truncate

PARTS = [
    "the",
    " ",
    "  ",
    "\n",
    "Hello",
    "wor",
    "ld",
    "é",
    "日本",
    "😀",
    "<s>",
    "</s>",
    "12",
    "'s",
    "x",
]


def brute_force(tokenizer: tokcli.Tokenizer, data: bytes, limit: int) -> bytes | None:
    """The longest prefix that ends at a character and fits, by trying all."""
    text = data.decode()
    for length in range(len(text), -1, -1):
        prefix = text[:length].encode()
        if len(tokenizer.tokenize(prefix)) <= limit:
            return prefix
    return None


@pytest.mark.parametrize("name", vocabularies.ALL)
def test_no_longer_prefix_fits(name: str, tiny_vocabularies: dict[str, Path]) -> None:
    tokenizer = tokcli.load(tiny_vocabularies.get(name))

    @given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join), st.integers(0, 12))
    def check(text: str, limit: int) -> None:
        data = text.encode()
        try:
            expected = brute_force(tokenizer, data, limit)
        except tokcli.TokenizeError:
            return
        if expected is None:
            with pytest.raises(tokcli.UsageError):
                truncate(tokenizer, data, limit)
        else:
            assert truncate(tokenizer, data, limit) == expected

    check()


def test_a_longer_prefix_may_take_fewer_tokens() -> None:
    tokenizer = tokcli.load()
    word = b"internationalization"

    assert [len(tokenizer.tokenize(word[:end])) for end in (4, 9, 13, 20)] == [2, 2, 1, 2]
    assert truncate(tokenizer, word, 1) == b"international"


def test_a_prefix_that_ends_in_a_control_token() -> None:
    tokenizer = tokcli.load()

    assert truncate(tokenizer, b"How<|endoftext|>", 2) == b"How<|endoftext|>"
    assert truncate(tokenizer, b"How<|endoftext|> are", 2) == b"How<|endoftext|>"
    assert truncate(tokenizer, b"How<|endoftext|>", 2, parse_special=False) == b"How<"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xffa", b"\xff"),
        (b"\xe6\x97 a", b"\xe6\x97"),  # a character cut short is no character
        (b"\x97\xe6", b"\x97\xe6"),
        ("a日".encode(), b"a"),
        ("é😀".encode(), "é".encode()),
    ],
)
def test_only_well_formed_characters_stay_whole(data: bytes, expected: bytes) -> None:
    tokenizer = tokcli.load()
    limit = len(tokenizer.tokenize(expected))

    assert truncate(tokenizer, data, limit) == expected


@pytest.mark.parametrize("limit", [1000, 1001, 1500])
def test_long_texts_are_cut_as_by_counting_from_the_start(limit: int) -> None:
    tokenizer = tokcli.load()
    text = "How are you? Straße 日本語 it's 12345.  \n" * 200
    data = text.encode()
    result = truncate(tokenizer, data, limit)

    assert data.startswith(result)
    assert len(tokenizer.tokenize(result)) <= limit
    rest = data[len(result) :].decode()
    longer = [len(tokenizer.tokenize(result + rest[:more].encode())) for more in range(1, 60)]
    assert min(longer) > limit
