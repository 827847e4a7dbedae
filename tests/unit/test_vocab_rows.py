from __future__ import annotations

from pathlib import Path

import pytest

import tokcli
from tests import builders
from tokcli.errors import UsageError
from tokcli.listing.vocab_rows import VocabFilter, VocabRow, select_ids, vocab_rows
from tokcli.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def spm(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    return tokcli.load(builders.tiny_spm(tmp_path_factory.mktemp("spm") / "spm.gguf"))


def texts(tokenizer: Tokenizer, wanted: VocabFilter) -> list[bytes]:
    return [tokenizer.vocab.raw_texts[id] for id in select_ids(tokenizer, wanted)]


def test_a_row_has_everything() -> None:
    tok = tokcli.load()

    assert list(vocab_rows(tok, [389, 50256])) == [
        VocabRow(389, b" are", "Ġare".encode(), 0.0, "normal", ("normal",), ()),
        VocabRow(
            50256,
            b"<|endoftext|>",
            b"<|endoftext|>",
            0.0,
            "control",
            ("control",),
            ("BOS", "EOS", "EOT", "EOG"),
        ),
    ]


def test_attributes_are_those_after_overrides(tmp_path: Path) -> None:
    path = builders.tiny_spm(
        tmp_path / "phi.gguf", **{"general.name": "A Phi-3 of sorts", "suppress_tokens": [5]}
    )
    tok = tokcli.load(path)
    rows = {row.raw: row for row in vocab_rows(tok, range(len(tok.vocab)))}

    assert rows[b"[INST]"].attributes == ("control", "rstrip")
    assert rows[b"<s>"].attributes == ("control",)
    assert rows[b"<0x02>"].roles == ("SUPPRESSED",)
    assert rows[b"<0x02>"].piece == b"\x02"


def test_a_type_without_a_name_is_its_number(tmp_path: Path) -> None:
    path = builders.write_vocab(
        tmp_path / "odd.gguf",
        model="llama",
        tokens=["<unk>", "<s>", "</s>", "a"],
        types=[2, 3, 3, 99],
    )

    assert next(vocab_rows(tokcli.load(path), [3]))[4:6] == ("99", ())


def test_filters_by_type(spm: Tokenizer) -> None:
    assert texts(spm, VocabFilter(types=frozenset({2, 5}))) == [b"<unk>", b"<unused0>"]
    assert len(texts(spm, VocabFilter(types=frozenset({6})))) == 256


def test_a_type_means_what_llama_cpp_makes_of_it_too(tmp_path: Path) -> None:
    tok = tokcli.load(builders.tiny_bpe(tmp_path / "bpe.gguf"))

    # Typed NORMAL in the file, and taken for a control token.
    assert b"<|fim_middle|>" in texts(tok, VocabFilter(types=frozenset({3})))
    assert b"<|fim_middle|>" in texts(tok, VocabFilter(types=frozenset({1})))


def test_filters_by_text_and_pattern(spm: Tokenizer) -> None:
    assert texts(spm, VocabFilter(text=b" the")) == ["▁the".encode()]
    assert texts(spm, VocabFilter(text="▁the".encode())) == ["▁the".encode()]
    assert texts(spm, VocabFilter(pattern="^ th")) == ["▁the".encode(), "▁th".encode()]
    assert texts(spm, VocabFilter(pattern="^▁th")) == ["▁the".encode(), "▁th".encode()]
    assert texts(spm, VocabFilter(pattern=r"^\n$")) == [b"<0x0A>"]


def test_special_tokens_are_those_cut_out_and_those_with_a_role(spm: Tokenizer) -> None:
    assert texts(spm, VocabFilter(special=True)) == [
        b"<unk>", b"<s>", b"</s>", b"[INST]", b"<|endoftext|>", b"<|user|>", b"<|user|>x", b"\t\t",
    ]  # fmt: skip


def test_filters_combine_and_keep_the_order_of_ids(spm: Tokenizer) -> None:
    ids = (range(300, 301), range(5), range(2, 3))

    assert list(select_ids(spm, VocabFilter(ids=ids))) == [300, 0, 1, 2, 3, 4]
    assert list(select_ids(spm, VocabFilter(ids=ids, types=frozenset({3}), limit=1))) == [1]
    assert list(select_ids(spm, VocabFilter(limit=0))) == []


def test_a_pattern_that_is_no_regex_is_a_usage_error(spm: Tokenizer) -> None:
    with pytest.raises(UsageError, match=r"--match: 'x\(' is no regular expression"):
        select_ids(spm, VocabFilter(pattern="x("))


def test_a_pattern_that_never_ends_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokcli.listing.vocab_rows.MATCH_SECONDS", 0.05)
    path = builders.write_vocab(
        tmp_path / "a.gguf", model="rwkv", tokens=["<s>", "a" * 60 + "b"], types=[3, 1]
    )

    with pytest.raises(UsageError, match=r"takes more than 0\.05 s on token 1"):
        list(select_ids(tokcli.load(path), VocabFilter(pattern=r"^(a|a|aa)+$")))
