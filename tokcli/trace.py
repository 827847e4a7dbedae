"""What the engine tells a listener, one event for each thing that llama.cpp decides.

Every stage takes `trace: TraceSink | None`. With None nothing is built and nothing is paid;
with a sink the same code path reports as it goes. Events arrive in the order of the work:

    SpecialAdded (BOS)
    for each fragment: FragmentText | FragmentSpecial, then for text
        TextPrepared*           each rule that rewrites the fragment
        ChunksSplit*            each regex of the pre-tokenizer, in order
        for each chunk: ChunkStarted, the events of the algorithm, TokenEmitted*
    SpecialAdded (EOS, SEP)

All spans are byte offsets. `start`/`end` point into the input; `text_start`/`text_end` point
into the prepared text of the fragment. The set of events is not a stable API before 1.0; the
JSON that `tokcli explain --format json` prints is versioned on its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

__all__ = [
    "BestPath",
    "ByteFallback",
    "Candidate",
    "Candidates",
    "Change",
    "Chunk",
    "ChunkStarted",
    "ChunksSplit",
    "DnaBlock",
    "Event",
    "FragmentSpecial",
    "FragmentText",
    "LongestMatch",
    "MergeApplied",
    "PathStep",
    "SpecialAdded",
    "SymbolDropped",
    "SymbolsSplit",
    "TextPrepared",
    "TokenEmitted",
    "TraceSink",
    "UnknownToken",
    "WholeWord",
    "WordRolledBack",
]


class SpecialAdded(NamedTuple):
    """add_special put a token in: `setting` is the rule that asked for it ("add_bos", "add_eos",
    or "add_special" where llama.cpp heeds no setting, as in WPM)."""

    role: Literal["BOS", "EOS", "SEP"]
    id: int
    setting: str


class FragmentText(NamedTuple):
    """A stretch of plain text between special tokens; `start`/`end`: bytes of the input."""

    start: int
    end: int


class FragmentSpecial(NamedTuple):
    """A special token cut out of the input before tokenizing.

    `strip_start`/`strip_end` include the white space that LSTRIP/RSTRIP ate around
    `start`/`end`.
    """

    id: int
    start: int
    end: int
    rule: Literal["control", "user_defined", "unknown"]
    strip_start: int
    strip_end: int


class Change(NamedTuple):
    """Bytes start..end of the text before a rule became `after`."""

    start: int
    end: int
    after: bytes


class TextPrepared(NamedTuple):
    """One rule rewrote the fragment's text, from `before` to `after` (equal when it changed
    nothing). Rules: "replaced_bytes" (bytes that are not UTF-8 became U+FFFD; reported only where
    there are any), "space_prefix", "escape_whitespaces", "metaspace", "nfc", "charsmap",
    "lowercase", "clean_text", "soprano", "byte_order_mark", "dna".

    `changes` is filled by "replaced_bytes" and by the rules that do several things at once,
    "charsmap" (which also replaces bytes) and "clean_text".
    """

    rule: str
    before: bytes
    after: bytes
    changes: tuple[Change, ...] = ()


class Chunk(NamedTuple):
    """A piece of a fragment: its span in the input, and the number (from 0) of the regex's
    alternative that matched it, None for text between matches."""

    start: int
    end: int
    alternative: int | None


class ChunksSplit(NamedTuple):
    """One regex of the pre-tokenizer was applied to every piece of the one before.

    `name` is the pre-tokenizer's name, `stage` counts its regexes from 0, `pattern` is the
    published regex, `alternatives` its top-level alternatives, `splitter` names llama.cpp's
    hand-written splitter where it runs one in place of the regex.
    """

    stage: int
    name: str
    pattern: str
    alternatives: tuple[str, ...]
    splitter: str | None
    chunks: tuple[Chunk, ...]


class ChunkStarted(NamedTuple):
    """The algorithm takes up a chunk: `text` is the prepared text, `encoded` what the vocabulary
    is asked for (byte-mapped for byte-level BPE, equal to `text` elsewhere).

    `start`/`end` are bytes of the input; where `exact` is false the text was rewritten and they
    are the best enclosing span. `text_start`/`text_end`: bytes of the fragment's prepared text.
    """

    text: bytes
    encoded: bytes
    start: int
    end: int
    text_start: int
    text_end: int
    exact: bool


class SymbolsSplit(NamedTuple):
    """The symbols that merging starts from (one for each character of `encoded`)."""

    symbols: tuple[bytes, ...]


class MergeApplied(NamedTuple):
    """Two neighbouring symbols became one. `left_index`/`right_index` are the positions, in the
    initial symbols, of the first symbol of either side. `rank` for BPE, `score` for SPM."""

    left_index: int
    right_index: int
    left: bytes
    right: bytes
    result: bytes
    rank: int | None
    score: float | None


class WholeWord(NamedTuple):
    """The whole chunk is a token and no merge was tried; `rule` says why: "ignore_merges",
    "newlines" or "dna_tag" (a tag around DNA; the chunk is empty where dna_auto_tags put it in)."""

    text: bytes
    id: int
    rule: str


class ByteFallback(NamedTuple):
    """A symbol is not in the vocabulary and goes out as one token a byte (`ids` holds those
    that exist)."""

    symbol: bytes
    ids: tuple[int, ...]


class UnknownToken(NamedTuple):
    """Nothing in the vocabulary covers `text`, and the unknown token stands for it."""

    text: bytes
    id: int


class SymbolDropped(NamedTuple):
    """Nothing in the vocabulary covers `text`, and llama.cpp emits nothing for it."""

    text: bytes


class LongestMatch(NamedTuple):
    """The longest token that starts at `text_start` (bytes of the chunk) is `text`."""

    text: bytes
    id: int
    text_start: int


class DnaBlock(NamedTuple):
    """hybriddna: the next six bases of DNA, `text`, fewer at its end; from `text_start` (bytes of
    the chunk). `kmer` is what the vocabulary is asked for: upper case, filled up to six."""

    text: bytes
    id: int
    text_start: int
    kmer: bytes


class WordRolledBack(NamedTuple):
    """WPM: no token continues `word` at byte `text_start`, so the `matched` ids are discarded
    and the unknown token stands for the whole word."""

    word: bytes
    text_start: int
    matched: tuple[int, ...]
    id: int


class Candidate(NamedTuple):
    """A way to continue the path: token `id` (None for a fallback: an unknown token or byte
    tokens) covers `text`, costs or earns `score`, and brings the path to `total`: the sum from the
    start of the chunk up to the end of `text` for UGM, which works forwards, and from the start of
    `text` to the end of the chunk for PLaMo, which works backwards."""

    id: int | None
    text: bytes
    score: float
    total: float
    chosen: bool


class Candidates(NamedTuple):
    """UGM, PLaMo: what could continue the path at `text_start` (bytes of the chunk); `chosen`
    marks those that became the best way known so far."""

    text_start: int
    options: tuple[Candidate, ...]


class PathStep(NamedTuple):
    """One token of the best path, with the `total` that it had as a Candidate."""

    id: int | None
    text: bytes
    score: float
    total: float


class BestPath(NamedTuple):
    """UGM, PLaMo: the path with the best sum."""

    steps: tuple[PathStep, ...]


class TokenEmitted(NamedTuple):
    """A token of the result, with the bytes of the input that it stands for (`exact` as in
    ChunkStarted). Special tokens cut out or added are not repeated here."""

    id: int
    start: int
    end: int
    text_start: int
    text_end: int
    exact: bool


Event = (
    SpecialAdded
    | FragmentText
    | FragmentSpecial
    | TextPrepared
    | ChunksSplit
    | ChunkStarted
    | SymbolsSplit
    | MergeApplied
    | WholeWord
    | ByteFallback
    | UnknownToken
    | SymbolDropped
    | LongestMatch
    | DnaBlock
    | WordRolledBack
    | Candidates
    | BestPath
    | TokenEmitted
)

TraceSink = Callable[[Event], None]
