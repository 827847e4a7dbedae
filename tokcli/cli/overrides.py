"""--override-kv and --pre: what they say, and what llama.cpp makes of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from tokcli.errors import UsageError
from tokcli.gguf_metadata import UINT32, Entry

__all__ = ["parse_overrides", "read_overrides"]

PRE_KEY = "tokenizer.ggml.pre"
# Limits of llama.cpp's llama_model_kv_override.
MAX_KEY = 127
MAX_TEXT = 127
MOST_INT = (1 << 63) - 1
U32 = (1 << 32) - 1
# Texts outside the tokenizer's own keys on which a vocabulary may depend.
GENERAL_KEYS = ("general.architecture", "general.name")
# GGUF type -> the type of override that llama.cpp takes for it; of arrays it takes none.
KINDS: dict[str, type] = {"u32": int, "bool": bool, "str": str}
NAMES = {int: "int", float: "float", bool: "bool", str: "str"}

Override = tuple[str, int | float | str]


def read_overrides(
    override_kv: Sequence[str] | None, pre: str | None, warn: Callable[[str], None]
) -> dict[str, object]:
    """Plain values by key, those that llama.cpp would heed; `warn` hears of the others.

    Of several for a key the first counts, and --pre before all. The file's value stays where the
    type is not the one that llama.cpp wants, and where it is an array. An int for a key of 32 bits
    is cut to so many, whatever type the file has there.
    Source: llama_model_loader and GGUFMeta in llama.cpp's src/llama-model-loader.cpp.

    Raises UsageError for what is no override.
    """
    heeded: dict[str, object] = {} if pre is None else {PRE_KEY: pre}
    seen: set[str] = set()
    for key, value in parse_overrides(override_kv or ()):
        if key == PRE_KEY and pre is not None:
            warn(f"--override-kv gives {key}, and so does --pre, which counts")
            continue
        if key in seen:
            warn(f"--override-kv gives {key} more than once; llama.cpp heeds the first")
            continue
        seen.add(key)
        wanted = _wanted(key)
        if wanted is not None and KINDS.get(wanted) is not type(value):
            warn(
                f"--override-kv gives {key} a value of type {NAMES[type(value)]}, and llama.cpp "
                f"takes {NAMES[KINDS[wanted]] if wanted in KINDS else 'none'} there: what the file "
                "says stays"
            )
        elif isinstance(value, int) and wanted == "u32":
            heeded[key] = Entry(UINT32, None, value & U32)
        else:
            heeded[key] = value
    return heeded


def _wanted(key: str) -> str | None:
    """The GGUF type that llama.cpp reads the key as; None for one that no vocabulary needs."""
    from tokcli.check.known_keys import KNOWN_KEYS

    return "str" if key in GENERAL_KEYS else KNOWN_KEYS.get(key, (None,))[0]


def parse_overrides(arguments: Sequence[str]) -> list[Override]:
    """Keys and plain values out of KEY=TYPE:VALUE arguments, each one or several by commas.

    As common_arg --override-kv in llama.cpp takes them, but a number must be one.

    >>> parse_overrides(["a.b=int:3,c=str:x"])
    [('a.b', 3), ('c', 'x')]

    Raises UsageError.
    """
    return [_override(item) for argument in arguments for item in _split(argument)]


def _split(argument: str) -> list[str]:
    """Split at commas outside double quotes, as llama.cpp's parse_csv_row does."""
    if '"' not in argument:
        return argument.split(",")
    items, item, quoted, index = [], "", False, 0
    while index < len(argument):
        char = argument[index]
        if char == '"':
            if not quoted and item:
                # Only at the start of a field does a quote open one.
                item += char
            elif not quoted:
                quoted = True
            elif argument[index + 1 : index + 2] == '"':
                item += '"'
                index += 1
            else:
                quoted = False
        elif char == "," and not quoted:
            items.append(item)
            item = ""
        else:
            item += char
        index += 1
    return [*items, item]


def _override(item: str) -> Override:
    key, equals, typed = item.partition("=")
    kind, colon, text = typed.partition(":")
    if not (key and equals and colon) or kind not in ("int", "float", "bool", "str"):
        raise UsageError(
            f"--override-kv {item}: not of the form KEY=TYPE:VALUE with a type of int, float, "
            "bool or str"
        )
    if len(os.fsencode(key)) > MAX_KEY:
        raise UsageError(f"--override-kv {item}: the key is longer than {MAX_KEY} bytes")
    if kind == "str":
        if len(os.fsencode(text)) > MAX_TEXT:
            raise UsageError(f"--override-kv {item}: the value is longer than {MAX_TEXT} bytes")
        return key, text
    if kind == "bool":
        if text not in ("true", "false"):
            raise UsageError(f"--override-kv {item}: a bool is true or false")
        return key, text == "true"
    try:
        # C's atol and atof know neither 1_0 nor the digits of other scripts.
        if text.isascii() and "_" not in text:
            return key, _clamped(int(text)) if kind == "int" else float(text)
    except ValueError:
        pass
    article = "an" if kind == "int" else "a"
    raise UsageError(f"--override-kv {item}: '{text}' is not {article} {kind}")


def _clamped(number: int) -> int:
    """The nearest number of 64 bits, as atol has it."""
    return max(-MOST_INT - 1, min(MOST_INT, number))
