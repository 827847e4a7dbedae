"""Plain text for `tokcli tokenize`: llama-tokenize's two formats, pieces, and counts."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO

from tokcli.algorithms.base import NO_TOKEN
from tokcli.picking import picked
from tokcli.render.terminal import visible
from tokcli.render.tokenized import Tokenized, heading, name_bytes
from tokcli.text.byte_escapes import escape

if TYPE_CHECKING:
    from tokcli.tokenizer import Tokenizer

__all__ = ["Counts", "IdLists", "LlamaLines", "PieceLines", "TextRenderer"]

# Ids are put into text this many at a time, so that long inputs need no second copy of it all.
BATCH = 1 << 12


class TextRenderer:
    """Blocks of lines with a heading each when there are several files, and a total."""

    needs_spans = False

    def __init__(
        self,
        tokenizer: Tokenizer,
        output: BinaryIO,
        *,
        terminal: bool = False,
        files: bool = False,
        lines: bool = False,
        show_count: bool = False,
    ) -> None:
        """terminal: the output is one; files: several files, each a block; lines: each line of
        text is an input; show_count: end with llama-tokenize's line about the count."""
        self.tokenizer = tokenizer
        self.output = output
        self.terminal = terminal
        self.blocks = files and not lines
        self.lines = lines
        self.show_count = show_count
        self.total = 0
        self.n_results = 0

    def add(self, result: Tokenized) -> None:
        """Print one result."""
        if self.blocks:
            if self.n_results:
                self.output.write(b"\n")
            self.output.write(heading(result, self.terminal))
        self.write(result.ids)
        self.n_results += 1
        self.total += len(result.ids)

    def finish(self) -> None:
        """Print the total where it was asked for, or there are several files."""
        if self.blocks:
            self.output.write(b"\n")
        if self.blocks or self.show_count:
            self.output.write(b"Total number of tokens: %d\n" % self.total)

    def write(self, ids: list[int]) -> None:
        """Print the tokens of one input."""
        raise NotImplementedError


class LlamaLines(TextRenderer):
    """llama-tokenize's `%6d -> 'piece'`; it prints a piece up to its first NUL."""

    def write(self, ids: list[int]) -> None:
        """Print a line for each token."""
        known: dict[int, bytes] = {}
        for start in range(0, len(ids), BATCH):
            batch = ids[start : start + BATCH]
            for id in set(batch).difference(known):
                known[id] = b"%6d -> '%s'\n" % (id, self._shown(id))
            self.output.write(b"".join(picked(known, batch)))

    def _shown(self, id: int) -> bytes:
        piece = self.tokenizer.piece(id)
        if self.terminal:
            return visible(piece).encode()
        return piece.partition(b"\0")[0]


class IdLists(TextRenderer):
    """`[1, 2, 3]`, one list a line."""

    def __init__(self, tokenizer: Tokenizer, output: BinaryIO, **options: bool) -> None:
        super().__init__(tokenizer, output, **options)
        # One line an input needs no headings, and stays readable for programs.
        self.blocks = False

    @cached_property
    def _numerals(self) -> list[str]:
        """Each id in digits; the last stands for NO_TOKEN, which is -1."""
        return [*map(str, range(self.tokenizer.vocab.n_tokens)), str(NO_TOKEN)]

    def write(self, ids: list[int]) -> None:
        """Print the list."""
        # The numerals cost as much as so many ids.
        if len(ids) < self.tokenizer.vocab.n_tokens:
            self.output.write(b"%a\n" % ids)
            return
        write = self.output.write
        write(b"[")
        for start in range(0, len(ids), BATCH):
            if start:
                write(b", ")
            write(", ".join(picked(self._numerals, ids[start : start + BATCH])).encode())
        write(b"]\n")


class PieceLines(TextRenderer):
    """One piece a line, escaped so that it stays one; tab-separated where an input is a line."""

    def write(self, ids: list[int]) -> None:
        """Print the pieces, as lines or as one."""
        known: dict[int, bytes] = {}
        for id in ids:
            if id not in known:
                known[id] = escape(self.tokenizer.piece(id)).encode()
        if self.lines:
            self.output.write(b"\t".join([known[id] for id in ids]) + b"\n")
        else:
            self.output.write(b"".join([known[id] + b"\n" for id in ids]))


class Counts(TextRenderer):
    """The bare number; for several files, the numbers with the names and a total, as wc has it."""

    def __init__(self, tokenizer: Tokenizer, output: BinaryIO, **options: bool) -> None:
        super().__init__(tokenizer, output, **options)
        self._rows: list[tuple[int, bytes]] = []

    def add(self, result: Tokenized) -> None:
        """Print the number, or keep it until the widest is known."""
        count = len(result.ids)
        if self.blocks:
            self._rows.append((count, name_bytes(result.file, self.terminal)))
        else:
            self.output.write(b"%d\n" % count)

    def finish(self) -> None:
        """Print what was kept, and the total."""
        if not self.blocks:
            return
        rows = [*self._rows, (sum(count for count, _ in self._rows), b"total")]
        width = len(str(rows[-1][0]))
        for count, name in rows:
            self.output.write(b"%*d %s\n" % (width, count, name))
