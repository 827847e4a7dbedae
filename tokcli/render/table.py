"""`tokcli tokenize --format table`, drawn by rich."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokcli.render.json import type_name
from tokcli.render.terminal import make_console, visible
from tokcli.render.tokenized import Tokenized, heading

if TYPE_CHECKING:
    from tokcli.tokenizer import Tokenizer

__all__ = ["TokenTable"]

STYLES = {"control": "magenta", "user_defined": "cyan", "byte": "yellow", "unknown": "red"}


class TokenTable:
    """A row for each token: id, piece, bytes, type, and where it lies in the input."""

    needs_spans = True

    def __init__(
        self, tokenizer: Tokenizer, *, color: str, files: bool = False, show_count: bool = False
    ) -> None:
        """files: several files, each with a heading, and a total."""
        self.tokenizer = tokenizer
        self.console = make_console(color)
        self.files = files
        self.show_count = show_count
        self.total = 0

    def add(self, result: Tokenized) -> None:
        """Print one result."""
        from rich.table import Table
        from rich.text import Text

        assert result.spans is not None
        if self.files:
            self.console.print(heading(result, terminal=True).decode().rstrip("\n"), style="bold")
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("start", "end", "id"):
            table.add_column(name, justify="right", no_wrap=True)
        table.add_column("piece", overflow="fold")
        table.add_column("bytes", overflow="fold", style="dim")
        table.add_column("type", no_wrap=True)
        for id, start, end in result.spans:
            piece = self.tokenizer.piece(id)
            kind = type_name(self.tokenizer.vocab.attr(id))
            style = STYLES.get(kind, "")
            table.add_row(
                "added" if start is None else str(start),
                "" if end is None else str(end),
                str(id),
                Text(f"'{visible(piece, backslash=True)}'", style=style),
                piece.hex(" "),
                Text(kind, style=style),
            )
        self.console.print(table)
        self.total += len(result.ids)

    def finish(self) -> None:
        """Print the total where it was asked for, or there are several files."""
        if self.files or self.show_count:
            self.console.print(f"Total number of tokens: {self.total}")
