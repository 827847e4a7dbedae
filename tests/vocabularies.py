"""The vocabularies with recorded answers: tiny ones of every type, and the built-in one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests import builders

BUILT_IN = Path(__file__).resolve().parent.parent / "tokcli" / "data" / "gpt-2.gguf"

Factory = Callable[..., Path]

_VOCABULARIES: dict[str, tuple[Factory, dict[str, Any]]] = {
    "spm": (builders.tiny_spm, {}),
    "spm-eos-only": (
        builders.tiny_spm,
        {"add_bos_token": False, "add_eos_token": True, "add_space_prefix": False},
    ),
    "spm-clean-spaces": (builders.tiny_spm, {"clean_spaces": True}),
    "spm-phi-3-name": (builders.tiny_spm, {"general.name": "A Phi-3 of sorts"}),
    "bpe-gpt-2": (builders.tiny_bpe, {}),
    "bpe-no-pre": (builders.tiny_bpe, {"pre": None, "add_bos_token": True, "add_eos_token": True}),
    "bpe-llama3": (builders.tiny_bpe, {"pre": "llama-bpe"}),
    "bpe-qwen2": (builders.tiny_bpe, {"pre": "qwen2", "add_space_prefix": True}),
    "bpe-jina-v2-code": (builders.tiny_bpe, {"pre": "jina-v2-code"}),
    "bpe-tekken": (builders.tiny_bpe, {"pre": "tekken"}),
    "bpe-metaspace-first": (builders.tiny_bpe, {"metaspace.prepend_scheme": "first"}),
    "bpe-kimi-k2-no-merges": (builders.tiny_bpe, {"pre": "kimi-k2", "merges": None}),
    # llama.cpp aborts on spaces here.
    "bpe-whitespace-pre": (builders.tiny_raw_bpe, {"model": "gpt2", "pre": "whitespace"}),
    "gemma4": (builders.tiny_raw_bpe, {}),
    "mmbert": (builders.tiny_raw_bpe, {"model": "gpt2", "pre": "mmbert"}),
    "sarvam-moe": (builders.tiny_raw_bpe, {"model": "gpt2", "pre": "sarvam-moe"}),
    "soprano": (builders.tiny_soprano, {}),
    "soprano-no-unknown": (builders.tiny_soprano, {"unknown_token_id": None}),
    "hybriddna": (builders.tiny_hybriddna, {}),
    "hybriddna-auto-tags": (builders.tiny_hybriddna, {"dna_auto_tags": True}),
    "whitespace": (builders.tiny_whitespace, {}),
    "whitespace-lowercase": (builders.tiny_whitespace, {"normalizer.lowercase": True}),
    "wpm": (builders.tiny_wpm, {}),
    "wpm-cased": (builders.tiny_wpm, {"normalizer.lowercase": False}),
    "ugm": (builders.tiny_ugm, {}),
    "ugm-charsmap": (builders.tiny_ugm_charsmap, {}),
    "ugm-nfc": (builders.tiny_ugm, {"normalizer.nfc": True, "add_space_prefix": True}),
    "rwkv": (builders.tiny_rwkv, {}),
    "plamo2": (builders.tiny_plamo2, {}),
    "plamo2-bos-eos": (builders.tiny_plamo2, {"add_bos_token": True, "add_eos_token": True}),
    "plamo3": (builders.tiny_plamo3, {}),
    "test": (builders.tiny_test, {}),
}
# llama.cpp aborts when a model without a vocabulary is asked anything: nothing can be recorded.
TINY = tuple(_VOCABULARIES)
ALL = (*TINY, "built-in")


def path_of(name: str, folder: Path) -> Path:
    """The file of vocabulary `name`, written into `folder` unless it is the built-in one."""
    if name == "built-in":
        return BUILT_IN
    factory, overrides = _VOCABULARIES[name]
    return factory(folder / f"{name}.gguf", **overrides)
