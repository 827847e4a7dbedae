"""tokcli detokenize (being written)."""

from __future__ import annotations
from tokcli.cli.options import Debug


def detokenize(debug: Debug = False) -> int:
    """Detokenize."""
    raise ValueError("x\ny")
