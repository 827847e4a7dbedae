"""A tokenizer whose text tokens are single bytes, over a real vocabulary of a few specials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tokcli.gguf_metadata import Metadata, make_entry
from tokcli.loading.vocab_loader import load_vocab
from tokcli.partition import Partitioner, SpecialFragment
from tokcli.vocab import Vocab, VocabType

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)


class FakeTokenizer:
    """Cuts special tokens out as llama.cpp does, and makes one id (1000 + value) of a byte."""

    def __init__(self, vocab: Vocab) -> None:
        self.vocab = vocab
        self._partitioner = Partitioner(vocab)

    def tokenize(
        self, text: str | bytes, *, add_special: bool = True, parse_special: bool = True
    ) -> list[int]:
        data = text.encode() if isinstance(text, str) else text
        ids: list[int] = []
        wpm = self.vocab.type is VocabType.WPM
        bos, eos = self.vocab.special["bos"].id, self.vocab.special["eos"].id
        if add_special and bos is not None and (wpm or self.vocab.flag("add_bos")):
            ids.append(bos)
        for fragment in self._partitioner.partition(data, parse_special):
            if isinstance(fragment, SpecialFragment):
                ids.append(fragment.id)
            else:
                ids.extend(1000 + byte for byte in data[fragment.start : fragment.end])
        if add_special and eos is not None and self.vocab.flag("add_eos"):
            ids.append(eos)
        return ids

    def piece(self, id: int, *, special: bool = True) -> bytes:
        return self.vocab.texts[id]


def fake_tokenizer(tokens: Sequence[str], types: Sequence[int], **keys: object) -> FakeTokenizer:
    """A tokenizer of `tokens`; keys go under tokenizer.ggml."""
    values: dict[str, object] = {
        "general.architecture": "llama",
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": list(tokens),
        "tokenizer.ggml.token_type": list(types),
        **{f"tokenizer.ggml.{key}": value for key, value in keys.items()},
    }
    return FakeTokenizer(load_vocab(metadata(values)))


def metadata(values: Mapping[str, object]) -> Metadata:
    """Metadata as a file with these plain values has it."""
    entries = {key: make_entry(key, value) for key, value in values.items()}
    return Metadata(entries, path="test.gguf")
