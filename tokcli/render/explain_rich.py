"""Draws a page with rich: panels, colours that mean something, and a legend of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rich.box import ROUNDED
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table as RichTable
from rich.text import Text
from rich.theme import Theme

from tokcli.render import explain_view as view
from tokcli.render.explain_rich_table import draw_table
from tokcli.render.explain_view import (
    PALETTE,
    ROLES,
    Block,
    Folded,
    Ladder,
    Line,
    Page,
    Pair,
    Paragraph,
    Rung,
    Span,
    Stage,
    Strip,
    Table,
)

__all__ = ["draw", "draw_stage", "text_of"]

SPACE = "␣"
STYLES = {
    "token0": "#101010 on #8fd3c4",
    "token1": "#101010 on #f7e08a",
    "token2": "#101010 on #b7b5e6",
    "token3": "#101010 on #f4b48a",
    "special": "bold white on #8b2f97",
    "added": "bold white on #1f6fa8",
    "byte": "#101010 on #c8c8c8",
    "unknown": "bold white on #c0392b",
    "merged": "bold #101010 on #9bd770",
    "chosen": "bold #101010 on #9bd770",
    "changed": "bold #101010 on #f5b5d0",
    "warn": "bold red",
    "strong": "bold",
    "number": "cyan",
    "regex": "magenta",
}
# For terminals of 16 colours, in which several of the above would come out alike.
STYLES_16 = {
    "token0": "black on cyan",
    "token1": "black on yellow",
    "token2": "black on bright_blue",
    "token3": "black on bright_yellow",
    "special": "bold white on magenta",
    "added": "bold white on blue",
    "byte": "black on white",
    "unknown": "bold white on red",
    "merged": "black on green",
    "chosen": "black on green",
    "changed": "black on bright_magenta",
}
# Spaces, and the escapes that stand for invisible characters.
_MARKED = re.compile(r" |\\(?:\\|[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
# Borders and padding of a panel.
FRAME = 4
# Narrower than this, two groups go one below the other.
SIDE_BY_SIDE = 110


def draw(page: Page, console: Console) -> None:
    """Print the page on `console`, as wide as it is."""
    with console.use_theme(_theme(console.color_system)):
        head = [_block(block, console.width - FRAME) for block in page.head]
        console.print(Panel(Group(text_of(page.title), *head), box=ROUNDED, border_style="bold"))
        for stage in page.stages:
            console.print(draw_stage(stage, console.width))
        colored = console.color_system is not None and not console.no_color
        console.print(_legend(page, console.width, colored))


def _theme(color_system: str | None) -> Theme:
    """The styles by role, and for each role "ROLE.mark" for spaces and escapes in it."""
    few = color_system in ("standard", "windows")
    styles = {**STYLES, **(STYLES_16 if few else {})}
    for role, style in list(styles.items()):
        grey = style.startswith("#") or " #101010 " in f" {style} "
        styles[f"{role}.mark"] = f"{style} #606060" if grey else f"{style} dim"
    return Theme(styles)


def draw_stage(stage: Stage, width: int, label: str = "") -> RenderableType:
    """A stage as a panel `width` columns wide, or as one line where its note says it all."""
    name = Text.assemble((f" {stage.number} ", "reverse bold"), (f" {stage.name} ", "bold not dim"))
    if label:
        name.append(f"{label} ", style="number")
    if not stage.blocks:
        return Padding(Text.assemble(name, " ", text_of(stage.note)), (0, 2, 0, 2))
    blocks = [_block(block, width - FRAME) for block in stage.blocks]
    note = text_of(stage.note)
    note.stylize("italic")
    return Panel(
        Group(note, *blocks), title=name, title_align="left", box=ROUNDED, border_style="dim"
    )


def text_of(line: Line) -> Text:
    """A line as rich text; spaces of literals become visible."""
    text = Text(overflow="fold")
    for span in line:
        _append(text, span)
    return text


def _append(text: Text, span: Span) -> None:
    style = span.role
    if span.role == "regex":
        # Left as spaces, they would vanish at the ends of lines.
        text.append(span.text.replace(" ", SPACE), style=style)
        return
    if not span.literal:
        text.append(span.text, style=style)
        return
    if not span.text:
        text.append("(nothing)", style="dim italic")
        return
    mark = f"{style}.mark" if style in STYLES else "dim"
    end = 0
    for match in _MARKED.finditer(span.text):
        text.append(span.text[end : match.start()], style=style)
        text.append(SPACE if match[0] == " " else match[0], style=mark)
        end = match.end()
    text.append(span.text[end:], style=style)


def _block(block: Block, width: int) -> RenderableType:
    if isinstance(block, Paragraph):
        return text_of(block.line)
    if isinstance(block, Table):
        return _table(block, width)
    if isinstance(block, Strip):
        return Group(*_strip(block, width))
    if isinstance(block, Ladder):
        return Group(*_ladder(block, width))
    if isinstance(block, Folded):
        return Text(f"… {block.count:,} more {block.what}: {block.flag}", style="italic yellow")
    if isinstance(block, Pair):
        return _pair(block, width)
    inner = [_block(each, width - 2) for each in block.blocks]
    return Group(text_of(block.title), Padding(Group(*inner), (0, 0, 0, 2)))


def _pair(pair: Pair, width: int) -> RenderableType:
    if width < SIDE_BY_SIDE:
        return Group(_block(pair.left, width), _block(pair.right, width))
    half = width // 2 - 1
    grid = RichTable.grid(padding=(0, 2, 0, 0))
    grid.add_column(width=half)
    grid.add_column(width=half)
    grid.add_row(_block(pair.left, half), _block(pair.right, half))
    return grid


def _table(table: Table, width: int) -> RenderableType:
    places = [i for i, column in enumerate(table.columns) if column.wide <= width]
    columns = [table.columns[place] for place in places]
    return draw_table(columns, [[text_of(row[i]) for i in places] for row in table.rows], width)


def _strip(strip: Strip, width: int) -> Iterator[Text]:
    """The cells in as many rows as the width asks for."""
    top, bottom, used = Text(overflow="fold"), Text(overflow="fold"), 0
    for upper, lower in strip.cells:
        above, below = text_of(upper), text_of(lower)
        size = max(above.cell_len, below.cell_len)
        if used and used + size > width:
            yield from (top, bottom)
            top, bottom, used = Text(overflow="fold"), Text(overflow="fold"), 0
        below.stylize("dim")
        for text, part in ((top, above), (bottom, below)):
            text.append_text(part)
            text.append(" " * (size - part.cell_len + 1))
        used += size + 1
    yield from (top, bottom)


def _ladder(ladder: Ladder, width: int) -> Iterator[Text]:
    labels = [[text_of((span,)) for span in rung.label] for rung in ladder.rungs]
    columns = [max(text.cell_len for text in column) for column in zip(*labels, strict=True)]
    left = width - sum(columns) - 2 * len(columns)
    sizes = [cell_len(symbol) for symbol in ladder.symbols]
    aligned = sum(sizes) + len(sizes) + 1 <= left
    for label, rung in zip(labels, ladder.rungs, strict=True):
        text = Text(no_wrap=True, overflow="ellipsis")
        for part, size in zip(label, columns, strict=True):
            text.append_text(part)
            text.append(" " * (size - part.cell_len + 2))
        text.append_text(_cells(rung, sizes if aligned else None, left))
        yield text


def _cells(rung: Rung, sizes: list[int] | None, width: int) -> Text:
    """The symbols of a rung; without `sizes`, those around the change that fit."""
    cells = rung.cells
    first, last = 0, len(cells)
    if sizes is None:
        first, last = _window(rung, width - 5)
    text = Text()
    if first > 0 or rung.more_left:
        text.append("… ", style="dim")
    text.append("│", style="dim")
    for place in range(first, last):
        start, end, symbol = cells[place]
        style = "merged" if place in rung.changed else ""
        text.append(symbol, style=style)
        if sizes is not None:
            room = sum(sizes[start : end + 1]) + end - start
            text.append(" " * (room - cell_len(symbol)), style=style)
        text.append("│", style="dim")
    if last < len(cells) or rung.more_right:
        text.append(" …", style="dim")
    return text


def _window(rung: Rung, width: int) -> tuple[int, int]:
    """The range of cells around the changed one that fit into `width` columns."""
    widths = [cell_len(text) + 1 for _, _, text in rung.cells]
    first = rung.changed[0] if rung.changed else 0
    last = first + 1
    used = widths[first] if widths else 0
    while True:
        grown = False
        if last < len(widths) and used + widths[last] <= width:
            used += widths[last]
            last += 1
            grown = True
        if first > 0 and used + widths[first - 1] <= width:
            first -= 1
            used += widths[first]
            grown = True
        if not grown:
            return first, last


def _roles(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Paragraph):
            yield from (span.role for span in block.line)
        elif isinstance(block, Table):
            yield from (span.role for row in block.rows for cell in row for span in cell)
        elif isinstance(block, Strip):
            yield from (span.role for cell in block.cells for span in cell[0])
        elif isinstance(block, Ladder):
            if any(rung.changed for rung in block.rungs):
                yield "merged"
        elif isinstance(block, view.Group):
            yield from (span.role for span in block.title)
            yield from _roles(block.blocks)
        elif isinstance(block, Pair):
            yield from _roles((block.left, block.right))


def _legend(page: Page, width: int, colored: bool) -> RenderableType:
    blocks = [*page.head, *(block for stage in page.stages for block in stage.blocks)]
    used = set(_roles(blocks)) if colored else set()
    parts: list[Text] = []
    tokens = [role for role in PALETTE if role in used]
    if tokens:
        swatch = Text()
        for role in tokens:
            swatch.append(" a ", style=role)
        parts.append(swatch.append(f" {ROLES[tokens[0]]}", style="dim"))
    for role, meaning in ROLES.items():
        if role in used and role not in PALETTE:
            parts.append(Text.assemble((" a ", role), (f" {meaning}", "dim")))
    signs = [*page.signs, (SPACE, "a space"), ("\\n \\x1b", "invisible characters")]
    parts += [Text.assemble((sign, "bold"), (f" {meaning}", "dim")) for sign, meaning in signs]
    return Padding(Group(*_flowing(parts, width - FRAME)), (0, 2, 0, 2))


def _flowing(parts: list[Text], width: int) -> Iterator[Text]:
    """The parts in lines of at most `width` columns, none torn apart that need not be."""
    line = Text()
    for part in parts:
        if line and line.cell_len + 3 + part.cell_len > width:
            yield line
            line = Text()
        if line:
            line.append("   ")
        line.append_text(part)
    yield line
