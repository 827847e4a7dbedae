"""What each `tokenizer.ggml.model` name implies: data only.

Source: llama_vocab::impl::load in llama.cpp b12211.
"""

from __future__ import annotations

from typing import NamedTuple

from tokcli.vocab import TokenId, VocabType

__all__ = ["MODELS", "ModelRules"]


class ModelRules(NamedTuple):
    """What a `tokenizer.ggml.model` name implies."""

    type: VocabType
    ids: dict[str, TokenId]
    add_bos: bool = False
    add_eos: bool = False
    add_sep: bool = False
    add_space_prefix: bool = False
    clean_spaces: bool = False


_BPE = ModelRules(VocabType.BPE, {"bos": 11, "eos": 11})
_PLAMO_IDS = {"bos": 1, "eos": 2, "unk": 0, "pad": 3}
_NONE = ModelRules(VocabType.NONE, {})
MODELS: dict[str, ModelRules] = {
    "no_vocab": _NONE,
    "none": _NONE,
    "llama": ModelRules(
        VocabType.SPM, {"bos": 1, "eos": 2, "unk": 0}, add_bos=True, add_space_prefix=True
    ),
    "bert": ModelRules(
        VocabType.WPM,
        {"bos": 101, "unk": 100, "sep": 102, "pad": 0, "mask": 103},
        add_bos=True,
        add_sep=True,
        clean_spaces=True,
    ),
    "gpt2": _BPE,
    "hybriddna": _BPE,
    "whitespace": _BPE,
    "gemma4": ModelRules(VocabType.BPE, {}),
    "t5": ModelRules(VocabType.UGM, {"eos": 1, "unk": 2, "pad": 0}, add_eos=True),
    "rwkv": ModelRules(VocabType.RWKV, {}),
    "plamo2": ModelRules(VocabType.PLAMO2, _PLAMO_IDS),
    "plamo3": ModelRules(VocabType.PLAMO3, _PLAMO_IDS),
    "test": ModelRules(VocabType.TEST, {}),
}
