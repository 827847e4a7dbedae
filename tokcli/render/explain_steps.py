"""Stage 6: what the algorithm did, step by step."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

from tokcli.render.explain_lattice import lattice
from tokcli.render.explain_model import ChunkStory, Run, TokenRow
from tokcli.render.explain_split import shown_chunks
from tokcli.render.explain_tokens import piece_span, token_role
from tokcli.render.explain_view import (
    ALL,
    Block,
    Column,
    Folded,
    Group,
    Ladder,
    Limits,
    Line,
    Paragraph,
    Rung,
    Span,
    Stage,
    Table,
    line,
    literal,
    plural,
    span_of,
)
from tokcli.render.explain_why import dna_block, priority, quoted
from tokcli.render.terminal import visible
from tokcli.trace import (
    BestPath,
    ByteFallback,
    DnaBlock,
    LongestMatch,
    MergeApplied,
    SymbolDropped,
    SymbolsSplit,
    UnknownToken,
    WholeWord,
    WordRolledBack,
)
from tokcli.vocab import VocabType

__all__ = ["steps_stage"]

NEIGHBOURS = 24
# Shown chunks have this many times --max-steps lines together.
PAGES = 4
MOST_TOKENS = 8
_BEST_SUM = "of all ways to cut the text into tokens, the one with the highest sum of scores"
NOTES = {
    VocabType.BPE: "the neighbours with the lowest rank merge first, the left ones of equals",
    VocabType.SPM: "the neighbours that make the token with the highest score merge first",
    VocabType.WPM: "the longest token at each place of ▁word, or the unknown token for all of it",
    VocabType.UGM: _BEST_SUM,
    VocabType.RWKV: "the longest token at each place",
    VocabType.PLAMO2: _BEST_SUM,
    VocabType.PLAMO3: _BEST_SUM,
    VocabType.TEST: "a piece's token is a hash of its bytes",
}


def steps_stage(run: Run, limits: Limits) -> Stage:
    """The steps of every chunk."""
    chunks = shown_chunks(run, limits)
    if not chunks:
        return Stage("steps", line("none, no text is left"), [])
    blocks: list[Block] = []
    short: list[tuple[Line, ...]] = []
    lines = 0
    for place, chunk in enumerate(chunks):
        if limits.steps and lines >= PAGES * limits.steps:
            left_out = len(chunks) - place
            blocks += [*_short(short), Folded(left_out, "chunks", f"{ALL}, or --chunk N for one")]
            short = []
            break
        said = _said(run, chunk, limits)
        if said is not None:
            short.append(_short_row(run, chunk, said))
            lines += 1
            continue
        blocks += _short(short)
        short = []
        inner = _long(run, chunk, limits)
        blocks.append(Group(_title(run, chunk), inner))
        lines += 1 + sum(map(_size, inner))
    note = NOTES.get(run.vocab.type, "")
    if run.vocab.flag("ignore_merges"):
        note = f"a chunk that is a token is taken whole; else {note}"
    if run.vocab.model == "hybriddna":
        note += "; DNA goes out in blocks of six bases"
    return Stage("steps", line(note), [*blocks, *_short(short)])


def _size(block: Block) -> int:
    if isinstance(block, Ladder):
        return len(block.rungs)
    return len(block.rows) if isinstance(block, Table) else 1


def _short(rows: list[tuple[Line, ...]]) -> list[Block]:
    """Chunks that need a line each."""
    columns = (
        Column("chunk", True),
        Column("bytes", True),
        Column("text"),
        Column("tokens"),
        Column("how"),
    )
    return [Table(columns, rows)] if rows else []


def _short_row(run: Run, chunk: ChunkStory, said: str) -> tuple[Line, ...]:
    event = chunk.event
    return (
        line(Span(str(chunk.number), "number")),
        line(span_of(event.start, event.end, event.exact)),
        line(literal(event.text, "strong", 60)),
        tuple(_tokens(run, chunk.tokens)),
        line(said),
    )


def _title(run: Run, chunk: ChunkStory) -> Line:
    event = chunk.event
    return line(
        Span(f"chunk {chunk.number}", "strong"),
        Span(f"  {span_of(event.start, event.end, event.exact)}  ", "number"),
        literal(event.text, "strong", 60),
    )


def _tokens(run: Run, rows: tuple[TokenRow, ...]) -> list[Span]:
    spans: list[Span] = []
    for row in rows[:MOST_TOKENS]:
        spans += [piece_span(run, row), Span(f" {row.id}  ", "number")]
    if len(rows) > MOST_TOKENS:
        spans.append(Span(f"… {plural(len(rows) - MOST_TOKENS, 'more token')}", "dim"))
    return spans


def _said(run: Run, chunk: ChunkStory, limits: Limits) -> str | None:
    """How the chunk became tokens where a few words say it all."""
    if chunk.same_as is not None and limits.chunk is None:
        return f"as chunk {chunk.same_as}"
    if not chunk.tokens and not chunk.dropped:
        return "nothing"
    first = chunk.steps[0] if chunk.steps else None
    if isinstance(first, WholeWord):
        return {
            "ignore_merges": "all of it is a token (ignore_merges)",
            "newlines": "newlines that are a token",
            "dna_tag": "DNA tag",
        }.get(first.rule, first.rule)
    if len(chunk.steps) > 1 or chunk.dropped:
        return None
    if first is None:
        return "hash"
    if isinstance(first, SymbolsSplit):
        return "one symbol, a token" if len(first.symbols) == 1 else "no neighbours merge"
    if isinstance(first, LongestMatch):
        return "all of it is a token"
    if isinstance(first, DnaBlock):
        return dna_block(first)
    return "unknown" if isinstance(first, UnknownToken) else None


def _long(run: Run, chunk: ChunkStory, limits: Limits) -> list[Block]:
    """The steps of a chunk."""
    if chunk.symbols:
        return _merging(run, chunk, limits)
    if any(isinstance(step, BestPath) for step in chunk.steps):
        return lattice(run, chunk, limits)
    return _matching(run, chunk, limits)


def _merging(run: Run, chunk: ChunkStory, limits: Limits) -> list[Block]:
    merges = [step for step in chunk.steps if isinstance(step, MergeApplied)]
    groups = _alike(merges) if limits.steps else [[merge] for merge in merges]
    shown = groups[: limits.steps] if limits.steps else groups
    symbols = chunk.symbols
    state: list[bytes | None] = list(symbols)
    rungs = [_rung(line(Span("start", "dim"), ""), state, ())]
    for group in shown:
        for merge in group:
            state[merge.left_index] = merge.result
            state[merge.right_index] = None
        changed = tuple(merge.left_index for merge in group)
        rungs.append(_rung(_merge_label(group), state, changed))
    blocks: list[Block] = []
    if merges:
        blocks.append(Ladder(tuple(visible(symbol) for symbol in symbols), rungs))
    if len(shown) < len(groups):
        left_out = sum(map(len, groups[len(shown) :]))
        blocks.append(Folded(left_out, "merges", f"--max-steps {len(groups)}"))
    blocks += _remarks(chunk, limits)
    ending = "no neighbours left that merge" if len(chunk.final) > 1 else "one symbol is left"
    blocks.append(Paragraph((Span(f"{ending}:  ", "dim"), *_tokens(run, chunk.tokens))))
    return blocks


def _alike(merges: list[MergeApplied]) -> list[list[MergeApplied]]:
    """Merges of the same two symbols that come one after another, together."""
    return [list(group) for _, group in groupby(merges, lambda merge: (merge.left, merge.right))]


def _merge_label(group: list[MergeApplied]) -> Line:
    merge = group[0]
    times = f"  {len(group)} times" if len(group) > 1 else ""
    return line(
        Span(priority(merge), "number"),
        Span(f"{visible(merge.left)} + {visible(merge.right)}{times}"),
    )


def _rung(label: Line, state: list[bytes | None], changed: tuple[int, ...]) -> Rung:
    """The symbols of `state`, or those around what changed first where they are many."""
    middle = changed[0] if changed else 0
    start, count = middle, 0
    while start > 0 and count < NEIGHBOURS:
        start -= 1
        count += state[start] is not None
    while state[start] is None:
        start -= 1
    cells: list[tuple[int, int, str]] = []
    places: list[int] = []
    index = start
    after = 0
    while index < len(state) and after <= 2 * NEIGHBOURS:
        end = index + 1
        while end < len(state) and state[end] is None:
            end += 1
        symbol = state[index]
        assert symbol is not None
        if index in changed:
            places.append(len(cells))
        after += index > middle
        cells.append((index, end - 1, visible(symbol)))
        index = end
    return Rung(label, cells, tuple(places), start > 0, index < len(state))


def _remarks(chunk: ChunkStory, limits: Limits) -> list[Block]:
    """What became of symbols that are no tokens, each kind once."""
    counts = Counter(
        step
        for step in chunk.steps
        if isinstance(step, ByteFallback | UnknownToken | SymbolDropped)
    )
    shown = list(counts.items())[: limits.steps or None]
    blocks: list[Block] = [
        Paragraph((*_remark(step), Span(f"  ({count} times)" if count > 1 else "")))
        for step, count in shown
    ]
    if len(shown) < len(counts):
        blocks.append(Folded(len(counts) - len(shown), "symbols that are no tokens", ALL))
    return blocks


def _remark(step: object) -> list[Span]:
    if isinstance(step, ByteFallback):
        ids = ", ".join(map(str, step.ids))
        return [
            literal(step.symbol, "byte"),
            Span(f" is no token: its bytes {step.symbol.hex(' ')} go out as tokens {ids}"),
        ]
    if isinstance(step, UnknownToken):
        return [literal(step.text, "unknown"), Span(f" is no token: unknown token {step.id}")]
    assert isinstance(step, SymbolDropped)
    return [
        literal(step.text, "unknown"),
        Span(" is no token, and neither are its bytes: llama.cpp puts nothing for it"),
    ]


def _matching(run: Run, chunk: ChunkStory, limits: Limits) -> list[Block]:
    """Longest matches, or blocks of DNA, from left to right."""
    steps = [
        step
        for step in chunk.steps
        if isinstance(step, LongestMatch | DnaBlock | UnknownToken | WordRolledBack)
    ]
    shown = steps if not limits.steps else steps[: limits.steps]
    rows: list[tuple[Line, ...]] = []
    roles = iter(chunk.tokens)
    rolled_back = any(isinstance(step, WordRolledBack) for step in steps)
    for step in shown:
        if isinstance(step, LongestMatch):
            role = "dim" if rolled_back else token_role(run, next(roles))
            said = "matched, but given up below" if rolled_back else "longest token here"
            found = literal(step.text, role)
            rows.append((line(str(step.text_start)), line(found), line(str(step.id)), line(said)))
        elif isinstance(step, DnaBlock):
            found = literal(step.text, token_role(run, next(roles)))
            said = dna_block(step)
            rows.append((line(str(step.text_start)), line(found), line(str(step.id)), line(said)))
        elif isinstance(step, WordRolledBack):
            rest = step.word[step.text_start :]
            said = f"no token starts {quoted(rest)}"
            if step.matched:
                given_up = ", ".join(map(str, step.matched))
                said += f": {given_up} {'is' if len(step.matched) == 1 else 'are'} given up"
            said += ", and the unknown token stands for the word"
            found = literal(step.word, "unknown")
            rows.append((line(str(step.text_start)), line(found), line(str(step.id)), line(said)))
        else:
            if not rolled_back:
                next(roles, None)
            found = literal(step.text, "unknown")
            rows.append(
                (line("-"), line(found), line(str(step.id)), line("no token: the unknown one"))
            )
    columns = (Column("at", True), Column("text"), Column("id", True), Column("why"))
    blocks: list[Block] = [Table(columns, rows)] if rows else []
    if len(shown) < len(steps):
        blocks.append(Folded(len(steps) - len(shown), "matches", f"--max-steps {len(steps)}"))
    return blocks
