"""parse_special on and off side by side, as one page."""

from __future__ import annotations

from itertools import zip_longest

from tokcli.render.explain_input import input_stage
from tokcli.render.explain_model import Run, TokenRow
from tokcli.render.explain_page import page
from tokcli.render.explain_tokens import piece_span, strip
from tokcli.render.explain_view import (
    Block,
    Column,
    Group,
    Limits,
    Line,
    Page,
    Pair,
    Paragraph,
    Span,
    Stage,
    folded_table,
    line,
    plural,
    span_of,
)

__all__ = ["DEFAULT_STAGES", "both_page"]

# What differs; the others are shown when they are asked for.
DEFAULT_STAGES = ("input", "fragments", "tokens", "warnings")


def both_page(on: Run, off: Run, limits: Limits) -> Page:
    """The page that compares two runs of the same input, with parse_special `on` and `off`."""
    left, right = page(on, limits), page(off, limits)
    stages = []
    for first, second in zip(left.stages, right.stages, strict=True):
        if first.name == "input":
            stages.append(input_stage(on, limits))
        elif first.name == "tokens":
            stages.append(_tokens(on, off, limits))
        else:
            stages.append(_paired(first, second))
    head: list[Block] = [Paragraph(line(_verdict(on, off)))]
    head += [
        Group(line(Span("parse_special on", "strong")), strip(on, on.tokens)),
        Group(line(Span("parse_special off", "strong")), strip(off, off.tokens)),
    ]
    signs = list(dict.fromkeys([*left.signs, *right.signs]))
    return Page(left.title, head, stages, signs)


def _verdict(on: Run, off: Run) -> str:
    if on.explanation.ids == off.explanation.ids:
        return (
            "parse_special makes no difference here: the text spells no control or unknown token"
            if not off.explanation.ignored_special
            else "parse_special makes no difference to the tokens here"
        )
    counts = f"{plural(len(on.tokens), 'token')} with parse_special, {len(off.tokens)} without"
    rows = zip_longest(on.tokens, off.tokens)
    first = next(
        (
            left or right
            for left, right in rows
            if left is None or right is None or left.id != right.id
        )
    )
    start = None if first is None else first.start
    return f"{counts}; they part at byte {0 if start is None else start}"


def _paired(first: Stage, second: Stage) -> Stage:
    """A stage of both runs, once where it is the same."""
    if (first.note, first.blocks) == (second.note, second.blocks):
        return Stage(first.name, (*first.note, Span(" (on and off alike)", "dim")), first.blocks)
    sides = [
        Group(line(Span(f"parse_special {name}", "strong")), [Paragraph(side.note), *side.blocks])
        for name, side in (("on", first), ("off", second))
    ]
    return Stage(first.name, line("they differ"), [Pair(sides[0], sides[1])])


def _tokens(on: Run, off: Run, limits: Limits) -> Stage:
    """Tokens side by side, in step with the input."""
    rows: list[tuple[Line, ...]] = []
    for left, right in _aligned(on, off):
        same = [row.id for row in left] == [row.id for row in right]
        for number, (a, b) in enumerate(zip_longest(left, right)):
            rows.append(
                (
                    line("" if number else span_of(*_extent([*left, *right]))),
                    _cell(on, a),
                    line("" if same else Span("!=", "warn")),
                    _cell(off, b),
                )
            )
    columns = (Column("bytes", True), Column("on"), Column(""), Column("off"))
    note = f"{len(on.tokens)} with parse_special on, {len(off.tokens)} off"
    return Stage("tokens", line(note), folded_table(columns, rows, limits, "lines"))


def _cell(run: Run, row: TokenRow | None) -> Line:
    if row is None:
        return line("")
    return line(piece_span(run, row), Span(f" {row.id}", "number"))


def _extent(rows: list[TokenRow]) -> tuple[int | None, int | None]:
    starts = [row.start for row in rows if row.start is not None]
    ends = [row.end for row in rows if row.end is not None]
    return (min(starts), max(ends)) if starts and ends else (None, None)


def _aligned(on: Run, off: Run) -> list[tuple[list[TokenRow], list[TokenRow]]]:
    """Tokens in groups that cover the same bytes of the input, as small as possible."""
    size = len(on.explanation.input)
    left, right = _reached(on, size), _reached(off, size)
    groups = []
    i = j = 0
    while i < len(left) or j < len(right):
        first, second = i, j
        i, j = min(i + 1, len(left)), min(j + 1, len(right))
        while True:
            a = left[i - 1][0] if i > first else -1
            b = right[j - 1][0] if j > second else -1
            if a < b and i < len(left):
                i += 1
            elif b < a and j < len(right):
                j += 1
            else:
                break
        groups.append(
            ([row for _, row in left[first:i]], [row for _, row in right[second:j]]),
        )
    return groups


def _reached(run: Run, size: int) -> list[tuple[int, TokenRow]]:
    """Each token with the byte that the input is covered up to by then."""
    reached = 0
    result = []
    for row in run.tokens:
        if row.end is not None:
            reached = max(reached, row.end)
        elif row.index:
            reached = size
        result.append((reached, row))
    return result
