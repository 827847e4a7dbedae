"""Key names and numbers of ours against the gguf package, which the engine does not import."""

from __future__ import annotations

from pathlib import Path

import gguf
import pytest

from tests import builders
from tokcli.gguf_metadata import Entry, Metadata, read_metadata
from tokcli.loading.special_tokens import SLOT_KEYS
from tokcli.loading.vocab_loader import load_vocab
from tokcli.vocab import TokenType

# Names that the gguf package knows and llama.cpp's tokenizer does not read; "{name}" is a pattern.
NOT_THE_VOCABULARY_S = {
    "tokenizer.ggml.cls_token_id",
    "tokenizer.huggingface.json",
    "tokenizer.rwkv.world",
    "tokenizer.chat_template",
    "tokenizer.chat_template.{name}",
    "tokenizer.chat_templates",
}
# Names that llama.cpp b12211 reads and the gguf package does not know.
NEWER = {
    "tokenizer.ggml.clean_spaces",
    "tokenizer.ggml.dna_auto_tags",
    "tokenizer.ggml.metaspace.prepend_scheme",
    "tokenizer.ggml.normalizer.lowercase",
    "tokenizer.ggml.normalizer.nfc",
    "tokenizer.ggml.normalizer.strip_accents",
    "tokenizer.ggml.suppress_tokens",
}


def keys_of_gguf() -> set[str]:
    names = vars(gguf.Keys.Tokenizer)
    return {value for name, value in names.items() if not name.startswith("_")}


class Listening(Metadata):
    """Remembers which keys it was asked for."""

    asked: set[str]

    def get(self, key: str, default: object = None) -> Entry | None:  # type: ignore[override]
        self.asked.add(key)
        return super().get(key)


def test_loading_reads_the_keys_that_gguf_names(tmp_path: Path) -> None:
    asked: set[str] = set()
    for factory in (builders.tiny_bpe, builders.tiny_ugm_charsmap):
        metadata = Listening(dict(read_metadata(factory(tmp_path / "a.gguf"))), path="")
        metadata.asked = asked
        load_vocab(metadata)

    asked = {key for key in asked if key.startswith("tokenizer.")}
    assert asked - NEWER == keys_of_gguf() - NOT_THE_VOCABULARY_S - NEWER
    assert asked >= NEWER


def test_slots_are_named_by_keys_of_gguf() -> None:
    ours = {key for keys in SLOT_KEYS.values() for key in keys}

    assert ours == {key for key in keys_of_gguf() if key.endswith("_id")} - NOT_THE_VOCABULARY_S


@pytest.mark.parametrize("kind", list(gguf.TokenType))
def test_token_types(kind: gguf.TokenType) -> None:
    assert TokenType[kind.name].value == kind.value
