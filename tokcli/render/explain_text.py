"""Draws a page as plain text: no colour, no wrapping, one fact a line, so that it greps well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from tokcli.render.explain_view import (
    Block,
    Column,
    Folded,
    Ladder,
    Line,
    Page,
    Pair,
    Paragraph,
    Rung,
    Strip,
    Table,
)

__all__ = ["block_lines", "page_lines", "plain"]

INDENT = "  "


def page_lines(page: Page) -> Iterator[str]:
    """The page line by line, without newlines."""
    yield plain(page.title)
    for block in page.head:
        yield from block_lines(block)
    for stage in page.stages:
        yield ""
        yield f"{stage.number} {stage.name}: {plain(stage.note)}"
        for block in stage.blocks:
            for text in block_lines(block):
                yield INDENT + text
    yield ""
    for sign, meaning in page.signs:
        yield f"{sign}: {meaning}"


def plain(line: Line) -> str:
    """The text of a line, literals in quotes; neighbouring literals share theirs."""
    parts = []
    quoting = False
    for span in line:
        if span.literal != quoting:
            parts.append('"')
            quoting = span.literal
        parts.append(span.text.replace('"', '\\"') if quoting else span.text)
    if quoting:
        parts.append('"')
    return "".join(parts)


def block_lines(block: Block) -> Iterator[str]:
    """The lines of a block."""
    if isinstance(block, Paragraph):
        yield plain(block.line).rstrip()
    elif isinstance(block, Table):
        yield from _table(block.columns, [[plain(cell) for cell in row] for row in block.rows])
    elif isinstance(block, Strip):
        yield from _strip(block)
    elif isinstance(block, Ladder):
        yield from _ladder(block)
    elif isinstance(block, Folded):
        yield f"... {block.count:,} more {block.what}: {block.flag}"
    elif isinstance(block, Pair):
        yield from block_lines(block.left)
        yield from block_lines(block.right)
    else:
        yield plain(block.title)
        for inner in block.blocks:
            for text in block_lines(inner):
                yield INDENT + text


def _pad(text: str, width: int, right: bool = False) -> str:
    space = " " * max(0, width - cell_len(text))
    return space + text if right else text + space


def _table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    headers = [column.header for column in columns]
    widths = [max(map(cell_len, cells)) for cells in zip(headers, *rows, strict=True)]
    for row in [headers, *rows]:
        cells = [
            _pad(cell, width, column.right)
            for cell, width, column in zip(row, widths, columns, strict=True)
        ]
        yield INDENT.join(cells).rstrip()


def _strip(strip: Strip) -> Iterator[str]:
    tops = [plain(top) for top, _ in strip.cells]
    bottoms = [plain(bottom) for _, bottom in strip.cells]
    widths = [
        max(cell_len(top), cell_len(bottom)) for top, bottom in zip(tops, bottoms, strict=True)
    ]
    for row in (tops, bottoms):
        yield " ".join(map(_pad, row, widths)).rstrip()


def _ladder(ladder: Ladder) -> Iterator[str]:
    labels = [[span.text for span in rung.label] for rung in ladder.rungs]
    widths = [max(map(cell_len, column)) for column in zip(*labels, strict=True)]
    sizes = [cell_len(symbol) for symbol in ladder.symbols]
    for label, rung in zip(labels, ladder.rungs, strict=True):
        yield f"{INDENT.join(map(_pad, label, widths))}  {_cells(rung, sizes)}"


def _cells(rung: Rung, sizes: Sequence[int]) -> str:
    parts = []
    for first, last, text in rung.cells:
        width = sum(sizes[first : last + 1]) + last - first
        parts.append(_pad(text, width))
    left, right = "… " * rung.more_left, " …" * rung.more_right
    return f"{left}│{'│'.join(parts)}│{right}"
