"""Short ways to load a small vocabulary and to read ids as token texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tokcli
from tests.gguf_files import BYTE, write_vocab
from tokcli.tokenizer import Tokenizer

BYTE_TOKENS = [f"<0x{byte:02X}>" for byte in range(256)]


def small(folder: Path, model: str, tokens: list[Any], **fields: Any) -> Tokenizer:
    """The tokenizer of a vocabulary written from its columns (see gguf_files.write_vocab)."""
    return tokcli.load(write_vocab(folder / "small.gguf", model=model, tokens=tokens, **fields))


def with_bytes(tokens: list[Any], types: list[int] | None = None) -> tuple[list[Any], list[int]]:
    """`tokens` and their types (NORMAL unless given) with the 256 byte tokens behind them."""
    return tokens + BYTE_TOKENS, (types or [1] * len(tokens)) + [BYTE] * 256


def texts(
    tokenizer: Tokenizer,
    text: str | bytes,
    *,
    add_special: bool = False,
    parse_special: bool = False,
) -> list[str]:
    """The texts of the tokens of `text`; "-1" for llama.cpp's "no token"."""
    ids = tokenizer.tokenize(text, add_special=add_special, parse_special=parse_special)
    return ["-1" if id < 0 else shown(tokenizer.vocab.texts[id]) for id in ids]


def shown(text: bytes) -> str:
    """`text` as a str, bytes that are not UTF-8 escaped."""
    return text.decode("utf-8", "backslashreplace")
