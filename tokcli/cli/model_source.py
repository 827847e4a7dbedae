"""From -m, --override-kv and --pre to a loaded tokenizer, the same way for every command."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from tokcli.cli.overrides import read_overrides
from tokcli.cli.report import report_warning
from tokcli.errors import UsageError
from tokcli.tokenizer import Tokenizer, load

__all__ = ["load_tokenizer", "model_from_environment"]

MODEL_VARIABLE = "TOKCLI_MODEL"


def model_from_environment() -> str | None:
    """The model that $TOKCLI_MODEL names, if it does."""
    return os.environ.get(MODEL_VARIABLE) or None


def load_tokenizer(
    model: str | None,
    override_kv: Sequence[str] | None = None,
    pre: str | None = None,
    warn: Callable[[str], None] = report_warning,
) -> Tokenizer:
    """The tokenizer of the file `model` (None: the built-in vocabulary), overrides applied.

    `warn` hears of overrides that llama.cpp would not heed.

    Raises UsageError for a malformed override or an unknown pre-tokenizer, GgufError or
    VocabError for a file that is not usable.
    """
    if pre is not None:
        _check_pre(pre)
    return load(model, read_overrides(override_kv, pre, warn))


def _check_pre(name: str) -> None:
    from tokcli.pretokenizer_table import PRE_TOKENIZERS

    if name and name not in PRE_TOKENIZERS:
        import difflib

        near = difflib.get_close_matches(name, PRE_TOKENIZERS, n=3)
        hint = f"; near it: {', '.join(near)}" if near else ""
        raise UsageError(f"--pre {name}: llama.cpp has no pre-tokenizer of that name{hint}")
