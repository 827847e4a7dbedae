"""A rendering next to the tokenizer that reads it: what the verdict and its findings look at."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import Protocol

from tokcli.chat.render import Rendering
from tokcli.chat.visible import visible
from tokcli.errors import TemplateError
from tokcli.partition import Partitioner, SpecialFragment
from tokcli.vocab import TokenId, Vocab

__all__ = ["Prompt", "TokenizerLike"]

BLOCK = 4096


class TokenizerLike(Protocol):
    """What of a Tokenizer is needed here."""

    @property
    def vocab(self) -> Vocab:
        """The vocabulary."""

    def tokenize(
        self, text: str | bytes, *, add_special: bool = True, parse_special: bool = True
    ) -> list[TokenId]:
        """The ids of `text`."""

    def piece(self, id: TokenId, *, special: bool = True) -> bytes:
        """The bytes of a token."""


class Prompt:
    """The bytes of a rendering, and where in them the vocabulary's special tokens are."""

    def __init__(self, rendering: Rendering, tokenizer: TokenizerLike) -> None:
        self.rendering = rendering
        self.tokenizer = tokenizer
        self.vocab = tokenizer.vocab
        try:
            # A lone surrogate stands for a byte of a template that is not UTF-8.
            self.data = rendering.text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError as exc:
            half = ord(rendering.text[exc.start])
            raise TemplateError(
                f"the rendering has half of a surrogate pair, U+{half:04X}, at character"
                f" {exc.start}: no bytes stand for it"
            ) from exc

    @cached_property
    def partitioner(self) -> Partitioner:
        """Finds the special tokens of the vocabulary."""
        return Partitioner(self.vocab)

    @cached_property
    def specials(self) -> dict[int, SpecialFragment]:
        """The special tokens of the rendering, by the byte they start at."""
        return {fragment.start: fragment for fragment in self.special_in(self.data)}

    def special_in(self, data: bytes) -> list[SpecialFragment]:
        """The special tokens of some other text, in order."""
        fragments = self.partitioner.partition(data, parse_special=True)
        return [f for f in fragments if isinstance(f, SpecialFragment)]

    def special_at(self, byte: int) -> SpecialFragment | None:
        """The special token that starts at `byte`."""
        return self.specials.get(byte)

    @cached_property
    def _blocks(self) -> list[int]:
        """The byte at which each block of BLOCK characters starts."""
        text, starts = self.rendering.text, [0]
        for start in range(0, len(text), BLOCK):
            block = text[start : start + BLOCK].encode("utf-8", "surrogateescape")
            starts.append(starts[-1] + len(block))
        return starts

    def byte(self, character: int) -> int:
        """The byte offset of a character of the rendering."""
        block = character // BLOCK
        text = self.rendering.text[block * BLOCK : character]
        return self._blocks[block] + len(text.encode("utf-8", "surrogateescape"))

    def character(self, byte: int) -> int:
        """The character of the rendering that starts at a byte."""
        block = bisect_right(self._blocks, byte) - 1
        data = self.data[self._blocks[block] : byte]
        return min(block * BLOCK, len(self.rendering.text)) + len(
            data.decode("utf-8", "surrogateescape")
        )

    def text_of(self, id: TokenId) -> str:
        """A token's text, made visible."""
        return visible(self.tokenizer.piece(id).decode("utf-8", "surrogateescape"))
