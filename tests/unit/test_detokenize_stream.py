from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokcli
from tests import vocabularies
from tokcli.detokenize import clean_spaces
from tokcli.detokenize_stream import StreamDetokenizer


def streamed(tokenizer: tokcli.Tokenizer, ids: list[int], **settings: bool) -> list[bytes]:
    stream = StreamDetokenizer(tokenizer, **settings)
    return [*(stream.feed(id) for id in ids), stream.finish()]


def test_each_token_comes_as_soon_as_it_is_certain() -> None:
    tokenizer = tokcli.load()

    # "How", " are", and the three bytes of U+65E5 as two tokens
    assert streamed(tokenizer, [2437, 389, 10545, 245, 98]) == [
        b"How", b" are", b" ", b"", "日".encode(), b""
    ]  # fmt: skip


def test_spaces_wait_until_they_are_certain() -> None:
    tokenizer = tokcli.load()
    space, dot, quote, s = (tokenizer.tokenize(text)[0] for text in (" ", ".", "'", "s"))

    assert streamed(tokenizer, [space, dot]) == [b"", b".", b""]
    assert streamed(tokenizer, [space, quote, s]) == [b"", b"", b"'s", b""]
    assert streamed(tokenizer, [space, space]) == [b"", b"", b"  "]


def test_bytes_that_can_never_be_a_character_do_not_wait() -> None:
    tokenizer = tokcli.load()
    # The byte alphabet's character for 0xff.
    lead = tokenizer.vocab.token_to_id["ÿ".encode()]

    assert streamed(tokenizer, [lead]) == [b"\xff", b""]


def test_an_id_outside_the_vocabulary_is_named() -> None:
    with pytest.raises(tokcli.TokenIdError, match="50257"):
        StreamDetokenizer(tokcli.load()).feed(50257)


@pytest.mark.parametrize("name", vocabularies.ALL)
def test_streaming_gives_the_bytes_of_all_at_once(
    name: str, tiny_vocabularies: dict[str, Path]
) -> None:
    tokenizer = tokcli.load(tiny_vocabularies.get(name))
    special = [tokenizer.vocab.special_id("bos"), tokenizer.vocab.special_id("eos")]
    usual = [id for id in special if id is not None]
    ids = st.integers(0, min(len(tokenizer.vocab), 400) - 1)
    if usual:
        ids |= st.sampled_from(usual)

    @given(st.lists(ids, max_size=12), st.booleans(), st.booleans())
    def check(ids: list[int], remove_special: bool, unparse_special: bool) -> None:
        settings = {"remove_special": remove_special, "unparse_special": unparse_special}
        parts = streamed(tokenizer, ids, **settings)

        whole = tokenizer.detokenize(ids, **settings)
        assert b"".join(parts) == whole
        # No character is torn apart: decoding the parts is decoding the whole.
        assert "".join(part.decode("utf-8", "replace") for part in parts) == whole.decode(
            "utf-8", "replace"
        )

    check()


@given(st.lists(st.sampled_from([b" ", b"'", b"'s", b"re", b".", b"r", b"v", b"e", b"a", b"  "])))
def test_cleaning_by_parts_is_cleaning_the_whole(pieces: list[bytes]) -> None:
    class Vocabulary:
        special_id = staticmethod(lambda name: None)
        check_id = staticmethod(lambda id: id)
        flag = staticmethod(lambda name: name == "clean_spaces")
        type = tokcli.load().vocab.type
        settings = tokcli.load().vocab.settings

    class Pieces:
        vocab = Vocabulary()

        def piece(self, id: int, special: bool, lstrip: int) -> bytes:
            return pieces[id]

    parts = streamed(Pieces(), list(range(len(pieces))))  # type: ignore[arg-type]

    assert b"".join(parts) == clean_spaces(b"".join(pieces))
