"""Short texts do without a table of all merges, as long as that pays."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.builders import BYTE_LEVEL_MERGES, tiny_bpe, tiny_raw_bpe
from tokcli.gguf_strings import Strings
from tokcli.merging import few_merges
from tokcli.merging.few_merges import SEARCHES, FewMerges
from tokcli.tokenizer import Tokenizer, load


@pytest.fixture
def tokenizer(tmp_path: Path) -> Tokenizer:
    return load(tiny_bpe(tmp_path / "m.gguf"))


def test_merges_of_a_file_are_not_laid_out_but_tokens_are(tokenizer: Tokenizer) -> None:
    assert isinstance(tokenizer.vocab.merges, Strings)
    assert list(tokenizer.vocab.merges) == [merge.encode() for merge in BYTE_LEVEL_MERGES]
    assert isinstance(tokenizer.metadata["tokenizer.ggml.tokens"].value, list)


@pytest.mark.parametrize("odd", ["", "a\0 b"])
def test_odd_merges_are_a_list(tmp_path: Path, odd: str) -> None:
    tokenizer = load(tiny_bpe(tmp_path / "m.gguf", merges=[*BYTE_LEVEL_MERGES, odd]))

    assert isinstance(tokenizer.vocab.merges, list)
    assert tokenizer.tokenize("the") == load(tiny_bpe(tmp_path / "n.gguf")).tokenize("the")
    assert tokenizer.vocab.has_ranks


def test_short_texts_need_no_table(tokenizer: Tokenizer) -> None:
    for text in ("the", "the other", "He said: the", "HE", ""):
        tokenizer.tokenize(text)

    assert not tokenizer.vocab.has_ranks


def test_new_letters_ask_for_it_in_the_end(tokenizer: Tokenizer) -> None:
    for number, text in enumerate(("the", "é", "日")):
        assert number <= len(SEARCHES)
        tokenizer.tokenize(text)

        assert tokenizer.vocab.has_ranks == (number == len(SEARCHES))


@pytest.mark.parametrize("pre", ["gpt-2", "llama-bpe"])
def test_so_does_much_text(pre: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(few_merges, "SHORT_TEXT", 12)
    tokenizer = load(tiny_bpe(tmp_path / "m.gguf", pre=pre))
    tokenizer.tokenize("the tale")
    assert not tokenizer.vocab.has_ranks
    # A whole word by llama-bpe, which counts too.
    tokenizer.tokenize(" the")
    assert not tokenizer.vocab.has_ranks

    # In all there are more than so many characters.
    tokenizer.tokenize("tale")
    assert tokenizer.vocab.has_ranks


def test_what_cannot_merge_asks_for_nothing(tmp_path: Path) -> None:
    raw = load(tiny_raw_bpe(tmp_path / "raw.gguf"))
    for text in ("a", "b", "日", "\n", "é"):
        raw.tokenize(text, add_special=False)
    whole = load(tiny_bpe(tmp_path / "whole.gguf", pre="llama-bpe"))
    for text in ("the", " the", "th", "a"):
        whole.tokenize(text, add_special=False)

    for vocab in (raw.vocab, whole.vocab):
        assert not vocab.has_ranks
        assert "_items" not in vars(vocab.merges)


def test_numbers_are_in_the_order_of_ranks(tokenizer: Tokenizer) -> None:
    vocab = tokenizer.vocab
    few = FewMerges(vocab)
    assert few.pay(3)

    found = few.ranks(b"the")

    assert found
    assert all(set(merge) <= set(b"the ") for merge in found)
    assert sorted(found, key=found.__getitem__) == [
        merge for merge in vocab.merges if set(merge) <= set(b"the ")
    ]
    assert few.ranks(b"eht") is found
    assert set(few.ranks(b"w")) > set(found)


def test_where_the_table_is_there_it_is_used(tokenizer: Tokenizer) -> None:
    few = FewMerges(tokenizer.vocab)
    assert few.pay(1)
    assert tokenizer.vocab.ranks

    assert not few.pay(1)


@pytest.fixture
def eager_threads() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("eager_threads")
def test_threads_may_share_it(tmp_path: Path) -> None:
    path = tiny_bpe(tmp_path / "m.gguf")
    texts = ["the", "é", "日本", "Hello", "12300", "😀", "\t\r\n", "(=="]
    expected = list(map(load(path).tokenize, texts))

    with ThreadPoolExecutor(len(texts)) as pool:
        for _ in range(60):
            assert list(pool.map(load(path).tokenize, texts)) == expected
