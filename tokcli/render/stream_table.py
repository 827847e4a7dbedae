"""Tables that are printed while their rows are still being made."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from tokcli.render.lines import write_lines
from tokcli.render.terminal import is_terminal, make_console, wants_color

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["Column", "print_table", "table_width"]

GAP = 2
BLOCK = 200
LEAST = 4


class Column(NamedTuple):
    """`width`: columns of the terminal. On one, a column with a `most` takes up to so many as the
    others leave room for, and folds longer text; elsewhere longer text moves the rest of its
    line."""

    title: str
    width: int
    most: int | None = None
    right: bool = False
    style: str = ""


def table_width() -> int | None:
    """How wide a table may be: the terminal's width, None for a pipe."""
    return make_console().width if is_terminal() else None


def print_table(
    columns: Sequence[Column], rows: Iterable[Sequence[str]], color: str, *, header: bool = True
) -> int:
    """Print the rows under a header and return how many there were; cells must be safe to print.

    color: as the option's value ("auto", "always", "never").
    """
    rows = iter(rows)
    if is_terminal():
        return _print_rich(columns, rows, make_console(color), header)
    lines = _lines(columns, rows, _styles(columns) if wants_color(color) else None)
    return write_lines(lines if header else islice(lines, 1, None)) - header


def _lines(
    columns: Sequence[Column], rows: Iterator[Sequence[str]], starts: list[str] | None
) -> Iterator[str]:
    from rich.cells import cell_len

    titles = [column.title for column in columns]
    for row in chain([titles], rows):
        cells = []
        for column, text in zip(columns, row, strict=True):
            width = len(text) if text.isascii() else cell_len(text)
            space = " " * max(column.width - width, 0)
            cells.append(space + text if column.right else text + space)
        if starts is not None and row is not titles:
            cells = [
                f"{start}{cell}\x1b[0m" if start else cell
                for start, cell in zip(starts, cells, strict=True)
            ]
        yield (" " * GAP).join(cells).rstrip()


def _styles(columns: Sequence[Column]) -> list[str]:
    """What switches each column's style on."""
    from rich.color import ColorSystem
    from rich.style import Style

    starts = []
    for column in columns:
        rendered = Style.parse(column.style).render("x", color_system=ColorSystem.STANDARD)
        starts.append(rendered.partition("x")[0])
    return starts


def _print_rich(
    columns: Sequence[Column], rows: Iterator[Sequence[str]], console: Console, header: bool
) -> int:
    from rich.text import Text

    widths = _share(columns, console.width)
    count = 0
    while block := list(islice(rows, BLOCK)):
        table = _rich_table(columns, widths, header=header and not count)
        for row in block:
            table.add_row(*map(Text, row))
        console.print(table)
        count += len(block)
    if header and not count:
        console.print(_rich_table(columns, widths, header=True))
    sys.stdout.flush()
    return count


def _share(columns: Sequence[Column], width: int) -> list[int]:
    """The columns' widths in a table of `width` columns: those that may fold share what the others
    leave, and what one of them does not need goes to the rest."""
    widths = [column.width for column in columns]
    folding = [index for index, column in enumerate(columns) if column.most is not None]
    fixed = sum(width for index, width in enumerate(widths) if index not in folding)
    left = width - fixed - GAP * (len(columns) - 1)
    folding.sort(key=lambda index: columns[index].most or 0)
    for position, index in enumerate(folding):
        share = max(left // (len(folding) - position), LEAST)
        widths[index] = min(share, columns[index].most or 0)
        left -= widths[index]
    return widths


def _rich_table(columns: Sequence[Column], widths: list[int], *, header: bool) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), show_header=header)
    for column, width in zip(columns, widths, strict=True):
        table.add_column(
            column.title,
            width=width,
            justify="right" if column.right else "left",
            style=column.style,
            header_style="bold",
            overflow="fold",
        )
    return table
