"""BPE: pre-tokenizer chunks, then merges by rank (llm_tokenizer_bpe_session in llama.cpp).

Two families share it. Byte-level BPE writes each byte of a chunk as a character of GPT-2's byte
alphabet; the Gemma 4 family works on UTF-8 characters, with spaces written as U+2581.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from tokcli import events
from tokcli.algorithms import bpe_text
from tokcli.algorithms.base import LONG_TEXT, Fragment
from tokcli.algorithms.bpe_chunks import Chunks
from tokcli.algorithms.replaced_bytes import trace_replaced_bytes
from tokcli.gguf_strings import Strings
from tokcli.merging.cuts import Cuts, before
from tokcli.merging.lone_characters import encode_lone_characters
from tokcli.merging.memo import Memo
from tokcli.pretokenize import Stage, regex_stages
from tokcli.pretokenizer_table import PRE_TOKENIZERS
from tokcli.source_map import SourceMap
from tokcli.text.unicode import byte_offsets, decode, encode
from tokcli.vocab import TokenId, TokenIds, Vocab

if TYPE_CHECKING:
    from tokcli.batch.bpe import BpeBatch

__all__ = ["Bpe", "Prepared"]

# Fewer words, however long, are not worth numpy.
MANY_WORDS = 4096


class Bpe:
    """BPE of one vocabulary, models `gpt2`, `gemma4` and `whitespace`."""

    def __init__(self, vocab: Vocab) -> None:
        rules = PRE_TOKENIZERS[vocab.pre]
        self._vocab = vocab
        self._name = vocab.pre
        self._byte_encode = rules.byte_encode
        self._chunks = Chunks(vocab)
        self._between_whitespace = vocab.model == "whitespace"
        self._first_rules, self._rules = self._text_rules(rules.escape_whitespaces)
        self._stages = regex_stages(rules.regexes)
        if rules.variant == "mmbert":
            self._stages.append(Stage("▁[^▁]*|[^▁]+"))
        cuts = self._cuts() if rules.escape_whitespaces and rules.variant != "mmbert" else None
        self._line_cuts = cuts
        self._lone_may_do = True
        # One memo for each stage but the first: the ids that its input comes to in the end.
        rest: Memo[str, TokenIds] = Memo(
            self._chunks.encode if cuts is None else self._by_cuts(cuts)
        )
        for stage in reversed(self._stages[1:]):
            rest = Memo(_Then(stage, rest))
        self._rest = rest

    def _cuts(self) -> Cuts:
        """Chunks are whole lines where spaces are written as U+2581, so they are cut further."""
        merges = self._vocab.merges
        mark = bpe_text.METASPACE
        before_mark = f" {mark}".encode()
        return Cuts(
            mark,
            tokens=lambda: decode(b"\0".join(merges).replace(b" ", b"")),
            before_mark=lambda: before(
                mark, (merge.replace(b" ", b"") for merge in merges if before_mark in merge)
            ),
            encode=self._chunks.encode,
        )

    def _by_cuts(self, cuts: Cuts) -> Callable[[str], TokenIds]:
        def encode_line(chunk: str) -> TokenIds:
            if not chunk.strip("\n"):
                return self._chunks.encode(chunk)
            return tuple(cuts.encode(chunk))

        return encode_line

    def _text_rules(
        self, escape: bool
    ) -> tuple[list[tuple[str, bpe_text.Rule]], list[tuple[str, bpe_text.Rule]]]:
        """The rewriting rules, for the input's very first fragment and for the others."""
        vocab = self._vocab
        rules: list[tuple[str, bpe_text.Rule]] = []
        if escape:
            rules.append(("escape_whitespaces", bpe_text.escape_whitespaces))
        first = list(rules)
        if vocab.settings["prepend_scheme"].value == "first":
            first.append(("metaspace", bpe_text.prefix_first))
        more: list[tuple[str, bpe_text.Rule]] = []
        between_whitespace = vocab.model == "whitespace"
        if between_whitespace and vocab.flag("lowercase"):
            more.append(("lowercase", bpe_text.lowercase))
        if vocab.pre == "mmbert":
            prefix = bpe_text.prefix_words if between_whitespace else bpe_text.prefix_lines
            more.append(("metaspace", prefix))
        if vocab.pre == "soprano":
            more.append(("soprano", bpe_text.soprano))
        return first + more, rules + more

    def tokenize(
        self, fragment: Fragment, output: list[TokenId], trace: events.TraceSink | None = None
    ) -> None:
        """See Algorithm.tokenize."""
        text = decode(fragment.text)
        offsets = None
        if trace is not None:
            offsets = byte_offsets(fragment.text, fragment.start)
            trace_replaced_bytes(fragment.text, text, trace)
        for name, rule in self._first_rules if fragment.first else self._rules:
            before = text
            text, offsets = rule(text, offsets)
            if trace is not None:
                trace(events.TextPrepared(name, encode(before), encode(text)))
        if trace is None or offsets is None:
            self._encode_text(text, output)
        else:
            self._trace_text(Prepared(text, offsets), 0, len(text), output, trace)

    def _encode_text(self, text: str, output: list[TokenId]) -> None:
        if self._chunks.spare_table(len(text)):
            output.extend(self._encode_short(text))
            return
        for segment in self._segments(text):
            if len(segment) < LONG_TEXT:
                self._encode_pieces(self._stages[0].split(segment), output)
            elif self._line_cuts is not None:
                ids = self._encode_lone(segment) if self._lone_may_do else None
                found = self._batch.encode_lines(segment) if ids is None else (ids,)
                output.extend(chain.from_iterable(found))
            else:
                for lists in self._stages[0].lots(segment):
                    self._encode_lists(lists, output)

    def _encode_lists(self, lists: Iterable[list[str]], output: list[TokenId]) -> None:
        """Append the ids of what the first stage made of long text, a lot of it."""
        left = iter(lists)
        first: list[list[str]] = []
        n_words = 0
        while n_words < MANY_WORDS and (words := next(left, None)) is not None:
            first.append(words)
            n_words += len(words)
        if n_words < MANY_WORDS and len(self._stages) == 1:
            self._encode_pieces(chain.from_iterable(first), output)
        else:
            output.extend(self._batch.encode(chain(first, left)))

    def _encode_pieces(self, pieces: Iterable[str], output: list[TokenId]) -> None:
        output.extend(chain.from_iterable(map(self._rest.__getitem__, pieces)))

    def _encode_lone(self, line: str) -> list[TokenId] | None:
        """The ids of the first long text, if it is one line and nothing merges in it."""
        self._lone_may_do = False
        merges = self._vocab.merges
        if "\n" in line or not isinstance(merges, Strings):
            return None

        def merging(characters: frozenset[str]) -> list[str]:
            letters = encode("".join(characters)) + b" "
            found = decode(b"\n".join(merges.made_of(letters))).split("\n")
            return [merge[0] + merge[2] for merge in found if len(merge) == 3]

        return encode_lone_characters(line, self._vocab.token_to_id, merging, self._chunks.encode)

    @cached_property
    def _batch(self) -> BpeBatch:
        from tokcli.batch.bpe import BpeBatch

        return BpeBatch(self._vocab, self._chunks, self._stages)

    def _encode_short(self, text: str) -> Iterable[TokenId]:
        """The ids of `text`, all chunks of which are known before one is merged: these tell which
        merges to lay out."""
        chunks = list(self._segments(text))
        for stage in self._stages:
            chunks = [piece for chunk in chunks for piece in stage.split(chunk)]
        return chain.from_iterable(self._chunks.encode_few(chunks))

    def _segments(self, text: str) -> Iterable[str]:
        if not self._between_whitespace:
            return (text,)
        return [text[a:b] for a, b in bpe_text.segments_between_whitespace(text)]

    def _trace_text(
        self,
        prepared: Prepared,
        start: int,
        end: int,
        output: list[TokenId],
        trace: events.TraceSink,
    ) -> None:
        """Tokenize code points start..end of the prepared text."""
        text = prepared.text
        spans = [(start, end)]
        if self._between_whitespace:
            spans = list(bpe_text.segments_between_whitespace(text))
        for number, stage in enumerate(self._stages):
            pieces = [
                piece._replace(start=first + piece.start, end=first + piece.end)
                for first, last in spans
                for piece in stage.pieces(text[first:last])
            ]
            spans = [(piece.start, piece.end) for piece in pieces]
            chunks = tuple(
                events.Chunk(*prepared.span(piece.start, piece.end), piece.alternative)
                for piece in pieces
            )
            trace(
                events.ChunksSplit(
                    number, self._name, stage.pattern, stage.alternatives, stage.splitter, chunks
                )
            )
        for first, last in spans:
            position = prepared.positions[first]
            self._chunks.trace(text[first:last], position, prepared.source, output, trace)


class Prepared:
    """A fragment's prepared text while tracing, with the way back to the input."""

    def __init__(self, text: str, offsets: list[int]) -> None:
        self.text = text
        self.source = SourceMap.of_text(text, offsets)
        self.positions = [0]
        for char in text:
            self.positions.append(self.positions[-1] + len(encode(char)))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The bytes of the input that code points start..end stand for."""
        return self.source.span(self.positions[start], self.positions[end])


class _Then:
    """Splits a piece by one stage and looks each part up in the memo of the next."""

    def __init__(self, stage: Stage, rest: Memo[str, TokenIds]) -> None:
        self._split = stage.split
        self._lookup = rest.__getitem__

    def __call__(self, piece: str) -> TokenIds:
        return tuple(chain.from_iterable(map(self._lookup, self._split(piece))))
