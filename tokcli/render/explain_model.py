"""What an explanation tells, arranged for readers: fragments, their chunks, tokens with causes.

Plain data, the same for every renderer. explain_build.py fills it from the engine's events.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tokcli.explain import Explanation
from tokcli.trace import (
    ChunksSplit,
    ChunkStarted,
    DnaBlock,
    Event,
    FragmentSpecial,
    LongestMatch,
    MergeApplied,
    PathStep,
    SymbolDropped,
    SymbolsSplit,
    TextPrepared,
    UnknownToken,
    WholeWord,
    WordRolledBack,
)
from tokcli.vocab import TokenId, Vocab

__all__ = [
    "Added",
    "Cause",
    "ChunkStory",
    "Cut",
    "CutOut",
    "Hashed",
    "Merged",
    "OnPath",
    "OneOfBytes",
    "Request",
    "Run",
    "SpecialStory",
    "TextStory",
    "TokenRow",
]


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked, beyond what the explanation itself holds.

    `model`: the file's name as it is shown. `typed`: the input before escapes were processed;
    `escapes`: how many were, None where that was not asked for.
    """

    model: str
    typed: bytes | None = None
    escapes: int | None = None


@dataclass(frozen=True, slots=True)
class Added:
    """A token that add_special put in, as `setting` asks."""

    role: str
    setting: str


@dataclass(frozen=True, slots=True)
class CutOut:
    """A special token that the text spells."""

    event: FragmentSpecial


@dataclass(frozen=True, slots=True)
class Merged:
    """A final symbol that is a token; `merges` are those that made it, in order."""

    symbol: bytes
    merges: tuple[MergeApplied, ...]


@dataclass(frozen=True, slots=True)
class OneOfBytes:
    """Token `place` (from 0) of the `count` that stand for the bytes of `symbol`."""

    symbol: bytes
    place: int
    count: int


@dataclass(frozen=True, slots=True)
class OnPath:
    """A token on the best path; several steps where neighbouring unknowns became one token."""

    steps: tuple[PathStep, ...]


@dataclass(frozen=True, slots=True)
class Hashed:
    """A token that is the hash of its bytes (TEST)."""


Cause = (
    Added
    | CutOut
    | Merged
    | OneOfBytes
    | OnPath
    | Hashed
    | WholeWord
    | LongestMatch
    | DnaBlock
    | UnknownToken
    | WordRolledBack
)


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token of the result.

    `start`/`end`: the bytes of the input that it stands for, None for one that was added;
    `exact` is false where they only enclose them. `text_start`/`text_end`: bytes of the
    fragment's prepared text. `chunk`: the chunk's number, None for special tokens.
    """

    index: int
    id: TokenId
    start: int | None
    end: int | None
    exact: bool
    text_start: int | None
    text_end: int | None
    chunk: int | None
    cause: Cause


@dataclass(frozen=True, slots=True)
class Cut:
    """Regex `stage` (from 0) matched input bytes start..end by its alternative `alternative`
    (from 0)."""

    stage: int
    alternative: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ChunkStory:
    """A chunk, numbered from 1 over the whole input; `fragment` is its fragment's place from 0.

    `split`: whether a pre-tokenizer cut it; `cuts`: its regexes that matched around it, in
    order (none: it is text between matches). `steps`: what the algorithm did. `final`: the symbols
    that merging left. `same_as`: an earlier chunk that went exactly the same way.
    """

    number: int
    fragment: int
    event: ChunkStarted
    split: bool
    cuts: tuple[Cut, ...]
    steps: tuple[Event, ...]
    final: tuple[bytes, ...]
    tokens: tuple[TokenRow, ...]
    same_as: int | None

    @property
    def symbols(self) -> tuple[bytes, ...]:
        """The symbols that merging started from; empty where nothing is merged."""
        return next((s.symbols for s in self.steps if isinstance(s, SymbolsSplit)), ())

    @property
    def dropped(self) -> tuple[bytes, ...]:
        """Symbols that got no token."""
        return tuple(s.text for s in self.steps if isinstance(s, SymbolDropped))


@dataclass(slots=True)
class TextStory:
    """A stretch of plain text: bytes start..end of the input, how they were rewritten, cut and
    tokenized. `splits`: the regexes applied, in order."""

    start: int
    end: int
    rewrites: list[TextPrepared] = field(default_factory=list)
    splits: list[ChunksSplit] = field(default_factory=list)
    chunks: list[ChunkStory] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SpecialStory:
    """A special token between stretches of text."""

    event: FragmentSpecial
    token: TokenRow


@dataclass(frozen=True, slots=True)
class Run:
    """One tokenization, told in order."""

    explanation: Explanation
    request: Request
    fragments: tuple[TextStory | SpecialStory, ...]
    tokens: tuple[TokenRow, ...]

    @property
    def vocab(self) -> Vocab:
        """The vocabulary in use."""
        return self.explanation.vocab

    @property
    def texts(self) -> list[TextStory]:
        """The stretches of plain text."""
        return [fragment for fragment in self.fragments if isinstance(fragment, TextStory)]

    @property
    def chunks(self) -> list[ChunkStory]:
        """The chunks of all stretches."""
        return [chunk for text in self.texts for chunk in text.chunks]

    @property
    def regexes(self) -> list[ChunksSplit]:
        """Each regex of the pre-tokenizer once, in order (with the chunks of one fragment)."""
        found: dict[int, ChunksSplit] = {}
        for text in self.texts:
            for split in text.splits:
                found.setdefault(split.stage, split)
        return [found[stage] for stage in sorted(found)]

    def piece(self, id: TokenId) -> bytes | None:
        """What the token looks like in text; None for an id outside the vocabulary."""
        if not 0 <= id < len(self.vocab):
            return None
        return self.explanation.tokenizer.piece(id)
