"""`tokcli tokenize --format table`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tokcli.listing.token_roles import type_name
from tokcli.render.stream_table import Column, print_table
from tokcli.render.tokenized import Tokenized, heading
from tokcli.text.byte_escapes import escape

if TYPE_CHECKING:
    from tokcli.tokenizer import Tokenizer

__all__ = ["TokenTable"]

COLUMNS = (
    Column("start", 6, right=True),
    Column("end", 6, right=True),
    Column("id", 6, right=True, style="cyan"),
    Column("piece", 22, most=48, style="green"),
    Column("bytes", 24, most=48, style="dim"),
    Column("type", 12, style="yellow"),
)


class TokenTable:
    """A row for each token: where it lies in the input, id, piece, bytes, type."""

    needs_spans = True

    def __init__(
        self, tokenizer: Tokenizer, *, color: str, files: bool = False, show_count: bool = False
    ) -> None:
        """files: several files, each with a heading, and a total."""
        self.tokenizer = tokenizer
        self.color = color
        self.files = files
        self.show_count = show_count
        self.total = 0
        self.n_results = 0

    def add(self, result: Tokenized) -> None:
        """Print one result."""
        if self.files:
            blank = b"\n" if self.n_results else b""
            self._write(blank + heading(result, terminal=True))
        print_table(COLUMNS, self._rows(result), self.color)
        self.total += len(result.ids)
        self.n_results += 1

    def finish(self) -> None:
        """Print the total where it was asked for, or there are several files."""
        blank = b"\n" if self.files else b""
        if self.files or self.show_count:
            self._write(blank + b"Total number of tokens: %d\n" % self.total)

    def _rows(self, result: Tokenized) -> Iterator[Sequence[str]]:
        assert result.spans is not None
        for id, start, end in result.spans:
            piece = self.tokenizer.piece(id)
            yield (
                "added" if start is None else str(start),
                "" if end is None else str(end),
                str(id),
                f"'{escape(piece)}'",
                piece.hex(),
                type_name(self.tokenizer.vocab.type_of(id)),
            )

    def _write(self, data: bytes) -> None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
