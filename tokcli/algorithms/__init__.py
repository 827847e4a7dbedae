"""One file for each way of turning text into tokens; `create` picks by vocabulary type."""

from __future__ import annotations

from tokcli.algorithms.base import Algorithm
from tokcli.errors import VocabError
from tokcli.vocab import Vocab, VocabType

__all__ = ["Algorithm", "create"]


def create(vocab: Vocab) -> Algorithm:
    """The algorithm of this vocabulary. Only the module it needs is imported.

    Raises VocabError for a file without a tokenizer, or whose tokens do not suffice.
    """
    if vocab.type == VocabType.SPM:
        from tokcli.algorithms.spm import Spm

        return Spm(vocab)
    if vocab.type == VocabType.BPE:
        from tokcli.algorithms.bpe import Bpe

        if vocab.model == "hybriddna":
            from tokcli.algorithms.hybriddna import HybridDna

            return HybridDna(vocab)
        return Bpe(vocab)
    if vocab.type == VocabType.WPM:
        from tokcli.algorithms.wpm import Wpm

        return Wpm(vocab)
    if vocab.type == VocabType.UGM:
        from tokcli.algorithms.ugm import Ugm

        return Ugm(vocab)
    if vocab.type == VocabType.RWKV:
        from tokcli.algorithms.rwkv import Rwkv

        return Rwkv(vocab)
    if vocab.type in (VocabType.PLAMO2, VocabType.PLAMO3):
        from tokcli.algorithms.plamo import Plamo

        return Plamo(vocab)
    if vocab.type == VocabType.TEST:
        from tokcli.algorithms.hashed import Hashed

        return Hashed(vocab)
    raise VocabError(
        f"tokenizer.ggml.model is '{vocab.model}': the file says that it has no tokenizer"
    )
