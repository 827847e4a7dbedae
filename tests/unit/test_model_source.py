from __future__ import annotations

import pytest

from tokcli.cli.model_source import load_tokenizer
from tokcli.errors import VocabError


def test_overrides_and_pre_reach_the_tokenizer() -> None:
    tokenizer = load_tokenizer(None, ["tokenizer.ggml.add_bos_token=bool:true"], "llama-bpe")

    assert tokenizer.vocab.flag("add_bos")
    assert tokenizer.vocab.pre == "llama-bpe"


def test_pre_wins_over_an_override_of_its_key() -> None:
    assert load_tokenizer(None, ["tokenizer.ggml.pre=str:mpt"], "falcon").vocab.pre == "falcon"


def test_an_unknown_pre_tokenizer_by_override_is_the_files_fault() -> None:
    with pytest.raises(VocabError, match="unknown pre-tokenizer"):
        load_tokenizer(None, ["tokenizer.ggml.pre=str:nonsense"])
