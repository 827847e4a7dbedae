"""The page that explains a run, before anyone decides how it is drawn: stages made of blocks.

Text in it is already safe to show (tokcli.render.terminal.visible). A span's `role` says what it
means (ROLES), not how it looks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tokcli.render.terminal import visible

__all__ = [
    "ALL",
    "PALETTE",
    "ROLES",
    "STAGES",
    "Block",
    "Column",
    "Folded",
    "Group",
    "Ladder",
    "Limits",
    "Line",
    "Page",
    "Pair",
    "Paragraph",
    "Rung",
    "Span",
    "Stage",
    "Strip",
    "Table",
    "folded_table",
    "line",
    "literal",
    "plural",
    "span_of",
]

ALL = "--max-steps 0"
STAGES = ("input", "fragments", "prepare", "chunks", "bytes", "steps", "tokens", "warnings")

# Neighbouring tokens take different ones of these.
PALETTE = ("token0", "token1", "token2", "token3")

ROLES = {
    **dict.fromkeys(PALETTE, "a token; its neighbours have other colours"),
    "special": "a special token that the text spells",
    "added": "a token that a setting adds",
    "byte": "a byte of a character that is no token",
    "unknown": "the unknown token",
    "merged": "what a step just made",
    "changed": "what a rule changed",
    "chosen": "on the best path",
}


class Span(NamedTuple):
    """Text of one kind. `literal`: it quotes data, so that its spaces matter."""

    text: str
    role: str = ""
    literal: bool = False


Line = tuple[Span, ...]


class Column(NamedTuple):
    """A column of a table. `wide`: left out where a line has less than that many columns."""

    header: str
    right: bool = False
    wide: int = 0


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A line of text, wrapped where there is too little room."""

    line: Line


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headers; the last column takes the room that is left."""

    columns: tuple[Column, ...]
    rows: list[tuple[Line, ...]]


@dataclass(frozen=True, slots=True)
class Strip:
    """Cells side by side, each with a line below it."""

    cells: list[tuple[Line, Line]]


class Rung(NamedTuple):
    """Symbols at a point of merging: `cells` hold first and last index of the initial symbols, and
    the text; `changed` are the places in `cells` of what was just made. `more_left`/`more_right`:
    there are symbols beyond."""

    label: Line
    cells: list[tuple[int, int, str]]
    changed: tuple[int, ...]
    more_left: bool
    more_right: bool


@dataclass(frozen=True, slots=True)
class Ladder:
    """Merging from top to bottom; `symbols` are the initial ones."""

    symbols: tuple[str, ...]
    rungs: list[Rung]


@dataclass(frozen=True, slots=True)
class Folded:
    """`count` of `what` were left out; `flag` says what shows them."""

    count: int
    what: str
    flag: str


@dataclass(frozen=True, slots=True)
class Group:
    """Blocks under a title."""

    title: Line
    blocks: list[Block]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two groups side by side where there is room, else one below the other."""

    left: Group
    right: Group


Block = Paragraph | Table | Strip | Ladder | Folded | Group | Pair


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: `note` says in a line what happens there."""

    name: str
    note: Line
    blocks: list[Block]

    @property
    def number(self) -> int:
        """Its place in the order of work, from 1."""
        return STAGES.index(self.name) + 1


@dataclass(frozen=True, slots=True)
class Page:
    """Everything: `title` and `head` come before the stages; `legend` explains roles and signs."""

    title: Line
    head: list[Block]
    stages: list[Stage]
    signs: list[tuple[str, str]]


class Limits(NamedTuple):
    """What to show: chunk number `chunk` only (None: all), at most `steps` lines of a list (0: no
    limit), these `stages`."""

    chunk: int | None = None
    steps: int = 30
    stages: tuple[str, ...] = STAGES


def line(*parts: str | Span) -> Line:
    """A line of spans; strings are spans without a role."""
    return tuple(part if isinstance(part, Span) else Span(part) for part in parts)


def literal(data: bytes, role: str = "", limit: int = 0) -> Span:
    """`data` quoted; of more than `limit` characters (0: any number), the first of them."""
    text = visible(data, backslash=True)
    if limit and len(text) > limit:
        text = text[: limit - 1] + "…"
    return Span(text, role, literal=True)


def plural(count: int, what: str, many: str | None = None) -> str:
    """ "1 byte", "2 bytes"."""
    return f"{count:,} {what if count == 1 else many or what + 's'}"


def span_of(start: int | None, end: int | None, exact: bool = True) -> str:
    """Bytes start..end, the end not included; "~" where they only enclose."""
    if start is None or end is None:
        return "-"
    return f"{'' if exact else '~'}{start}..{end}"


def folded_table(
    columns: tuple[Column, ...],
    rows: list[tuple[Line, ...]],
    limits: Limits,
    what: str,
    flag: str = ALL,
) -> list[Block]:
    """A table of at most limits.steps rows, and what was left out."""
    if not limits.steps or len(rows) <= limits.steps:
        return [Table(columns, rows)]
    left_out = len(rows) - limits.steps
    return [Table(columns, rows[: limits.steps]), Folded(left_out, what, flag)]
