"""Writes a vocabulary as a GGUF file without tensors that llama.cpp loads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gguf

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)

# llama.cpp loads nothing without a model's shape.
SHAPE: Mapping[str, int | float] = {
    "block_count": 1,
    "context_length": 32,
    "embedding_length": 32,
    "feed_forward_length": 32,
    "attention.head_count": 1,
    "attention.layer_norm_rms_epsilon": 1e-6,
}


def write_vocab(
    path: Path,
    *,
    model: str,
    tokens: Sequence[str | bytes] | None,
    types: Sequence[int] | None = None,
    scores: Sequence[float] | Sequence[int] | None = None,
    merges: Sequence[str] | None = None,
    architecture: str = "llama",
    **settings: Any,
) -> Path:
    """Write a vocabulary to `path` and return `path`.

    `settings` are further keys under "tokenizer.ggml.", or whole keys when they begin with
    "general." or "tokenizer."; bool, int (u32), float (f32), str, bytes (array of u8) and lists
    of one type say what is written.
    """
    writer = gguf.GGUFWriter(path, architecture)
    for key, value in SHAPE.items():
        _add(writer, f"{architecture}.{key}", value)
    columns = {
        "model": model,
        "tokens": tokens,
        "token_type": types,
        "scores": scores,
        "merges": merges,
    }
    for key, value in (columns | settings).items():
        whole = key.startswith(("general.", "tokenizer."))
        _add(writer, key if whole else f"tokenizer.ggml.{key}", value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    return path


def _add(writer: gguf.GGUFWriter, key: str, value: Any) -> None:
    kinds = {
        bool: gguf.GGUFValueType.BOOL,
        int: gguf.GGUFValueType.UINT32,
        float: gguf.GGUFValueType.FLOAT32,
        str: gguf.GGUFValueType.STRING,
    }
    if value is not None:
        kind = kinds.get(type(value), gguf.GGUFValueType.ARRAY)
        writer.add_key_value(key, list(value) if isinstance(value, tuple) else value, kind)
