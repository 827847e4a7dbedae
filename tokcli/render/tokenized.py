"""What the renderers of `tokcli tokenize` get, and what they have in common."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from tokcli.render.terminal import visible

if TYPE_CHECKING:
    from tokcli.prompt_warnings import PromptWarning
    from tokcli.token_spans import TokenSpan

__all__ = ["Renderer", "Tokenized", "heading", "name_bytes"]


class Tokenized(NamedTuple):
    """The tokens of one input. `spans`, to go through once, is None unless the renderer
    `needs_spans`; `file` and `line` say which input, where there are several."""

    ids: list[int]
    spans: Iterable[TokenSpan] | None
    warnings: list[PromptWarning]
    file: str | None
    line: int | None


class Renderer(Protocol):
    """Prints results as they come."""

    needs_spans: bool

    def add(self, result: Tokenized) -> None:
        """Print one result."""
        ...

    def finish(self) -> None:
        """Print what comes after the last one."""
        ...


def name_bytes(file: str | None, terminal: bool) -> bytes:
    """A file's name as it may be printed: its own bytes, made visible on a terminal."""
    name = file or "-"
    return visible(name).encode() if terminal else os.fsencode(name)


def heading(result: Tokenized, terminal: bool) -> bytes:
    """The line above the tokens of one file among several."""
    count = len(result.ids)
    tokens = b"1 token" if count == 1 else b"%d tokens" % count
    return b"==> %s: %s <==\n" % (name_bytes(result.file, terminal), tokens)
