"""Why a token is there, in one line, and where a setting comes from."""

from __future__ import annotations

from tokcli.algorithms.base import NO_TOKEN
from tokcli.render.explain_model import (
    Added,
    ChunkStory,
    CutOut,
    Hashed,
    Merged,
    OneOfBytes,
    OnPath,
    Run,
    TokenRow,
)
from tokcli.render.terminal import visible
from tokcli.text.float_text import float_text
from tokcli.trace import (
    DnaBlock,
    FragmentSpecial,
    LongestMatch,
    MergeApplied,
    UnknownToken,
    WholeWord,
    WordRolledBack,
)
from tokcli.vocab import Provenance, VocabType

__all__ = ["dna_block", "origin", "priority", "quoted", "reason", "setting_text"]


def quoted(data: bytes, limit: int = 24) -> str:
    """`data` in quotes, cut where it is long."""
    text = visible(data, backslash=True).replace('"', '\\"')
    return f'"{text if len(text) <= limit else text[: limit - 1] + "…"}"'


def origin(source: Provenance) -> str:
    """Where a value came from, in words."""
    return {"key": f"key {source.detail}", "forced": f"forced {source.detail}"}.get(
        source.kind, source.detail
    )


def setting_text(run: Run, name: str) -> str:
    """ "add_bos is true (default of SPM)"."""
    setting = run.vocab.settings[name]
    value = setting.value
    shown = str(value).lower() if isinstance(value, bool) else f"'{value}'"
    return f"{name} is {shown} ({origin(setting.source)})"


def priority(merge: MergeApplied) -> str:
    """ "rank 4" or "score -1"."""
    if merge.rank is not None:
        return f"rank {merge.rank}"
    return f"score {float_text(merge.score or 0.0)}"


def reason(run: Run, row: TokenRow, chunk: ChunkStory | None) -> str:
    """Why the token of `row` is there; `chunk` is the one that it belongs to."""
    cause = row.cause
    if isinstance(cause, Added):
        return _added(run, cause)
    if isinstance(cause, CutOut):
        return _cut_out(cause.event)
    if isinstance(cause, Merged):
        return _merged(cause, chunk)
    if isinstance(cause, OneOfBytes):
        where = f" {cause.place + 1} of {cause.count}" if cause.count > 1 else ""
        return f"byte{where} of {quoted(cause.symbol)}, which is no token"
    if isinstance(cause, OnPath):
        return _on_path(run, cause)
    if isinstance(cause, WholeWord):
        return _whole(cause, row)
    if isinstance(cause, UnknownToken):
        return _unknown(run, cause)
    if isinstance(cause, WordRolledBack):
        return (
            f"no token continues {quoted(cause.word)} at {quoted(cause.word[cause.text_start :])}, "
            f"so the whole word is unknown"
        )
    if isinstance(cause, LongestMatch):
        return _longest(run, cause)
    if isinstance(cause, DnaBlock):
        return dna_block(cause)
    assert isinstance(cause, Hashed)
    return f"hash of {quoted(b'' if chunk is None else chunk.event.text)} modulo {len(run.vocab)}"


def _added(run: Run, cause: Added) -> str:
    place = "start" if cause.role == "BOS" else "end"
    if cause.setting == "add_special":
        return f"added at the {place}: {run.vocab.type.label} always does"
    return f"added at the {place}: {setting_text(run, cause.setting)}"


def _cut_out(event: FragmentSpecial) -> str:
    why = {
        "control": "control token in the text (parse_special)",
        "unknown": "unknown token in the text (parse_special)",
        "user_defined": "user-defined token, always cut out",
    }[event.rule]
    left, right = event.start - event.strip_start, event.strip_end - event.end
    if left or right:
        sides = [f"{left} before (LSTRIP)"] * bool(left) + [f"{right} after (RSTRIP)"] * bool(right)
        why += f"; took spaces with it: {', '.join(sides)}"
    return why


def _merged(cause: Merged, chunk: ChunkStory | None) -> str:
    merges = cause.merges
    whole = chunk is not None and len(chunk.final) == 1
    if not merges:
        if whole:
            return "whole chunk, one symbol"
        return "no merge joins this symbol to a neighbour"
    part = "whole chunk, " if whole else ""
    if len(merges) == 1:
        return f"{part}1 merge, {priority(merges[0])}"
    return f"{part}{len(merges)} merges, last {priority(merges[-1])}"


def _on_path(run: Run, cause: OnPath) -> str:
    steps = cause.steps
    if not steps:
        return "on the best path"
    backwards = run.vocab.type in (VocabType.PLAMO2, VocabType.PLAMO3)
    total = f"total {steps[-1].total:.6g}{' from here to the end' if backwards else ''}"
    if steps[0].id == run.vocab.special_id("unk") or steps[0].id == NO_TOKEN:
        count = len(steps)
        if count > 1:
            return f"{count} characters in no token, taken together as unknown; {total}"
        return f"no token has this character: unknown at {steps[0].score:.6g}, {total}"
    return f"on the best path: score {steps[0].score:.6g}, {total}"


def _whole(cause: WholeWord, row: TokenRow) -> str:
    if cause.rule == "dna_tag":
        return "DNA tag" if row.start != row.end else "DNA tag, put in by dna_auto_tags"
    if cause.rule == "newlines":
        return "newlines that are a token, no merging"
    return "whole chunk is a token (ignore_merges)"


def _unknown(run: Run, cause: UnknownToken) -> str:
    if cause.id == NO_TOKEN:
        return f"{quoted(cause.text)} is no token, nor is there an unknown token: llama.cpp puts -1"
    if run.vocab.model == "hybriddna":
        return f"{quoted(cause.text)} is no token of bases A, C, G, T: out of vocabulary"
    return f"{quoted(cause.text)} is no token: unknown"


def _longest(run: Run, cause: LongestMatch) -> str:
    if run.vocab.type == VocabType.WPM:
        if cause.text_start == 0:
            return "longest token that starts the word"
        return f"longest token that goes on at byte {cause.text_start} of ▁word"
    return f"longest token at byte {cause.text_start} of the text"


def dna_block(block: DnaBlock) -> str:
    """Which bases of the DNA the token is."""
    if block.text == block.kmer:
        return "the next six bases of DNA"
    kmer = quoted(block.kmer)
    if len(block.text) == len(block.kmer):
        return f"the next six bases of DNA, in upper case: {kmer}"
    left = "base" if len(block.text) == 1 else f"{len(block.text)} bases"
    return f"the last {left} of DNA, filled up to six: {kmer}"
