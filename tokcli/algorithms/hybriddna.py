"""hybriddna: BPE, with DNA between <dna> and </dna> in pieces of six bases.

The tags must be plain tokens: as control or user-defined tokens they are cut out of the input
before this sees them. With dna_auto_tags, untagged runs that look like DNA are encoded as if
tagged. A stray </dna> closes DNA that began where the last tag ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from tokcli import events
from tokcli.algorithms.bpe import Bpe, Prepared
from tokcli.text.unicode import encode
from tokcli.text.unicode_maps import is_whitespace
from tokcli.vocab import TokenId, Vocab

__all__ = ["HybridDna"]

OPEN, CLOSE, OOV = "<dna>", "</dna>", "<oov>"
BASES = 6
# K-mer tokens carry this in the file, which keeps them apart from words of the same letters.
MARKER = "\ue000"
_UPPER = {code: code - 32 for code in range(ord("a"), ord("z") + 1)}
_NOT_BASE = re.compile("[^ACGT]")
_GROUPS = re.compile(r"(?<![A-Za-z])[ACGT]{1,5}(?:[ \t]+[ACGT]{1,5}){5,}(?![A-Za-z])")
_RUN = re.compile("[ACGTRYSWKMBDHVNacgtryswkmbdhvn]+")


class _Part(NamedTuple):
    """What becomes of code points start..end: plain text, DNA, or a tag."""

    kind: Literal["text", "dna", "<dna>", "</dna>"]
    start: int
    end: int


class _Block(NamedTuple):
    """Code points start..end of DNA, six at most; `kmer` is what the vocabulary is asked for."""

    id: TokenId
    start: int
    end: int
    kmer: str


class HybridDna(Bpe):
    """Model `hybriddna` of one vocabulary; plain BPE unless <dna>, </dna> and <oov> are there."""

    def __init__(self, vocab: Vocab) -> None:
        super().__init__(vocab)
        self._token_id = vocab.token_to_id.get
        tags = {text: self._token_id(text.encode()) for text in (OPEN, CLOSE, OOV)}
        self._tags = {text: id for text, id in tags.items() if id is not None}
        self._active = len(self._tags) == len(tags)
        self._auto_tags = self._active and vocab.flag("dna_auto_tags")
        padded = self._token_id(("ANNNNN" + MARKER).encode())
        self._padding = "A" if padded is None else "N"
        if self._auto_tags:
            self._first_rules.append(("dna", join_bases))
            self._rules.append(("dna", join_bases))

    def _encode_text(self, text: str, output: list[TokenId]) -> None:
        if not self._active:
            super()._encode_text(text, output)
            return
        for kind, start, end in _parts(text, self._auto_tags):
            if kind == "text":
                super()._encode_text(text[start:end], output)
            elif kind == "dna":
                output.extend(block.id for block in self._blocks(text, start, end))
            else:
                output.append(self._tags[kind])

    def _trace_text(
        self,
        prepared: Prepared,
        start: int,
        end: int,
        output: list[TokenId],
        trace: events.TraceSink,
    ) -> None:
        if not self._active:
            super()._trace_text(prepared, start, end, output, trace)
            return
        for kind, first, last in _parts(prepared.text, self._auto_tags):
            if kind == "text":
                super()._trace_text(prepared, first, last, output, trace)
            elif kind == "dna":
                self._trace_dna(prepared, first, last, output, trace)
            else:
                a, b = prepared.positions[first], prepared.positions[last]
                tag = prepared.source.text[a:b]
                trace(events.ChunkStarted(tag, tag, *prepared.span(first, last), a, b, True))
                trace(events.WholeWord(kind.encode(), self._tags[kind], "dna_tag"))
                prepared.source.emit(trace, self._tags[kind], a, b)
                output.append(self._tags[kind])

    def _trace_dna(
        self,
        prepared: Prepared,
        start: int,
        end: int,
        output: list[TokenId],
        trace: events.TraceSink,
    ) -> None:
        text, positions = prepared.text[start:end], prepared.positions
        if not text:
            return
        a, b = positions[start], positions[end]
        raw = encode(text)
        trace(events.ChunkStarted(raw, raw, *prepared.span(start, end), a, b, True))
        for id, first, last, kmer in self._blocks(prepared.text, start, end):
            part = encode(prepared.text[first:last])
            if id == self._tags[OOV]:
                trace(events.UnknownToken(part, id))
            else:
                trace(events.DnaBlock(part, id, positions[first] - a, kmer.encode()))
            prepared.source.emit(trace, id, positions[first], positions[last])
            output.append(id)

    def _blocks(self, text: str, start: int, end: int) -> Iterator[_Block]:
        """The DNA at start..end, trimmed of white space."""
        while start < end and is_whitespace(ord(text[start])):
            start += 1
        while end > start and is_whitespace(ord(text[end - 1])):
            end -= 1
        for first in range(start, end, BASES):
            last = min(first + BASES, end)
            kmer = text[first:last].translate(_UPPER)
            id = None
            if not _NOT_BASE.search(kmer):
                kmer += self._padding * (BASES - len(kmer))
                id = self._token_id((kmer + MARKER).encode())
            yield _Block(self._tags[OOV] if id is None else id, first, last, kmer)


def _tagged(text: str) -> Iterator[_Part]:
    """`text` cut at its tags. Plain text may be empty between two of them."""
    end = len(text)
    position, open_at, close_at = 0, -1, -1
    while position < end:
        # Each tag is looked for once, however many of the other kind come before it.
        if open_at < position:
            open_at = _find(text, OPEN, position)
        if close_at < position:
            close_at = _find(text, CLOSE, position)
        if close_at < open_at:
            yield _Part("dna", position, close_at)
        elif open_at == end:
            yield _Part("text", position, end)
            return
        else:
            yield _Part("text", position, open_at)
            start = open_at + len(OPEN)
            yield _Part("<dna>", open_at, start)
            yield _Part("dna", start, close_at)
            if close_at == end:
                return
        position = close_at + len(CLOSE)
        yield _Part("</dna>", close_at, position)


def _find(text: str, tag: str, position: int) -> int:
    found = text.find(tag, position)
    return len(text) if found < 0 else found


def _parts(text: str, auto_tags: bool) -> Iterator[_Part]:
    """_tagged, with the untagged runs that look like DNA tagged too if `auto_tags`."""
    for part in _tagged(text):
        if part.kind != "text" or not auto_tags:
            yield part
            continue
        position = part.start
        for run in _RUN.finditer(text, part.start, part.end):
            length = len(run[0])
            others = len(_NOT_BASE.findall(run[0].translate(_UPPER)))
            if length < 6 or (others and (length < 12 or 5 * others > length)):
                continue
            yield _Part("text", position, run.start())
            position = run.end()
            yield _Part("<dna>", run.start(), run.start())
            yield _Part("dna", run.start(), position)
            yield _Part("</dna>", position, position)
        yield _Part("text", position, part.end)


def join_bases(text: str, offsets: list[int] | None) -> tuple[str, list[int] | None]:
    """Untagged groups of bases set apart by blanks become one run, where that is long enough."""
    parts: list[str] = []
    kept: list[int] = []
    position = 0
    for kind, start, end in _tagged(text):
        if kind != "text":
            continue
        for match in _GROUPS.finditer(text[start:end]):
            joined = [
                index
                for index in range(start + match.start(), start + match.end())
                if text[index] not in " \t"
            ]
            if len(joined) < 12:
                continue
            parts += (
                text[position : start + match.start()],
                "".join(map(text.__getitem__, joined)),
            )
            kept += (*range(position, start + match.start()), *joined)
            position = start + match.end()
    parts.append(text[position:])
    if offsets is not None:
        kept += range(position, len(text))
        offsets = [*(offsets[index] for index in kept), offsets[-1]]
    return "".join(parts), offsets
