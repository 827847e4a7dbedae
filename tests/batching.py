"""Has the batches of tokcli.batch do what they otherwise leave to short ways for short text."""

from __future__ import annotations

import pytest

from tokcli.algorithms import bpe, rwkv, spm, ugm
from tokcli.batch import merges
from tokcli.batch import rwkv as rwkv_batch
from tokcli.batch import ugm as ugm_batch
from tokcli.merging import few_merges

__all__ = ["always_together"]


def always_together(patch: pytest.MonkeyPatch) -> None:
    """Work on words and places together, however few they are."""
    for algorithm in (bpe, spm, ugm):
        patch.setattr(algorithm, "LONG_TEXT", 0)
    patch.setattr(few_merges, "SHORT_TEXT", -1)
    patch.setattr(bpe, "MANY_WORDS", 0)
    patch.setattr(rwkv, "SHORTEST_BATCH", 0)
    patch.setattr(rwkv_batch, "FEW_PIECES", 1)
    patch.setattr(ugm_batch, "FEWEST", 1)
    patch.setattr(merges, "FEWEST", 0)
    patch.setattr(merges, "MERGES_FOR_A_WORD", 1 << 60)
