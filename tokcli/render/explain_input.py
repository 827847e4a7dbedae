"""Stages 1 and 2: the input's bytes, and the special tokens cut out of it."""

from __future__ import annotations

import unicodedata

from tokcli.render.explain_model import Run, SpecialStory
from tokcli.render.explain_tokens import kind_of, piece_span
from tokcli.render.explain_view import (
    ALL,
    Block,
    Column,
    Folded,
    Limits,
    Line,
    Paragraph,
    Span,
    Stage,
    Strip,
    folded_table,
    line,
    literal,
    plural,
    span_of,
)
from tokcli.render.explain_why import quoted
from tokcli.render.terminal import visible

__all__ = ["fragments_stage", "input_stage"]

LONGEST_TEXT = 600
LONGEST_STRIP = 64


def input_stage(run: Run, limits: Limits) -> Stage:
    """The input as bytes and code points."""
    data = run.explanation.input
    characters = _characters(data)
    note = [plural(len(data), "byte"), plural(len(characters), "code point")]
    escapes = run.request.escapes
    if escapes:
        note.append(plural(escapes, "escape") + " processed (--no-escape leaves them)")
    blocks: list[Block] = []
    if escapes and run.request.typed is not None:
        typed = visible(run.request.typed)[:LONGEST_TEXT]
        blocks.append(Paragraph(line(Span("typed  ", "dim"), typed)))
    if not data:
        return Stage("input", line("empty"), blocks)
    if len(visible(data)) > LONGEST_TEXT and limits.steps:
        blocks.append(Paragraph(line(literal(data, "strong", LONGEST_TEXT))))
        blocks.append(Folded(len(visible(data)) - LONGEST_TEXT, "characters", ALL))
    else:
        blocks.append(Paragraph(line(literal(data, "strong"))))
    shown = characters[:LONGEST_STRIP] if limits.steps else characters
    blocks.append(
        Strip([(line(literal(part, "strong")), line(part.hex(" "))) for _, part in shown])
    )
    if len(shown) < len(characters):
        blocks.append(Folded(len(characters) - len(shown), "code points", ALL))
    rows = _notable(characters)
    if rows:
        blocks += folded_table(
            (Column("at", True), Column("bytes"), Column("is"), Column("name")),
            rows,
            limits,
            "kinds of code points",
        )
    return Stage("input", line(", ".join(note)), blocks)


def _characters(data: bytes) -> list[tuple[int, bytes]]:
    """Code points with their offsets; bytes that are not UTF-8 one by one."""
    characters = []
    offset = 0
    for char in data.decode("utf-8", "surrogateescape"):
        part = char.encode("utf-8", "surrogateescape")
        characters.append((offset, part))
        offset += len(part)
    return characters


def _notable(characters: list[tuple[int, bytes]]) -> list[tuple[Line, ...]]:
    """What is not printable ASCII, each once."""
    first: dict[bytes, int] = {}
    for offset, part in characters:
        if len(part) > 1 or not 0x20 <= part[0] < 0x7F:
            first.setdefault(part, offset)
    return [
        (line(str(offset)), line(part.hex(" ")), line(literal(part)), line(_name(part)))
        for part, offset in first.items()
    ]


def _name(part: bytes) -> str:
    try:
        char = part.decode()
    except UnicodeDecodeError:
        return "not UTF-8"
    return f"U+{ord(char):04X} {unicodedata.name(char, _CONTROLS.get(char, ''))}".rstrip()


_CONTROLS = {
    "\0": "NULL",
    "\t": "CHARACTER TABULATION",
    "\n": "LINE FEED",
    "\r": "CARRIAGE RETURN",
    "\x1b": "ESCAPE",
    "\x7f": "DELETE",
}


def fragments_stage(run: Run, limits: Limits) -> Stage:
    """Special tokens cut out of the input, and the text between them."""
    rows: list[tuple[Line, ...]] = []
    specials = 0
    for fragment in run.fragments:
        if isinstance(fragment, SpecialStory):
            specials += 1
            row = fragment.token
            event = fragment.event
            what = piece_span(run, row)
            ate = (
                run.explanation.input[event.strip_start : event.start],
                run.explanation.input[event.end : event.strip_end],
            )
            notes = [f"took {quoted(text)} with it" for text in ate if text]
            kind = event.rule.replace("_", "-")
            said = [f"{kind} token {row.id}", *notes]
            rows.append((line(span_of(event.start, event.end)), line(what), line("; ".join(said))))
        else:
            data = run.explanation.input[fragment.start : fragment.end]
            shown = literal(data, "strong", 60)
            rows.append((line(span_of(fragment.start, fragment.end)), line(shown), line("text")))
    blocks: list[Block] = []
    if specials:
        columns = (Column("bytes", True), Column("fragment"), Column("what"))
        blocks += folded_table(columns, rows, limits, "fragments")
    blocks += _ignored(run, limits)
    return Stage("fragments", _fragments_note(run, specials), blocks)


def _fragments_note(run: Run, specials: int) -> Line:
    if not run.fragments:
        return line("none, the input is empty")
    if not specials:
        if run.explanation.ignored_special:
            return line("all of it is text, since parse_special is off")
        return line("all of it is text, no special token in it")
    rule = (
        "control, unknown and user-defined tokens"
        if run.explanation.parse_special
        else "user-defined tokens"
    )
    return line(f"{plural(specials, 'special token')} cut out; looked for: {rule}, longest first")


def _ignored(run: Run, limits: Limits) -> list[Block]:
    rows: list[tuple[Line, ...]] = [
        (
            line(span_of(found.start, found.end)),
            line(literal(run.vocab.texts[found.id], "warn")),
            line(
                f"spells token {found.id} ({kind_of(run, found.id)}), but is taken as text: "
                "parse_special is off; leave out --no-parse-special to have it cut out"
            ),
        )
        for found in run.explanation.ignored_special
    ]
    if not rows:
        return []
    columns = (Column("bytes", True), Column("text"), Column("remark"))
    return folded_table(columns, rows, limits, "remarks")
