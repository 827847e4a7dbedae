"""RWKV: the longest token at each place, over bytes (llm_tokenizer_rwkv_session in llama.cpp)."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tokcli import events
from tokcli.algorithms.base import NO_TOKEN, Fragment
from tokcli.algorithms.heads import lengths_by_head
from tokcli.errors import TokenizeError
from tokcli.merging.cuts import Cuts, joined, neighbours
from tokcli.source_map import SourceMap
from tokcli.text.rwkv_escapes import unescape
from tokcli.vocab import TokenId, Vocab

if TYPE_CHECKING:
    from tokcli.batch.rwkv import RwkvBatch

__all__ = ["Rwkv"]

HEAD = 2
# Bytes from which on many places at once are quicker, importing numpy for that included.
SHORTEST_BATCH = 1 << 20


class Rwkv:
    """RWKV of one vocabulary. Where the reference loops for ever, on a byte that starts a token
    when no token matches, tokenizing raises TokenizeError."""

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab
        unknown = vocab.special_id("unk")
        self._unknown = NO_TOKEN if unknown is None else unknown

    @cached_property
    def _tokens(self) -> dict[bytes, TokenId]:
        return {unescape(text): id for id, text in enumerate(self._vocab.texts)}

    @cached_property
    def _lengths(self) -> dict[bytes, tuple[int, ...]]:
        return lengths_by_head(self._tokens, HEAD)

    @cached_property
    def _first_bytes(self) -> frozenset[int]:
        return frozenset(text[0] for text in self._tokens if text)

    def tokenize(
        self, fragment: Fragment, output: list[TokenId], trace: events.TraceSink | None = None
    ) -> None:
        """See Algorithm.tokenize."""
        data = fragment.text
        if trace is not None:
            start, end = fragment.start, fragment.start + len(data)
            source = SourceMap([(data, start, end)], exact=True, end=end)
            trace(events.ChunkStarted(data, data, start, end, 0, len(data), True))
            output.extend(self._match(data, start, trace, source))
            return
        batch = self._batch if len(data) >= SHORTEST_BATCH else None
        try:
            if batch is not None:
                batch.encode(data, output)
            else:
                output.extend(self._cuts.encode(data.decode("latin-1")))
        except TokenizeError:
            # Only the whole fragment tells where in the input nothing matched: this raises again.
            output.extend(self._match(data, fragment.start))

    @cached_property
    def _batch(self) -> RwkvBatch | None:
        from tokcli.batch.rwkv import LONGEST_TOKEN, RwkvBatch

        if max(map(len, self._tokens), default=0) > LONGEST_TOKEN:
            return None
        return RwkvBatch(self._tokens, lambda piece: self._match(piece, 0))

    @cached_property
    def _cuts(self) -> Cuts:
        """Works on bytes, each as the character of the same number."""

        def texts(holding: bytes) -> str:
            return joined(text.decode("latin-1") for text in self._tokens if holding in text[1:])

        return Cuts(
            " ",
            tokens=lambda: texts(b""),
            before_mark=lambda: {pair[0] for pair in neighbours(texts(b" ")) if pair[1] == " "},
            encode=lambda piece: tuple(self._match(piece.encode("latin-1"), 0)),
        )

    def _match(
        self,
        data: bytes,
        offset: int,
        trace: events.TraceSink | None = None,
        source: SourceMap | None = None,
    ) -> list[TokenId]:
        """The longest tokens that follow one another; `offset` is where `data` lies in the
        input."""
        tokens = self._tokens.get
        lengths = self._lengths.get
        ids = []
        position = 0
        while position < len(data):
            id = None
            end = position + 1
            for length in lengths(data[position : position + HEAD], ()):
                id = tokens(data[position : position + length])
                if id is not None:
                    end = min(position + length, len(data))
                    break
            else:
                id = tokens(data[position:end])
            if trace is not None and id is not None:
                trace(events.LongestMatch(data[position:end], id, position))
            if id is None:
                id = self._no_match(data[position], offset + position)
                if trace is not None:
                    trace(events.UnknownToken(data[position:end], id))
            if trace is not None and source is not None:
                source.emit(trace, id, position, end)
            ids.append(id)
            position = end
        return ids

    def _no_match(self, byte: int, offset: int) -> TokenId:
        if byte in self._first_bytes:
            raise TokenizeError(
                f"no token matches at byte {offset} of the input (0x{byte:02X}), though some start "
                "with that byte; llama.cpp never comes back from this"
            )
        return self._unknown
