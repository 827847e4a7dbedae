"""Stages 4 and 5: the chunks, which regex cut each, and the bytes as the vocabulary writes them."""

from __future__ import annotations

from tokcli.render.explain_model import ChunkStory, Run
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
    folded_table,
    line,
    literal,
    plural,
    span_of,
)
from tokcli.render.terminal import visible
from tokcli.trace import ChunksSplit
from tokcli.vocab import VocabType

__all__ = ["bytes_stage", "chunks_stage", "shown_chunks"]

LONGEST_CHUNK = 60
UNCUT = {
    VocabType.SPM: "none: SPM merges over the whole text, across words",
    VocabType.UGM: "none: Unigram looks for the best path through the whole text",
    VocabType.RWKV: "none: RWKV goes through the whole text from left to right",
    VocabType.PLAMO2: "none: PLaMo2 looks for the best path through the whole text",
}
CUT = {
    VocabType.WPM: "words; each is tokenized by itself",
    VocabType.TEST: "pieces of five bytes",
    VocabType.PLAMO3: "pieces: PLaMo3 cuts at runs and around <|plamo:...|>, and drops U+EE00",
}


def shown_chunks(run: Run, limits: Limits) -> list[ChunkStory]:
    """The chunks that limits.chunk lets through."""
    return [chunk for chunk in run.chunks if limits.chunk in (None, chunk.number)]


def chunks_stage(run: Run, limits: Limits) -> Stage:
    """The chunks, and the regex and alternative that cut each."""
    vocab_type = run.vocab.type
    if not run.chunks:
        return Stage("chunks", line("none, no text is left"), [])
    if vocab_type in UNCUT:
        if len(run.texts) == 1:
            return Stage("chunks", line(UNCUT[vocab_type]), [])
        return Stage("chunks", line(UNCUT[vocab_type]), _plain_chunks(run, limits))
    if vocab_type in CUT:
        return Stage("chunks", line(CUT[vocab_type]), _plain_chunks(run, limits))
    regexes = run.regexes
    count = plural(len(run.chunks), "chunk")
    regex_count = plural(len(regexes), "regex", "regexes")
    note = f"{count}; pre-tokenizer '{visible(run.vocab.pre)}', {regex_count}"
    if run.vocab.model == "whitespace":
        note = f"{count}, the text between white space"
    blocks: list[Block] = []
    for regex in regexes:
        blocks += _regex(regex, len(regexes))
    rows = [_cut_row(run, chunk, regexes) for chunk in shown_chunks(run, limits)]
    columns = (
        Column("chunk", True),
        Column("bytes", True),
        Column("text"),
        Column("regex.alternative" if len(regexes) > 1 else "alternative", True),
        Column("matched by"),
    )
    blocks += folded_table(columns, rows, limits, "chunks", f"{ALL}, or --chunk N for one")
    return Stage("chunks", line(note), blocks)


def _plain_chunks(run: Run, limits: Limits) -> list[Block]:
    rows: list[tuple[Line, ...]] = [
        (
            line(Span(str(chunk.number), "number")),
            line(span_of(chunk.event.start, chunk.event.end, chunk.event.exact)),
            line(literal(chunk.event.text, "strong", LONGEST_CHUNK)),
        )
        for chunk in shown_chunks(run, limits)
    ]
    columns = (Column("chunk", True), Column("bytes", True), Column("text"))
    return folded_table(columns, rows, limits, "chunks", f"{ALL}, or --chunk N for one")


def _regex(regex: ChunksSplit, count: int) -> list[Block]:
    name = f"regex {regex.stage + 1}" if count > 1 else "regex"
    blocks: list[Block] = [
        Paragraph(line(Span(name, "strong"), "  ", Span(visible(regex.pattern), "regex")))
    ]
    if regex.splitter is not None:
        said = f"llama.cpp has code of its own in place of it: '{regex.splitter}'"
        blocks.append(Paragraph(line(Span(said, "dim"))))
    in_effect = "|".join(regex.alternatives)
    if in_effect != regex.pattern:
        blocks.append(
            Paragraph(line(Span("in effect", "strong"), "  ", Span(visible(in_effect), "regex")))
        )
    return blocks


def _cut_row(run: Run, chunk: ChunkStory, regexes: list[ChunksSplit]) -> tuple[Line, ...]:
    event = chunk.event
    where, how = _cut(chunk, regexes)
    return (
        line(Span(str(chunk.number), "number")),
        line(span_of(event.start, event.end, event.exact)),
        line(literal(event.text, "strong", LONGEST_CHUNK)),
        line(where),
        how,
    )


def _cut(chunk: ChunkStory, regexes: list[ChunksSplit]) -> tuple[str, Line]:
    if not chunk.split:
        return "-", line("no regex: DNA or a tag around it")
    exact = [
        cut for cut in chunk.cuts if (cut.start, cut.end) == (chunk.event.start, chunk.event.end)
    ]
    if not chunk.cuts:
        return "-", line("no regex: text between matches")
    # Later regexes are given what this one cut, and may match it once more.
    cut = exact[0] if exact else chunk.cuts[-1]
    regex = next(regex for regex in regexes if regex.stage == cut.stage)
    pattern = Span(_short(visible(regex.alternatives[cut.alternative])), "regex")
    label = f"{cut.alternative + 1}"
    if len(regexes) > 1:
        label = f"{cut.stage + 1}.{label}"
    return label, line(pattern) if exact else line("what is left of ", pattern)


def _short(pattern: str) -> str:
    return pattern if len(pattern) <= LONGEST_CHUNK else pattern[: LONGEST_CHUNK - 1] + "…"


def bytes_stage(run: Run, limits: Limits) -> Stage:
    """How the bytes of each chunk are written for the vocabulary."""
    vocab = run.vocab
    if not vocab.flag("byte_encode"):
        return Stage("bytes", line(_unmapped(run)), [])
    pairs: dict[str, str] = {}
    rows: list[tuple[Line, ...]] = []
    for chunk in shown_chunks(run, limits):
        event = chunk.event
        if not chunk.symbols and event.text == event.encoded and not chunk.split:
            continue
        written = event.encoded.decode("utf-8", "surrogateescape")
        for byte, char in zip(event.text, written, strict=False):
            if char != chr(byte):
                pairs.setdefault(f"{byte:02x}", visible(char))
        rows.append(
            (
                line(Span(str(chunk.number), "number")),
                line(literal(event.text, "strong", 40)),
                line(event.text[:16].hex(" ") + (" …" if len(event.text) > 16 else "")),
                _written(event.text, written),
            )
        )
    note = "each byte is written as one character of GPT-2's byte alphabet"
    if not pairs:
        return Stage("bytes", line(f"{note}; these look the same in it"), [])
    listed = [f"{byte} {char}" for byte, char in sorted(pairs.items())]
    blocks: list[Block] = []
    shown = listed if not limits.steps else listed[:40]
    blocks.append(Paragraph(line(Span("written as  ", "strong"), ",  ".join(shown))))
    if len(shown) < len(listed):
        blocks.append(Folded(len(listed) - len(shown), "bytes", ALL))
    columns = (Column("chunk", True), Column("text"), Column("bytes"), Column("written"))
    blocks += folded_table(columns, rows, limits, "chunks", f"{ALL}, or --chunk N for one")
    return Stage("bytes", line(note), blocks)


def _written(text: bytes, written: str) -> Line:
    """The chunk as the vocabulary writes it, with what looks different marked."""
    limit = 40
    spans = []
    for byte, char in zip(text[:limit], written[:limit], strict=False):
        spans.append(literal(char.encode(), "" if char == chr(byte) else "changed"))
    if len(written) > limit:
        spans.append(Span("…"))
    return tuple(spans)


def _unmapped(run: Run) -> str:
    vocab = run.vocab
    if vocab.type in (VocabType.SPM, VocabType.PLAMO2, VocabType.PLAMO3):
        return "as they are; a character that is no token falls back on tokens <0xNN>, one a byte"
    if vocab.type == VocabType.BPE and vocab.special_id("unk") is None:
        return "as they are: characters, not bytes, are merged"
    if vocab.type == VocabType.WPM:
        return "as they are; words begin with ▁"
    return "as they are"
