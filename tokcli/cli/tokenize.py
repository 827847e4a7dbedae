"""tokcli tokenize (being written)."""

from __future__ import annotations
from tokcli.cli.options import Color, Debug, Model, OverrideKv, Pre


def tokenize(
    text: str,
    model: Model = None,
    override_kv: OverrideKv = None,
    pre: Pre = None,
    color: Color = "auto",
    debug: Debug = False,
) -> int:
    """Tokenize."""
    from tokcli.cli.model_source import load_tokenizer

    print(load_tokenizer(model, override_kv, pre).tokenize(text))
    return 0
