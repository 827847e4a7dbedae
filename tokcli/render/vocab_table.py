"""Rows of a vocabulary as a table for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tokcli.listing.vocab_rows import VocabRow
from tokcli.render.stream_table import Column, print_table, table_width
from tokcli.text.byte_escapes import escape
from tokcli.text.float_text import float_text
from tokcli.vocab import Vocab

__all__ = ["print_vocab_table"]

# From here on there is room for the bytes as well.
WIDE = 110
NARROW_SCORE, FULL_SCORE = 8, 10
MOST = 48


def print_vocab_table(vocab: Vocab, rows: Iterable[VocabRow], color: str) -> int:
    """Print the rows and return how many there were. Pieces are quoted, so that their spaces show;
    attributes are those that the type does not already say, in a narrow table they stand behind it;
    scores are left out where all are 0."""
    width = table_width()
    wide = width is None or width >= WIDE
    scored = any(vocab.scores)
    columns = [
        Column("id", max(len(str(len(vocab) - 1)), 2), right=True, style="cyan"),
        Column("piece", 22, most=MOST, style="green"),
        *([Column("bytes", 20, most=MOST, style="dim")] if wide else []),
        Column("raw", 20, most=MOST),
        *([Column("score", FULL_SCORE if wide else NARROW_SCORE, right=True)] if scored else []),
        Column("type", 12, style="yellow"),
        *([Column("attributes", 10, style="yellow")] if wide else []),
        Column("roles", 5, most=24, style="bold magenta"),
    ]
    # A terminal folds cells, best between names.
    comma = "," if width is None else ", "
    cells = (_cells(row, wide=wide, scored=scored, comma=comma) for row in rows)
    return print_table(columns, cells, color)


def _cells(row: VocabRow, *, wide: bool, scored: bool, comma: str) -> Sequence[str]:
    piece = row.piece
    more = [name for name in row.attributes if name != row.type]
    kind = [row.type, comma.join(more)] if wide else [comma.join((row.type, *more))]
    return [
        str(row.id),
        "(llama.cpp aborts)" if piece is None else f"'{escape(piece)}'",
        *([(piece or b"").hex()] if wide else []),
        escape(row.raw),
        *([float_text(row.score)] if scored else []),
        *kind,
        comma.join(row.roles),
    ]
