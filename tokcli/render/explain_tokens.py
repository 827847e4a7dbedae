"""Stages 7 and 8: the tokens with a reason for each, and what to worry about."""

from __future__ import annotations

from tokcli.algorithms.base import NO_TOKEN
from tokcli.listing.token_roles import attribute_names, token_roles
from tokcli.prompt_warnings import unasked_specials
from tokcli.render.explain_model import Added, CutOut, OneOfBytes, OnPath, Run, TokenRow
from tokcli.render.explain_view import (
    ALL,
    PALETTE,
    Block,
    Column,
    Folded,
    Limits,
    Line,
    Paragraph,
    Span,
    Stage,
    Strip,
    Table,
    folded_table,
    line,
    literal,
    plural,
    span_of,
)
from tokcli.render.explain_why import quoted, reason
from tokcli.render.terminal import visible
from tokcli.trace import UnknownToken, WordRolledBack

__all__ = [
    "kind_of",
    "piece_span",
    "remarks",
    "strip",
    "token_role",
    "tokens_stage",
    "warnings_stage",
]

LONGEST_STRIP = 64
MOST_HEX = 16


def token_role(run: Run, row: TokenRow) -> str:
    """The role in which the token is shown wherever it occurs."""
    cause = row.cause
    if isinstance(cause, Added):
        return "added"
    if isinstance(cause, CutOut):
        return "special"
    if isinstance(cause, OneOfBytes):
        return "byte"
    unknown = run.vocab.special_id("unk")
    lost = isinstance(cause, UnknownToken | WordRolledBack)
    if lost or (isinstance(cause, OnPath) and row.id in (unknown, NO_TOKEN)):
        return "unknown"
    return PALETTE[row.index % len(PALETTE)]


def piece_span(run: Run, row: TokenRow) -> Span:
    """The token as it looks in text, as a span."""
    piece = run.piece(row.id)
    role = token_role(run, row)
    if piece is None:
        return Span("(no piece)", role)
    return literal(piece, role, limit=40)


def strip(run: Run, rows: tuple[TokenRow, ...]) -> list[Block]:
    """The tokens side by side, ids below."""
    if not rows:
        return [Paragraph(line("no tokens"))]
    cells = [(line(piece_span(run, row)), line(str(row.id))) for row in rows[:LONGEST_STRIP]]
    blocks: list[Block] = [Strip(cells)]
    if len(rows) > LONGEST_STRIP:
        blocks.append(Folded(len(rows) - LONGEST_STRIP, "tokens", f"--stage tokens {ALL}"))
    return blocks


def kind_of(run: Run, id: int) -> str:
    """The names of the token's attributes."""
    if not 0 <= id < len(run.vocab):
        return "none"
    names = attribute_names(run.vocab.attr(id))
    return " ".join(name.replace("_", "-") for name in names) or "undefined"


def tokens_stage(run: Run, limits: Limits) -> Stage:
    """The result, with a reason for each token."""
    roles = token_roles(run.vocab)
    chunks = run.chunks
    rows: list[tuple[Line, ...]] = []
    wanted = [row for row in run.tokens if limits.chunk in (None, row.chunk)]
    shown = wanted if not limits.steps else wanted[: limits.steps]
    for row in shown:
        chunk = None if row.chunk is None else chunks[row.chunk - 1]
        piece = run.piece(row.id)
        kind = " ".join((kind_of(run, row.id), *roles.get(row.id, ())))
        rows.append(
            (
                line(str(row.index)),
                line(str(row.id)),
                line(piece_span(run, row)),
                line("-" if piece is None else _hex(piece)),
                line(kind),
                line(span_of(row.start, row.end, row.exact)),
                line("-" if row.exact else span_of(row.text_start, row.text_end)),
                line(reason(run, row, chunk)),
            )
        )
    columns: tuple[Column, ...] = (
        Column("#", True),
        Column("id", True),
        Column("piece"),
        Column("hex", wide=120),
        Column("type"),
        Column("bytes", True),
        Column("prepared", True, wide=100),
        Column("why"),
    )
    if all(row.exact for row in run.tokens):
        columns, rows = _without(columns, rows, 6)
    blocks: list[Block] = []
    if rows:
        blocks.append(Table(columns, rows))
    if len(shown) < len(wanted):
        blocks.append(Folded(len(wanted) - len(shown), "tokens", ALL))
    note = plural(len(run.tokens), "token")
    if limits.chunk is not None:
        note = f"{len(wanted)} of {note}, those of chunk {limits.chunk}"
    return Stage("tokens", line(note), blocks)


def _hex(piece: bytes) -> str:
    return piece[:MOST_HEX].hex(" ") + (" …" if len(piece) > MOST_HEX else "")


def _without(
    columns: tuple[Column, ...], rows: list[tuple[Line, ...]], place: int
) -> tuple[tuple[Column, ...], list[tuple[Line, ...]]]:
    return (
        columns[:place] + columns[place + 1 :],
        [row[:place] + row[place + 1 :] for row in rows],
    )


def remarks(run: Run) -> list[tuple[str, str]]:
    """What the run lost or could not say, as code and message; warnings not included."""
    found = []
    dropped = [text for chunk in run.chunks for text in chunk.dropped]
    if dropped:
        found.append(
            (
                "dropped",
                f"{plural(len(dropped), 'symbol')} got no token and vanished, the first "
                f"{quoted(dropped[0])}: the vocabulary has neither it nor its bytes, and llama.cpp "
                "puts nothing; 'tokcli check' tells what the file lacks",
            )
        )
    found += _not_asked(run)
    lost = [row for row in run.tokens if token_role(run, row) == "unknown"]
    if any(row.id == NO_TOKEN for row in lost):
        found.append(
            (
                "no-unknown-token",
                "the vocabulary has no unknown token, and llama.cpp puts -1, which no model takes; "
                "set tokenizer.ggml.unknown_token_id",
            )
        )
    elif lost:
        start, end = lost[0].start, lost[0].end
        text = run.explanation.input[start:end] if start is not None else b""
        found.append(
            (
                "unknown",
                f"{plural(len(lost), 'unknown token')}, the first for {quoted(text)} at "
                f"{span_of(start, end, lost[0].exact)}: the model does not see this text",
            )
        )
    return found


def _not_asked(run: Run) -> list[tuple[str, str]]:
    """Special tokens that the vocabulary would add, had they been asked for."""
    missing = unasked_specials(run.vocab)
    if missing is None or run.explanation.add_special:
        return []
    message = (
        f"no {missing} added: as llama-tokenize does, special tokens are asked for only where the "
        "vocabulary adds BOS; --add-special asks for them"
    )
    return [("not-asked", message)]


def warnings_stage(run: Run, limits: Limits) -> Stage:
    """Warnings and remarks with what to do."""
    found: list[tuple[Line, ...]] = [
        (line(Span(warning.code, "warn")), line(visible(warning.message)))
        for warning in run.explanation.warnings
    ]
    found += [
        (line(Span(code, "strong")), line(visible(message))) for code, message in remarks(run)
    ]
    if not found:
        return Stage("warnings", line("none"), [])
    columns = (Column("code"), Column("what, and what to do"))
    others = len(found) - len(run.explanation.warnings)
    counts = [(len(found) - others, "warning"), (others, "remark")]
    note = ", ".join(plural(count, what) for count, what in counts if count)
    return Stage("warnings", line(note), folded_table(columns, found, limits, "warnings"))
