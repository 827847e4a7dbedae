"""The steps of Unigram and PLaMo: candidates at each place, and the best path."""

from __future__ import annotations

from tokcli.render.explain_model import ChunkStory, Run
from tokcli.render.explain_view import (
    Block,
    Column,
    Folded,
    Limits,
    Line,
    Paragraph,
    Span,
    Table,
    line,
    literal,
)
from tokcli.trace import BestPath, ByteFallback, Candidate, Candidates, PathStep
from tokcli.vocab import VocabType

__all__ = ["lattice"]

CHOICES = 4
MOST_BEFORE = 16


def lattice(run: Run, chunk: ChunkStory, limits: Limits) -> list[Block]:
    """Each place that the best path passes with the ways that competed there."""
    path = next(step.steps for step in chunk.steps if isinstance(step, BestPath))
    candidates = [step for step in chunk.steps if isinstance(step, Candidates)]
    if run.vocab.type == VocabType.UGM:
        return _forward(chunk, path, candidates, limits)
    return _backward(chunk, path, candidates, limits)


class _Ways:
    """Candidates by the place at which they compete."""

    def __init__(self, candidates: list[Candidates], *, by_end: bool) -> None:
        self.count = 0
        self._at: dict[int, list[tuple[int, Candidate]]] = {}
        for event in candidates:
            for option in event.options:
                self.count += 1
                place = event.text_start + (len(option.text) if by_end else 0)
                self._at.setdefault(place, []).append((event.text_start, option))

    def at(self, place: int) -> list[tuple[int, Candidate]]:
        """The candidates of a place with their starts, the best total first."""
        return sorted(self._at.get(place, ()), key=lambda way: -way[1].total)

    def places(self) -> list[int]:
        """All places, in order."""
        return sorted(self._at)


def _forward(
    chunk: ChunkStory, path: tuple[PathStep, ...], candidates: list[Candidates], limits: Limits
) -> list[Block]:
    """Unigram: at the end of each step of the path, what reaches that end from the left."""
    ways = _Ways(candidates, by_end=True)
    passed: dict[int, tuple[int, PathStep]] = {}
    start = 0
    for step in path:
        passed[start + len(step.text)] = (start, step)
        start += len(step.text)
    head = "ways to reach the end of each token on the best path; total: sum from the start"
    return _table(chunk, ways, passed, head, limits, by_end=True)


def _backward(
    chunk: ChunkStory, path: tuple[PathStep, ...], candidates: list[Candidates], limits: Limits
) -> list[Block]:
    """PLaMo: at the start of each step of the path, what could come there."""
    ways = _Ways(candidates, by_end=False)
    passed: dict[int, tuple[int, PathStep]] = {}
    start = 0
    for step in path:
        passed[start] = (start, step)
        start += len(step.text)
    head = "ways to go on from each place on the best path; total: sum from there to the end"
    return _table(chunk, ways, passed, head, limits, by_end=False)


def _table(
    chunk: ChunkStory,
    ways: _Ways,
    passed: dict[int, tuple[int, PathStep]],
    head: str,
    limits: Limits,
    *,
    by_end: bool,
) -> list[Block]:
    text = chunk.event.text
    rows: list[tuple[Line, ...]] = []
    seen = 0
    # Without a limit, the places off the path are shown as well.
    places = ways.places() if not limits.steps else sorted(passed)
    for place in places:
        if limits.steps and len(rows) >= 2 * limits.steps:
            break
        chosen = passed.get(place)
        for number, (start, option) in enumerate(ways.at(place)):
            on_path = chosen is not None and _is(chosen, start, option)
            if limits.steps and number >= CHOICES and not on_path:
                continue
            seen += 1
            rows.append(_row(text, place if not number else None, start, option, on_path, by_end))
    columns = (
        Column("up to" if by_end else "from", True),
        Column("text before"),
        Column("token"),
        Column("id", True),
        Column("score", True),
        Column("total", True),
        Column("verdict"),
    )
    blocks: list[Block] = [Paragraph(line(Span(head, "dim"))), Table(columns, rows)]
    if seen < ways.count:
        blocks.append(Folded(ways.count - seen, "candidates", "--max-steps 0"))
    blocks += [
        Paragraph(
            line(
                literal(step.symbol, "byte"),
                f" is no token: its bytes {step.symbol.hex(' ')} go out as tokens "
                + ", ".join(map(str, step.ids)),
            )
        )
        for step in chunk.steps
        if isinstance(step, ByteFallback)
    ]
    return blocks


def _is(chosen: tuple[int, PathStep], start: int, option: Candidate) -> bool:
    """Whether the candidate is the step that the path takes; a fallback has no id yet."""
    first, step = chosen
    fallback = option.id is None and step.score == option.score
    return (first, step.text) == (start, option.text) and (step.id == option.id or fallback)


def _row(
    text: bytes, place: int | None, start: int, option: Candidate, on_path: bool, by_end: bool
) -> tuple[Line, ...]:
    return (
        line("" if place is None else str(place)),
        line(_before(text, start)),
        line(literal(option.text, "chosen" if on_path else "")),
        line("-" if option.id is None else str(option.id)),
        line(f"{option.score:.6g}"),
        line(f"{option.total:.6g}"),
        line(Span("best", "chosen")) if on_path else line(""),
    )


def _before(text: bytes, start: int) -> Span:
    """The last characters of text[:start]."""
    if not start:
        return Span("(start)", "dim")
    # One character more than is shown, at four bytes each: it tells whether there are more.
    nearest = text[max(0, start - 4 * (MOST_BEFORE + 1)) : start]
    characters = nearest.decode("utf-8", "surrogateescape")
    shown = literal(characters[-MOST_BEFORE:].encode("utf-8", "surrogateescape"), "dim")
    return shown if len(characters) <= MOST_BEFORE else shown._replace(text=f"…{shown.text}")
