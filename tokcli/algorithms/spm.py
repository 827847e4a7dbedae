"""SPM: merges by score, the best first (llm_tokenizer_spm_session in llama.cpp).

Any two neighbours may merge whose joined text is a token; the token's score is the merge's
priority. Symbols that are no token in the end go out as byte tokens. The reference's resegmentation
never has more to do: a symbol grows only into tokens, so only single characters can be missing.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from tokcli import events
from tokcli.algorithms.base import LONG_TEXT, Fragment
from tokcli.errors import TokenizeError
from tokcli.merging.cuts import Cuts, before, joined, well_formed
from tokcli.merging.lone_characters import encode_lone_characters
from tokcli.merging.memo import Memo
from tokcli.merging.merge import merge_symbols, score_priority
from tokcli.merging.merge_windows import merge_word
from tokcli.source_map import SourceMap
from tokcli.text.unicode import ESCAPED_BYTES, METASPACE, decode_symbols, encode
from tokcli.vocab import TokenId, TokenIds, Vocab

if TYPE_CHECKING:
    from tokcli.batch.spm import SpmBatch

__all__ = ["Spm", "space_prefix"]

# The first byte alone decides how many bytes a symbol takes (unicode_len_utf8).
CHARACTERS = re.compile(
    rb"[\x00-\xbf]|[\xc0-\xdf].?|[\xe0-\xef].{0,2}|[\xf0-\xff].{0,3}", re.DOTALL
)
ESCAPED = {encode(chr(ESCAPED_BYTES + byte)): byte for byte in range(256)}


def space_prefix(vocab: Vocab, after_special: bool) -> bytes:
    """What is put before a fragment, which may be first or follow a special token."""
    return b" " if after_special and vocab.flag("add_space_prefix") else b""


class Spm:
    """SPM of one vocabulary (model `llama`)."""

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab
        self._token_id = vocab.token_to_id.get
        self._lone_may_do = True
        self._characters: Memo[str, bytes] = Memo(encode)
        self._ids_of_symbols: Memo[bytes, TokenIds] = Memo(self._decoded_symbol_ids)

    @cached_property
    def _priorities(self) -> dict[bytes, float]:
        """Token -> the priority of merging into it."""
        vocab = self._vocab
        return dict(zip(vocab.texts, map(score_priority, vocab.scores), strict=False))

    def tokenize(
        self, fragment: Fragment, output: list[TokenId], trace: events.TraceSink | None = None
    ) -> None:
        """See Algorithm.tokenize."""
        prefix = space_prefix(self._vocab, fragment.after_special)
        text = (prefix + fragment.text).replace(b" ", METASPACE)
        if trace is not None:
            self._tokenize_traced(fragment, prefix, text, output, trace)
            return
        if self._well_formed:
            self._encode_text(decode_symbols(text), output)
            return
        try:
            self._encode_text(text.decode(), output)
        except UnicodeDecodeError:
            # Such text has symbols that start in the middle of characters, and they may merge.
            merged = merge_word(CHARACTERS.findall(text), self._priorities.get, b"", scored=True)
            output.extend(chain.from_iterable(map(self._symbol_ids, merged)))

    def _encode_text(self, text: str, output: list[TokenId]) -> None:
        if len(text) >= LONG_TEXT:
            # Of several bytes that have no token the first is to be named, which is done below.
            with suppress(TokenizeError):
                ids = self._encode_lone(text) if self._lone_may_do else None
                output.extend(chain.from_iterable(self._batch.encode(text)) if ids is None else ids)
                return
        output.extend(self._cuts.encode(text))

    def _encode_lone(self, text: str) -> list[TokenId] | None:
        """The ids of the first long text, if nothing merges in it."""
        self._lone_may_do = False

        def merging(characters: frozenset[str]) -> list[str]:
            tokens = well_formed(self._priorities)
            return [pair for pair in tokens if len(pair) == 2 and characters.issuperset(pair)]

        return encode_lone_characters(text, self._vocab.token_to_id, merging, self._encode)

    @cached_property
    def _well_formed(self) -> bool:
        """Whether all tokens are well-formed UTF-8: ill-formed symbols never merge then."""
        texts = {*self._vocab.texts, *self._vocab.raw_texts}
        return sum(1 for _ in well_formed(texts)) == len(texts)

    def _encode(self, piece: str) -> TokenIds:
        symbols = list(map(self._characters.__getitem__, piece))
        symbols = merge_word(symbols, self._priorities.get, b"", scored=True)
        try:
            return tuple(map(self._vocab.token_to_id.__getitem__, symbols))
        except KeyError:
            return tuple(chain.from_iterable(map(self._ids_of_symbols.__getitem__, symbols)))

    def _symbol_ids(self, symbol: bytes) -> TokenIds:
        id = self._token_id(symbol)
        return tuple(map(self._byte_token, symbol)) if id is None else (id,)

    def _decoded_symbol_ids(self, symbol: bytes) -> TokenIds:
        """The ids of a symbol of decoded text, in which surrogates stand for bytes."""
        byte = ESCAPED.get(symbol)
        return self._symbol_ids(symbol) if byte is None else (self._byte_token(byte),)

    @cached_property
    def _cuts(self) -> Cuts:
        texts = self._vocab.texts
        return Cuts(
            METASPACE.decode(),
            tokens=lambda: joined(well_formed(texts)),
            before_mark=lambda: before(METASPACE.decode(), texts),
            encode=self._encode,
        )

    @cached_property
    def _batch(self) -> SpmBatch:
        from tokcli.batch.spm import SpmBatch

        return SpmBatch(
            self._vocab,
            self._priorities,
            self._decoded_symbol_ids,
            lambda pieces: list(map(self._encode, pieces)),
        )

    def _tokenize_traced(
        self,
        fragment: Fragment,
        prefix: bytes,
        text: bytes,
        output: list[TokenId],
        trace: events.TraceSink,
    ) -> None:
        if self._vocab.flag("add_space_prefix"):
            trace(events.TextPrepared("space_prefix", fragment.text, prefix + fragment.text))
        trace(events.TextPrepared("escape_whitespaces", prefix + fragment.text, text))
        source = self._source(fragment, prefix)
        trace(
            events.ChunkStarted(text, text, *source.span(0, len(text)), 0, len(text), source.exact)
        )
        symbols = CHARACTERS.findall(text)
        trace(events.SymbolsSplit(tuple(symbols)))
        position = 0
        for symbol in merge_symbols(symbols, self._priorities.get, b"", trace, scored=True):
            ids = self._symbol_ids(symbol)
            if self._token_id(symbol) is None:
                trace(events.ByteFallback(symbol, ids))
            width = len(symbol) // len(ids)
            for id in ids:
                source.emit(trace, id, position, position + width)
                output.append(id)
                position += width

    def _byte_token(self, byte: int) -> TokenId:
        id = self._token_id(b"<0x%02X>" % byte)
        if id is None:
            id = self._token_id(bytes((byte,)))
        if id is None:
            raise TokenizeError(
                f"the vocabulary has no token for byte 0x{byte:02X} of this text, neither "
                f"'<0x{byte:02X}>' nor the byte itself; llama.cpp ends its process here"
            )
        return id

    def _source(self, fragment: Fragment, prefix: bytes) -> SourceMap:
        start = fragment.start
        units = [(METASPACE, start, start)] if prefix else []
        for offset, byte in enumerate(fragment.text, start):
            units.append((METASPACE if byte == 0x20 else bytes((byte,)), offset, offset + 1))
        return SourceMap(units, exact=True, end=start + len(fragment.text))
