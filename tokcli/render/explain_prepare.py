"""Stage 3: what is done to the text before it is cut into chunks."""

from __future__ import annotations

from difflib import SequenceMatcher

from tokcli.render.explain_model import Run, TextStory
from tokcli.render.explain_view import (
    Block,
    Column,
    Group,
    Limits,
    Line,
    Paragraph,
    Span,
    Stage,
    Table,
    folded_table,
    line,
    literal,
    span_of,
)
from tokcli.render.explain_why import setting_text
from tokcli.text.unicode import METASPACE, REPLACEMENT, decode, first_ill_formed
from tokcli.text.unicode_maps import category
from tokcli.trace import Change, TextPrepared
from tokcli.vocab import VocabType

__all__ = ["prepare_stage"]

LONGEST_TEXT = 300
LONGEST_COMPARED = 400
NOT_UTF_8 = "is not UTF-8"

RULES = {
    "replaced_bytes": "each byte that is not UTF-8 becomes U+FFFD",
    "space_prefix": "a space goes before text that starts the input or follows a special token",
    "escape_whitespaces": "each space becomes ▁ (U+2581)",
    "metaspace": "▁ goes before the text",
    "nfc": "Unicode normalization form C",
    "charsmap": "SentencePiece's character map, then white space: ▁ marks the start of a word",
    "lowercase": "letters to lower case",
    "clean_text": "white space ends words; punctuation and Chinese characters are words of their "
    "own; control characters and U+FFFD go",
    "soprano": "runs of white space become one space, letters lower case",
    "byte_order_mark": "a byte order mark at the start goes",
    "dna": "groups of bases set apart by blanks are joined",
}
SETTINGS = {
    "space_prefix": ("add_space_prefix",),
    "escape_whitespaces": ("escape_whitespaces",),
    "metaspace": ("prepend_scheme",),
    "nfc": ("nfc",),
    "charsmap": ("add_space_prefix", "remove_extra_whitespaces"),
    "lowercase": ("lowercase",),
    "clean_text": ("lowercase", "strip_accents"),
    "dna": ("dna_auto_tags",),
}


def prepare_stage(run: Run, limits: Limits) -> Stage:
    """The rules that rewrite each stretch of text, before and after."""
    texts = [text for text in run.texts if limits.chunk is None or _holds(text, limits.chunk)]
    rules = [rewrite.rule for text in texts for rewrite in text.rewrites]
    if not rules:
        return Stage("prepare", line(_nothing(run)), [])
    blocks: list[Block] = [_rules(run, list(dict.fromkeys(rules)))]
    shown = texts if not limits.steps else texts[: limits.steps]
    for text in shown:
        blocks.append(Group(_title(run, text), _rewrites(text, limits)))
    changing = any(r.before != r.after for text in texts for r in text.rewrites)
    note = "rules rewrite the text" if changing else "rules apply, and change nothing here"
    return Stage("prepare", line(note), blocks)


def _nothing(run: Run) -> str:
    if not run.texts:
        return "no text to prepare"
    return "nothing is rewritten"


def _holds(text: TextStory, number: int) -> bool:
    return any(chunk.number == number for chunk in text.chunks)


def _title(run: Run, text: TextStory) -> Line:
    data = run.explanation.input[text.start : text.end]
    return line(
        Span(span_of(text.start, text.end), "number"), "  ", literal(data, "", LONGEST_TEXT)
    )


def _rules(run: Run, rules: list[str]) -> Block:
    rows: list[tuple[Line, ...]] = []
    for rule in rules:
        why = [setting_text(run, name) for name in SETTINGS.get(rule, ())]
        says = RULES.get(rule, "")
        if rule == "metaspace" and run.vocab.pre == "mmbert":
            says, why = "▁ goes before each line", []
        if rule == "charsmap" and run.vocab.type == VocabType.UGM and not run.vocab.charsmap:
            says = "no character map in the file; white space: ▁ marks the start of a word"
        if rule == "escape_whitespaces" and run.vocab.type == VocabType.SPM:
            # Whatever the setting says, and no key sets it.
            why = ["SPM always does that"]
        rows.append((line(Span(rule, "strong")), line("; ".join([says, *why]))))
    return Table((Column("rule"), Column("does")), rows)


def _rewrites(text: TextStory, limits: Limits) -> list[Block]:
    blocks: list[Block] = []
    for rewrite in text.rewrites:
        if rewrite.before == rewrite.after:
            blocks.append(Paragraph(line(Span(rewrite.rule, "strong"), "  changes nothing")))
            continue
        blocks.append(Paragraph(line(Span(rewrite.rule, "strong"), "  ->  ", *_compared(rewrite))))
        if rewrite.changes:
            blocks += _changes(rewrite, limits)
    return blocks


def _compared(rewrite: TextPrepared) -> list[Span]:
    """The text after the rule, with what is new in it marked."""
    before = rewrite.before.decode("utf-8", "surrogateescape")
    after = rewrite.after.decode("utf-8", "surrogateescape")
    if len(before) > LONGEST_COMPARED or len(after) > LONGEST_COMPARED:
        return [literal(rewrite.after, "", LONGEST_TEXT)]
    spans: list[Span] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, _, _, start, end in matcher.get_opcodes():
        if start < end:
            part = after[start:end].encode("utf-8", "surrogateescape")
            spans.append(literal(part, "" if kind == "equal" else "changed"))
    return spans or [literal(b"")]


def _changes(rewrite: TextPrepared, limits: Limits) -> list[Block]:
    rows: list[tuple[Line, ...]] = []
    for change in rewrite.changes:
        before = rewrite.before[change.start : change.end]
        rows.append(
            (
                line(span_of(change.start, change.end)),
                line(literal(before, "strong", 40)),
                line(literal(change.after, "changed", 40)),
                line(_described(rewrite.rule, change, before)),
            )
        )
    columns = (Column("at", True), Column("text"), Column("becomes"), Column("since it"))
    return folded_table(columns, rows, limits, "changes")


def _described(rule: str, change: Change, before: bytes) -> str:
    after = change.after
    if rule == "replaced_bytes":
        return NOT_UTF_8
    if rule == "clean_text":
        if after == b" ":
            return "is white space and ends a word"
        if not after:
            return _dropped(before)
        if after.startswith(b" ") and after.endswith(b" "):
            return "is a word of its own"
        return "loses its case or accent"
    rest = after[len(METASPACE) :] if after.startswith(METASPACE) else after
    starts = rest is not after
    if not after:
        return "is white space" if not before.strip() else "is mapped to nothing"
    if starts and rest == before:
        return "starts a word"
    if starts and not rest:
        return "is white space"
    replaced = rest == REPLACEMENT and first_ill_formed(before) is not None
    cause = NOT_UTF_8 if replaced else "is mapped"
    return f"starts a word, and {cause}" if starts else cause


def _dropped(before: bytes) -> str:
    """What the character is for which WPM puts nothing."""
    if before == REPLACEMENT:
        return "is U+FFFD, which stands for lost text, and goes"
    if category(ord(decode(before))) == "M":
        return "is an accent and goes"
    return "is a control, format or private-use character and goes"
