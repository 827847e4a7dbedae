"""Long text by BPE: every word once, those that are new together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import chain

import numpy as np

from tokcli.algorithms.bpe_chunks import NEWLINE_WORDS, Chunks
from tokcli.batch.cuts import PairCuts
from tokcli.batch.merges import MergeBatch, Merges
from tokcli.batch.spans import Spans, spans_of
from tokcli.batch.text import code_points
from tokcli.batch.word_ids import Encoded, WordIds, alone
from tokcli.pretokenize import Stage
from tokcli.pretokenizer_table import PRE_TOKENIZERS
from tokcli.text.byte_alphabet import BYTE_TO_UTF8, write_in_alphabet
from tokcli.text.unicode import decode, encode_each
from tokcli.vocab import TokenId, TokenIds, Vocab

__all__ = ["BpeBatch"]

# Longer pieces than this, on average, seldom come again.
WORD_LENGTH = 12


class BpeBatch:
    """BPE of one vocabulary whose text is split by `stages`."""

    def __init__(self, vocab: Vocab, chunks: Chunks, stages: Sequence[Stage]) -> None:
        rules = PRE_TOKENIZERS[vocab.pre]
        self._token_id = vocab.token_to_id.get
        self._merges = vocab.merges
        self._byte_encode = rules.byte_encode
        self._ignore_merges = rules.ignore_merges
        self._newline_words = rules.variant in NEWLINE_WORDS
        self._encode_chunk = chunks.encode
        self._stages = list(stages)
        self._merger = MergeBatch(
            len(vocab.merges),
            self._find_merges,
            token_to_id=vocab.token_to_id,
            byte_symbols=BYTE_TO_UTF8 if rules.byte_encode else None,
            symbol_ids=chunks.symbol_ids,
            encode_each=chunks.encode_few,
        )
        # For each stage, the ids of the pieces that it makes.
        self._word_ids = [WordIds(self._encode_chunks, len(vocab))]
        for stage in reversed(self._stages[1:]):
            encode_pieces = partial(_encode_parts, stage, self._word_ids[0])
            self._word_ids.insert(0, WordIds(encode_pieces, len(vocab)))

    def encode(self, lists: Iterable[list[str]]) -> list[TokenId]:
        """The ids of what the first stage made of a text, in lists that are gone through once."""
        if len(self._stages) == 1:
            return self._word_ids[0].of(lists)
        pieces = list(chain.from_iterable(lists))
        for word_ids, stage in zip(self._word_ids, self._stages[1:], strict=False):
            if sum(map(len, pieces)) <= WORD_LENGTH * len(pieces):
                return word_ids.of((pieces,))
            pieces = list(chain.from_iterable(stage.split_each(pieces)))
        return self._word_ids[-1].of((pieces,))

    def encode_lines(self, text: str) -> Iterator[list[TokenId]]:
        """The ids of `text`, in several lists, where lines are chunks: they are cut further."""
        return map(self._word_ids[-1].of_pieces, self._cuts.pieces(text))

    @cached_property
    def _cuts(self) -> PairCuts:
        # Two characters meet in a symbol when the symbols merge of which they are the edges.
        points = code_points(decode(self._merge_spans.text + b" "))
        spaces = np.flatnonzero(points == ord(" "))[:-1]
        return PairCuts(points[spaces - 1], points[spaces + 1], apart="\n")

    @cached_property
    def _merge_spans(self) -> Spans:
        return spans_of(self._merges)

    def _encode_chunks(self, chunks: Sequence[str]) -> Iterator[Encoded]:
        left = np.arange(len(chunks))
        if self._ignore_merges:
            texts = write_in_alphabet(chunks) if self._byte_encode else encode_each(chunks)
            ids = np.array(
                [-1 if id is None else id for id in map(self._token_id, texts)], np.int32
            )
            whole, left = np.flatnonzero(ids >= 0), np.flatnonzero(ids < 0)
            yield Encoded(whole, ids[whole], np.ones(whole.size, np.int64))
        elif self._newline_words:
            newlines = np.array([chunk[0] == "\n" for chunk in chunks], np.bool_)
            left = np.flatnonzero(~newlines)
            yield alone(self._encode_each, chunks, np.flatnonzero(newlines))
        for encoded in self._merger.encode([chunks[index] for index in left.tolist()]):
            yield encoded._replace(words=left[encoded.words])

    def _encode_each(self, chunks: Sequence[str]) -> list[TokenIds]:
        return list(map(self._encode_chunk, chunks))

    def _find_merges(self) -> Merges | None:
        text, starts, sizes = self._merge_spans
        spaces = np.flatnonzero(np.frombuffer(text, np.uint8) == ord(" "))
        if spaces.size != sizes.size or (spaces < starts).any() or (spaces >= starts + sizes).any():
            return None  # a merge is two symbols and the space between them
        ranks = np.arange(sizes.size, dtype=np.int32)
        joined = Spans(text.replace(b" ", b""), starts - ranks, sizes - 1)
        return Merges(joined, spaces - starts, ranks)


def _encode_parts(stage: Stage, rest: WordIds, pieces: Sequence[str]) -> Iterator[Encoded]:
    """The ids of pieces that `stage` splits further, into what `rest` knows."""
    parts = stage.split_each(pieces)
    ids, counts = rest.arrays(list(chain.from_iterable(parts)))
    sizes = np.fromiter(map(len, parts), np.int64, len(parts))
    yield Encoded(np.arange(len(parts)), ids, np.add.reduceat(counts, np.cumsum(sizes) - sizes))
