"""Hugging Face's tokenizer with the tokens, merges and regex of a GGUF file."""

from __future__ import annotations

from typing import Any

from tokcli.pretokenizer_table import PRE_TOKENIZERS, REGEXES
from tokcli.vocab import CONTROL, USER_DEFINED, Vocab

__all__ = ["build"]


def build(vocab: Vocab) -> Any:
    """A `tokenizers.Tokenizer` for a byte-level BPE vocabulary, without normalizer or template."""
    from tokenizers import AddedToken, Regex, Tokenizer, models, pre_tokenizers

    ids = {text.decode(): id for id, text in enumerate(vocab.texts)}
    merges = []
    for merge in vocab.merges:
        left, _, right = merge.decode().partition(" ")
        if left in ids and right in ids and left + right in ids:
            merges.append((left, right))
    rules = PRE_TOKENIZERS[vocab.pre]
    tokenizer = Tokenizer(models.BPE(vocab=ids, merges=merges, ignore_merges=rules.ignore_merges))
    splits = [
        pre_tokenizers.Split(Regex(pattern), behavior="isolated")
        for pattern in REGEXES[rules.regexes]
    ]
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*splits, byte_level])
    special = [
        AddedToken(text.decode(), special=True, normalized=False)
        for id, text in enumerate(vocab.texts)
        if vocab.attr(id) & (CONTROL | USER_DEFINED)
    ]
    tokenizer.add_special_tokens(special)
    return tokenizer
