from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests import builders
from tests.asking import small, with_bytes
from tests.gguf_files import CONTROL, NORMAL
from tokcli import GgufError, VocabError, load
from tokcli.gguf_metadata import read_metadata
from tokcli.loading.model_rules import MODELS
from tokcli.pretokenizer_table import PRE_TOKENIZERS
from tokcli.tokenizer import Tokenizer
from tokcli.vocab import Provenance, TokenAttr, VocabType

TEN = [f"t{number}" for number in range(12)]


def tiny(folder: Path, model: str = "llama", **fields: Any) -> Tokenizer:
    tokens, types = with_bytes(TEN)
    return small(folder, model, tokens, **({"types": types} | fields))


@pytest.mark.parametrize(
    ("model", "type", "label"),
    [
        ("llama", VocabType.SPM, "SPM"),
        ("bert", VocabType.WPM, "WPM"),
        ("gpt2", VocabType.BPE, "BPE"),
        ("hybriddna", VocabType.BPE, "BPE"),
        ("whitespace", VocabType.BPE, "BPE"),
        ("gemma4", VocabType.BPE, "BPE"),
        ("t5", VocabType.UGM, "UGM"),
        ("rwkv", VocabType.RWKV, "RWKV"),
        ("plamo2", VocabType.PLAMO2, "PLaMo2"),
        ("plamo3", VocabType.PLAMO3, "PLaMo3"),
        ("test", VocabType.TEST, "TEST"),
    ],
)
def test_model_names(tmp_path: Path, model: str, type: VocabType, label: str) -> None:
    types = [NORMAL] * 268 if model == "bert" else None
    fields: dict[str, Any] = {"types": types} if types else {}

    vocab = tiny(tmp_path, model, pre="gpt-2", merges=["a b"], **fields).vocab

    assert (vocab.type, vocab.type.label, vocab.model) == (type, label, model)
    assert len(vocab) == vocab.n_tokens == 268


@pytest.mark.parametrize("model", ["no_vocab", "none"])
def test_no_vocabulary(tmp_path: Path, model: str) -> None:
    tokenizer = load(builders.tiny_none(tmp_path / "none.gguf", model=model))

    assert tokenizer.vocab.type == VocabType.NONE
    assert tokenizer.vocab.type.label == "no vocab"
    with pytest.raises(VocabError, match="it has no tokenizer"):
        tokenizer.tokenize("a")


def test_each_pre_tokenizer_name_loads(tmp_path: Path) -> None:
    assert len(PRE_TOKENIZERS) == 98
    metadata = read_metadata(builders.tiny_bpe(tmp_path / "bpe.gguf"))

    for name, rules in PRE_TOKENIZERS.items():
        vocab = Tokenizer(metadata.with_overrides({"tokenizer.ggml.pre": name})).vocab
        assert vocab.pre == name
        assert vocab.flag("clean_spaces") == rules.clean_spaces
        assert vocab.flag("add_bos") == rules.add_bos


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"model": "Llama"}, "model is 'Llama', which llama.cpp does not know"),
        ({"model": 7}, r"model has type u32, llama.cpp expects str"),
        ({"model": "gpt2", "pre": "gpt2", "merges": ["a b"]}, r"'gpt2' .did the .* 'gpt-2'"),
        ({"model": "gpt2", "pre": "gpt-2"}, "merges is missing"),
        ({"model": "gpt2", "pre": "gpt-2", "merges": [1]}, r"merges has type arr\[i32\]"),
        ({"tokens": None}, "tokens is missing"),
        ({"tokens": ["a", "b", "a"], "types": None}, "tokens 0 and 2 have the same text 'a'"),
        # An empty text is named after its index, and a NUL ends a text.
        ({"tokens": ["[EMPTY_1]", ""], "types": None}, r"tokens 0 and 1 .*EMPTY_1"),
        ({"tokens": ["a\0b", "a"], "types": None}, "tokens 0 and 1 have the same text 'a'"),
        ({"types": [1, 1]}, "token_type has 2 values for 268 tokens"),
        ({"scores": [0.0]}, "scores has 1 values for 268 tokens"),
        ({"scores": ["a"]}, r"scores has type arr\[str\]"),
        ({"add_bos_token": 1}, "add_bos_token has type u32, llama.cpp expects bool"),
        ({"bos_token_id": True}, "bos_token_id has type bool, llama.cpp expects u32"),
        ({"clean_spaces": "yes"}, "clean_spaces has type str"),
        ({"metaspace.prepend_scheme": "First"}, "prepend_scheme .*'First'"),
        ({"metaspace.prepend_scheme": ""}, "prepend_scheme .*''"),
        (
            {"model": "gpt2", "merges": ["a b"], "metaspace.prepend_scheme": "always"},
            "not support for BPE",
        ),
        ({"model": "t5", "precompiled_charsmap": b"\1\0"}, "2 bytes long"),
        ({"model": "t5", "precompiled_charsmap": b"\x08\0\0\0\0\0\0\0"}, "claims a trie"),
        ({"general.name": "phi-3"}, "no token '</s>'"),
        ({"suppress_tokens": ["a"]}, r"suppress_tokens has type arr\[str\]"),
    ],
)
def test_refused(tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    tokens, types = with_bytes(TEN)
    columns: dict[str, Any] = {"model": "llama", "tokens": tokens, "types": types}

    with pytest.raises(VocabError, match=message):
        load(builders.write_vocab(tmp_path / "bad.gguf", **(columns | fields)))


def test_a_file_without_tokenizer_and_a_later_shard(tmp_path: Path) -> None:
    path = builders.tiny_none(tmp_path / "none.gguf", model=None)

    with pytest.raises(VocabError, match=r"tokenizer\.ggml\.model is missing"):
        load(path)
    with pytest.raises(VocabError, match="shard 3 of a split model"):
        load(path, {"split.no": 2})


def test_defaults_by_type(tmp_path: Path) -> None:
    def enabled(model: str, **fields: Any) -> set[str]:
        settings = tiny(tmp_path, model, pre="gpt-2", merges=["a b"], **fields).vocab.settings
        return {name for name, setting in settings.items() if setting.value is True}

    assert enabled("llama") == {
        "add_bos", "add_space_prefix", "escape_whitespaces", "lowercase", "strip_accents"
    }  # fmt: skip
    assert enabled("bert", types=[NORMAL] * 268) == {
        "add_bos", "add_sep", "clean_spaces", "escape_whitespaces", "lowercase", "strip_accents"
    }  # fmt: skip
    assert enabled("t5") == {"add_eos", "escape_whitespaces", "lowercase", "strip_accents"}
    assert enabled("gpt2") == {"byte_encode", "clean_spaces", "lowercase", "strip_accents"}
    assert enabled("gemma4") == {"add_bos", "escape_whitespaces", "lowercase", "strip_accents"}
    assert enabled("rwkv") == {"escape_whitespaces", "lowercase", "strip_accents"}


def test_settings_say_where_they_come_from(tmp_path: Path) -> None:
    settings = tiny(
        tmp_path,
        "gpt2",
        pre="llama-bpe",
        merges=["a b"],
        add_bos_token=False,
        **{"normalizer.lowercase": False},
    ).vocab.settings

    assert settings["add_bos"].value is False
    assert settings["add_bos"].source == Provenance("key", "tokenizer.ggml.add_bos_token")
    assert settings["ignore_merges"].value is True
    assert settings["ignore_merges"].source.kind == "pre"
    assert settings["add_eos"].source.kind == "type"
    # strip_accents follows lowercase unless its own key says otherwise.
    assert settings["strip_accents"].value is False


def test_gemma_forces_bos(tmp_path: Path) -> None:
    vocab = tiny(tmp_path, "gemma4", merges=["a b"], add_bos_token=False).vocab

    assert vocab.flag("add_bos")
    assert vocab.settings["add_bos"].source.kind == "forced"
    assert [note.code for note in vocab.notes if "bos" in note.code] == ["forced-bos"]


@pytest.mark.parametrize("pre", [None, "", "default"])
def test_a_missing_pre_tokenizer_means_default(tmp_path: Path, pre: str | None) -> None:
    vocab = tiny(tmp_path, "gpt2", merges=["a b"], pre=pre).vocab

    assert vocab.pre == "default"
    assert ("missing-pre" in [note.code for note in vocab.notes]) == (pre != "default")


def test_texts_end_at_a_nul(tmp_path: Path) -> None:
    vocab = small(tmp_path, "llama", ["a\0b", "\0", "", "x"]).vocab

    assert vocab.texts == [b"a", b"[EMPTY_1]", b"[EMPTY_2]", b"x"]
    assert vocab.raw_texts == [b"a\0b", b"\0", b"", b"x"]
    assert vocab.token_to_id[b"a"] == 0
    assert {"nul-in-token", "empty-token"} <= {note.code for note in vocab.notes}


def test_string_keys_end_at_a_nul(tmp_path: Path) -> None:
    vocab = tiny(tmp_path, "llama\0junk").vocab

    assert vocab.type == VocabType.SPM


def test_scores_may_be_whole_numbers_and_too_many(tmp_path: Path) -> None:
    vocab = small(tmp_path, "llama", ["a", "b"], scores=[1, -2, 3]).vocab

    assert [vocab.score(0), vocab.score(1)] == [1.0, -2.0]
    assert list(vocab.scores)[:2] == [1.0, -2.0]
    assert small(tmp_path, "llama", ["a"]).vocab.score(0) == 0.0


def test_unknown_types_have_no_attributes(tmp_path: Path) -> None:
    vocab = small(tmp_path, "llama", ["a", "b", "c"], types=[0, 99, 3]).vocab

    assert [vocab.attr(id) for id in range(3)] == [0, 0, TokenAttr.CONTROL]
    assert [vocab.type_of(id) for id in range(3)] == [0, 99, CONTROL]


def test_token_gathers_everything(tmp_path: Path) -> None:
    token = small(tmp_path, "llama", ["a", ""], scores=[0.0, -1.5], types=[1, 3]).vocab.token(1)

    assert token == (1, b"[EMPTY_1]", b"", -1.5, CONTROL, TokenAttr.CONTROL)


def test_suppressed_tokens_inside_the_vocabulary_count(tmp_path: Path) -> None:
    vocab = tiny(tmp_path, suppress_tokens=[3, 999, -1, 3]).vocab

    assert vocab.settings["suppress_tokens"].value == (3, 3)


def test_overrides_take_the_place_of_keys(tmp_path: Path) -> None:
    path = builders.tiny_bpe(tmp_path / "bpe.gguf")

    assert load(path, {"tokenizer.ggml.pre": "qwen2"}).vocab.pre == "qwen2"
    with pytest.raises(VocabError, match="has type u32"):
        load(path, {"tokenizer.ggml.pre": 1})
    with pytest.raises(GgufError, match="no GGUF type holds"):
        load(path, {"tokenizer.ggml.pre": None})


def test_every_model_name_has_rules() -> None:
    assert {rules.type for rules in MODELS.values()} == set(VocabType)
