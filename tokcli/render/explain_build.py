"""From the engine's events to the model of explain_model.py. Nothing is tokenized again here."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from tokcli.explain import Explanation
from tokcli.render.explain_model import (
    Added,
    Cause,
    ChunkStory,
    Cut,
    CutOut,
    Hashed,
    Merged,
    OneOfBytes,
    OnPath,
    Request,
    Run,
    SpecialStory,
    TextStory,
    TokenRow,
)
from tokcli.trace import (
    BestPath,
    ByteFallback,
    ChunksSplit,
    ChunkStarted,
    DnaBlock,
    Event,
    FragmentSpecial,
    FragmentText,
    LongestMatch,
    MergeApplied,
    PathStep,
    SpecialAdded,
    SymbolDropped,
    SymbolsSplit,
    TextPrepared,
    TokenEmitted,
    UnknownToken,
    WholeWord,
    WordRolledBack,
)

__all__ = ["build", "replay"]


def build(explanation: Explanation, request: Request) -> Run:
    """Arrange the events of `explanation`."""
    builder = _Builder()
    for event in explanation.events:
        builder.take(event)
    builder.close_chunk()
    return Run(explanation, request, tuple(builder.fragments), tuple(builder.tokens))


def replay(symbols: Sequence[bytes], merges: Sequence[MergeApplied]) -> list[bytes | None]:
    """`symbols` after `merges`; None at places that went into a symbol to their left."""
    state: list[bytes | None] = list(symbols)
    for merge in merges:
        state[merge.left_index] = merge.result
        state[merge.right_index] = None
    return state


class _Builder:
    def __init__(self) -> None:
        self.fragments: list[TextStory | SpecialStory] = []
        self.tokens: list[TokenRow] = []
        self._text = TextStory(0, 0)
        self._chunk: ChunkStarted | None = None
        self._events: list[Event] = []
        self._count = 0
        self._known: dict[tuple[bytes, tuple[Event, ...]], int] = {}
        self._cutter = _Cutter([])

    def take(self, event: Event) -> None:
        """The next event."""
        if isinstance(event, ChunkStarted):
            self.close_chunk()
            self._chunk = event
        elif isinstance(event, ChunksSplit):
            self.close_chunk()
            self._split(event)
        elif isinstance(event, FragmentText):
            self.close_chunk()
            self._text = TextStory(event.start, event.end)
            self._cutter = _Cutter([])
            self.fragments.append(self._text)
        elif isinstance(event, TextPrepared):
            self._text.rewrites.append(event)
        elif isinstance(event, FragmentSpecial):
            self.close_chunk()
            row = self._row(event.id, CutOut(event), event.start, event.end)
            self.fragments.append(SpecialStory(event, row))
        elif isinstance(event, SpecialAdded):
            self.close_chunk()
            self._row(event.id, Added(event.role, event.setting), None, None)
        else:
            self._events.append(event)

    def _split(self, event: ChunksSplit) -> None:
        if event.stage == 0:
            self._cutter = _Cutter([])
        self._cutter.splits.append(event)
        if all(event.stage != known.stage for known in self._text.splits):
            self._text.splits.append(event)

    def _row(
        self,
        id: int,
        cause: Cause,
        start: int | None,
        end: int | None,
        emitted: TokenEmitted | None = None,
    ) -> TokenRow:
        row = TokenRow(
            index=len(self.tokens),
            id=id,
            start=start,
            end=end,
            exact=emitted is None or emitted.exact,
            text_start=None if emitted is None else emitted.text_start,
            text_end=None if emitted is None else emitted.text_end,
            chunk=None if emitted is None else self._count,
            cause=cause,
        )
        self.tokens.append(row)
        return row

    def close_chunk(self) -> None:
        """Make a story of the chunk whose events have all been seen."""
        chunk, events = self._chunk, self._events
        if chunk is None:
            return
        self._chunk, self._events = None, []
        self._count += 1
        steps = tuple(event for event in events if not isinstance(event, TokenEmitted))
        final, merged = _final_symbols(events)
        rows = tuple(
            self._row(emitted.id, cause, emitted.start, emitted.end, emitted)
            for emitted, cause in _causes(chunk, events, merged)
        )
        same_as = self._known.setdefault((chunk.encoded, steps), self._count)
        split, cuts = self._cutter.around(chunk)
        self._text.chunks.append(
            ChunkStory(
                number=self._count,
                fragment=len(self.fragments) - 1,
                event=chunk,
                split=split,
                cuts=cuts,
                steps=steps,
                final=tuple(final),
                tokens=rows,
                same_as=None if same_as == self._count else same_as,
            )
        )


class _Cutter:
    """Finds, for chunks in order, the regexes' pieces that they lie in."""

    def __init__(self, splits: list[ChunksSplit]) -> None:
        self.splits = splits
        self._left = 0
        self._places: dict[int, int] = {}

    def around(self, chunk: ChunkStarted) -> tuple[bool, tuple[Cut, ...]]:
        """Whether the chunk is a piece of the last regex, and the matches that it lies in."""
        if not self.splits or self._left >= len(self.splits[-1].chunks):
            return False, ()
        self._left += 1
        cuts = []
        for number, split in enumerate(self.splits):
            place = self._places.get(number, 0)
            if number == len(self.splits) - 1:
                place = self._left - 1
            pieces = split.chunks
            while place + 1 < len(pieces) and pieces[place].end < chunk.end:
                place += 1
            self._places[number] = place
            piece = pieces[place]
            if piece.alternative is not None:
                cuts.append(Cut(split.stage, piece.alternative, piece.start, piece.end))
        return True, tuple(cuts)


def _final_symbols(events: list[Event]) -> tuple[list[bytes], list[Merged]]:
    """The symbols that merging left, and how each was made."""
    symbols = next((e.symbols for e in events if isinstance(e, SymbolsSplit)), ())
    state: list[bytes | None] = list(symbols)
    made: list[list[MergeApplied]] = [[] for _ in symbols]
    for event in events:
        if isinstance(event, MergeApplied):
            state[event.left_index] = event.result
            state[event.right_index] = None
            made[event.left_index] += [*made[event.right_index], event]
    order = {id(event): place for place, event in enumerate(events)}
    merged = [
        Merged(symbol, tuple(sorted(merges, key=lambda merge: order[id(merge)])))
        for symbol, merges in zip(state, made, strict=True)
        if symbol is not None
    ]
    return [each.symbol for each in merged], merged


def _causes(
    chunk: ChunkStarted, events: list[Event], merged: list[Merged]
) -> Iterator[tuple[TokenEmitted, Cause]]:
    """Each token of the chunk with what led to it."""
    symbols = deque(merged)
    causes: deque[Cause] = deque()
    path: _Path | None = None
    for event in events:
        if isinstance(event, WordRolledBack):
            causes.clear()
            causes.append(event)
        elif isinstance(event, WholeWord | LongestMatch | DnaBlock):
            causes.append(event)
        elif isinstance(event, UnknownToken):
            if symbols:
                symbols.popleft()
            causes.append(event)
        elif isinstance(event, ByteFallback) and path is None:
            symbols.popleft()
            count = len(event.ids)
            causes += [OneOfBytes(event.symbol, place, count) for place in range(count)]
        elif isinstance(event, SymbolDropped):
            symbols.popleft()
        elif isinstance(event, BestPath):
            path = _Path(event.steps)
        elif isinstance(event, TokenEmitted):
            if causes:
                yield event, causes.popleft()
            elif symbols:
                yield event, symbols.popleft()
            elif path is not None:
                start = event.text_start - chunk.text_start
                yield event, path.cause(start, event.text_end - chunk.text_start)
            else:
                yield event, Hashed()


class _Path:
    """The steps of a best path, taken up by its tokens in order."""

    def __init__(self, steps: tuple[PathStep, ...]) -> None:
        self._left: deque[tuple[int, int, PathStep]] = deque()
        position = 0
        for step in steps:
            self._left.append((position, position + len(step.text), step))
            position += len(step.text)

    def cause(self, start: int, end: int) -> Cause:
        """The steps that lie at bytes start..end of the chunk, or the byte of a step that has no
        token of its own."""
        taken = []
        while self._left and self._left[0][0] < end:
            first, last, step = self._left[0]
            if step.id is None:
                if last <= end:
                    self._left.popleft()
                return OneOfBytes(step.text, start - first, last - first)
            taken.append(step)
            self._left.popleft()
        return OnPath(tuple(taken))
