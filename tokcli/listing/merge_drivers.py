"""What decides about tokens in a vocabulary that has no list of merges: data only."""

from __future__ import annotations

from tokcli.vocab import Vocab, VocabType

__all__ = ["driver"]

_DRIVERS: dict[VocabType, str] = {
    VocabType.BPE: "the list of merges is empty: text goes out as tokens of one character",
    VocabType.SPM: (
        "SPM has no list of merges: any two neighbours merge whose joined text is a token, the "
        "token with the best score first, the leftmost among equals; rank is the score's place"
    ),
    VocabType.WPM: (
        "WPM does not merge: in each word it takes the longest token that matches, then goes on "
        "behind it, and the unknown token stands for a word that cannot be covered"
    ),
    VocabType.UGM: (
        "UGM does not merge: of all ways to cut the text into tokens it takes the one with the "
        "best sum of scores (tokcli dump-vocab shows them)"
    ),
    VocabType.RWKV: (
        "RWKV does not merge: it takes the longest token that matches, then goes on behind it"
    ),
    VocabType.PLAMO2: (
        "PLaMo2 does not merge: of all ways to cut the text into tokens it takes the one with the "
        "best sum of scores (tokcli dump-vocab shows them)"
    ),
    VocabType.PLAMO3: (
        "PLaMo3 does not merge: of all ways to cut the text into tokens it takes the one with the "
        "best sum of scores (tokcli dump-vocab shows them)"
    ),
    VocabType.TEST: "TEST does not merge: each token is a hash of five bytes",
    VocabType.NONE: "the file says that it has no tokenizer",
}


def driver(vocab: Vocab) -> str | None:
    """What drives this vocabulary in place of merges; None where it has merges."""
    return None if vocab.merges else _DRIVERS[vocab.type]
