"""Draws a table with rich. Where there is too little room to read all columns, the last ones go
below each row."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, JustifyMethod, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tokcli.render.explain_view import Column

__all__ = ["draw_table"]

GAP = 2
# Columns of text are not folded to less than this, the last one not to less than that.
LEAST = 8
LEAST_LAST = 20


def draw_table(
    columns: Sequence[Column], rows: Sequence[Sequence[Text]], width: int
) -> RenderableType:
    """The rows under the columns' headers, `width` columns wide."""
    headers = [Text(column.header, style="dim") for column in columns]
    sizes = [max(text.cell_len for text in cells) for cells in zip(headers, *rows, strict=True)]
    least = [
        size if column.right else min(size, LEAST)
        for column, size in zip(columns, sizes, strict=True)
    ]
    last = min(sizes[-1], LEAST_LAST)
    if _total([*least[:-1], last]) <= width:
        return _side_by_side(columns, rows, last)
    kept = len(columns) - 1
    while kept > 1 and _total(least[:kept]) > width:
        kept -= 1
    sizes = _shrunk(sizes[:kept], least, width)
    drawn: list[RenderableType] = []
    for row in (headers, *rows):
        grid = Table.grid(padding=(0, GAP, 0, 0))
        for column, size in zip(columns, sizes, strict=False):
            grid.add_column(width=size, justify=_side(column), overflow="fold")
        grid.add_row(*row[:kept])
        drawn.append(grid)
        below = Text("  ").join(text for text in row[kept:] if text)
        if below:
            drawn.append(Padding(below, (0, 0, 0, GAP)))
    return Group(*drawn)


def _side_by_side(columns: Sequence[Column], rows: Sequence[Sequence[Text]], last: int) -> Table:
    table = Table(box=None, padding=(0, GAP, 0, 0), header_style="dim", pad_edge=False)
    for place, column in enumerate(columns, 1):
        table.add_column(
            column.header,
            justify=_side(column),
            no_wrap=column.right,
            overflow="fold",
            min_width=last if place == len(columns) else None,
        )
    for row in rows:
        table.add_row(*row)
    return table


def _side(column: Column) -> JustifyMethod:
    return "right" if column.right else "left"


def _total(sizes: Sequence[int]) -> int:
    return sum(sizes) + GAP * (len(sizes) - 1)


def _shrunk(sizes: list[int], least: list[int], width: int) -> list[int]:
    """The sizes with the widest columns folded until all fit into `width`."""
    sizes = list(sizes)
    while _total(sizes) > width:
        foldable = [place for place, size in enumerate(sizes) if size > least[place]]
        if not foldable:
            break
        sizes[max(foldable, key=sizes.__getitem__)] -= 1
    return sizes
