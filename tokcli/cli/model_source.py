"""From -m, --override-kv and --pre to a loaded tokenizer, the same way for every command."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tokcli.errors import UsageError
from tokcli.tokenizer import Tokenizer, load

__all__ = ["load_tokenizer", "model_from_environment", "overrides_from", "parse_overrides"]

MODEL_VARIABLE = "TOKCLI_MODEL"
PRE_KEY = "tokenizer.ggml.pre"
# Limits of llama.cpp's llama_model_kv_override.
MAX_KEY = 127
MAX_TEXT = 127


def model_from_environment() -> str | None:
    """The model that $TOKCLI_MODEL names, if it does."""
    return os.environ.get(MODEL_VARIABLE) or None


def load_tokenizer(
    model: str | None, override_kv: Sequence[str] | None = None, pre: str | None = None
) -> Tokenizer:
    """The tokenizer of the file `model` (None: the built-in vocabulary), overrides applied.

    Raises UsageError for a malformed override or an unknown pre-tokenizer, GgufError or
    VocabError for a file that is not usable.
    """
    if pre is not None:
        _check_pre(pre)
    return load(model, overrides_from(override_kv, pre))


def overrides_from(override_kv: Sequence[str] | None, pre: str | None) -> dict[str, object]:
    """Plain values by key out of --override-kv and --pre, of which --pre wins.

    The pre-tokenizer need not exist: what llama.cpp makes of that is for the caller to say.

    Raises UsageError for a malformed override.
    """
    overrides = parse_overrides(override_kv or ())
    return overrides if pre is None else {**overrides, PRE_KEY: pre}


def parse_overrides(arguments: Sequence[str]) -> dict[str, object]:
    """Plain values by key out of KEY=TYPE:VALUE arguments, each one or several by commas.

    As common_arg --override-kv in llama.cpp takes them, but a number must be one.

    >>> parse_overrides(["a.b=int:3,c=str:x"])
    {'a.b': 3, 'c': 'x'}

    Raises UsageError.
    """
    return dict(_override(item) for argument in arguments for item in _split(argument))


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


def _override(item: str) -> tuple[str, object]:
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
        return key, int(text) if kind == "int" else float(text)
    except ValueError:
        article = "an" if kind == "int" else "a"
        raise UsageError(f"--override-kv {item}: '{text}' is not {article} {kind}") from None


def _check_pre(name: str) -> None:
    from tokcli.pretokenizer_table import PRE_TOKENIZERS

    if name and name not in PRE_TOKENIZERS:
        import difflib

        near = difflib.get_close_matches(name, PRE_TOKENIZERS, n=3)
        hint = f"; near it: {', '.join(near)}" if near else ""
        raise UsageError(f"--pre {name}: llama.cpp has no pre-tokenizer of that name{hint}")
