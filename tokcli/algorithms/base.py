"""What the tokenizer and the algorithms agree on."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from tokcli import events
from tokcli.vocab import TokenId

__all__ = ["LONG_TEXT", "NO_TOKEN", "Algorithm", "Fragment"]

# What llama.cpp puts where there is no token, not even an unknown one.
NO_TOKEN = -1
# Characters from which on numpy pays, in tokcli.batch.
LONG_TEXT = 1 << 18


class Fragment(NamedTuple):
    """A stretch of plain text to tokenize.

    `text`: its bytes; `start`: where they lie in the input; `first`: nothing, not even a special
    token, comes before it; `after_special`: it is first or follows a special token.
    """

    text: bytes
    start: int
    first: bool
    after_special: bool


class Algorithm(Protocol):
    """Turns fragments into tokens. State is read-only after construction, caches aside."""

    def tokenize(
        self, fragment: Fragment, output: list[TokenId], trace: events.TraceSink | None = None
    ) -> None:
        """Append the fragment's tokens to `output`, telling `trace` how they came about."""
        ...
