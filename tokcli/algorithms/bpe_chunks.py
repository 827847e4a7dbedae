"""What one chunk of BPE text becomes: the part of BPE behind the pre-tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from itertools import chain

from tokcli import events
from tokcli.algorithms.base import NO_TOKEN
from tokcli.merging.character_joints import CharacterJoints
from tokcli.merging.few_merges import FewMerges
from tokcli.merging.memo import Memo
from tokcli.merging.merge import merge_symbols
from tokcli.merging.merge_windows import merge_word
from tokcli.pretokenizer_table import PRE_TOKENIZERS
from tokcli.source_map import SourceMap
from tokcli.text.byte_alphabet import BYTE_TO_UTF8
from tokcli.text.unicode import encode
from tokcli.vocab import TokenId, TokenIds, Vocab

__all__ = ["NEWLINE_WORDS", "Chunks"]

# The variants for which newlines alone make a token without any merge.
NEWLINE_WORDS = ("gemma4", "mmbert")
# Longer words of other scripts than Latin are worth cutting where nothing merges.
LONG_WORD = 4


class Chunks:
    """Chunks of one vocabulary into ids."""

    def __init__(self, vocab: Vocab) -> None:
        rules = PRE_TOKENIZERS[vocab.pre]
        self._vocab = vocab
        self._token_id = vocab.token_to_id.get
        self._byte_encode = rules.byte_encode
        self._ignore_merges = rules.ignore_merges
        self._newline_words = rules.variant in NEWLINE_WORDS
        self._unknown = self._unknown_id() if rules.variant == "soprano" else None
        self._parts: Memo[str, TokenIds] = Memo(self._merge)
        self._few_merges = FewMerges(vocab)

    def _unknown_id(self) -> TokenId:
        id = self._vocab.special_id("unk")
        return NO_TOKEN if id is None else id

    def encode(self, chunk: str) -> TokenIds:
        """The ids of one chunk."""
        whole = self._whole_word(chunk)
        return self._merge_parts(chunk) if whole is None else (whole,)

    def spare_table(self, n_characters: int) -> bool:
        """Whether encode_few() does so many characters without a table of all merges."""
        return self._few_merges.pay(n_characters)

    def encode_few(self, chunks: Sequence[str]) -> list[TokenIds]:
        """The ids of each of these chunks, which are not kept: for the first short texts, as
        spare_table() says."""
        found: dict[str, TokenIds] = {}
        left = []
        for chunk in set(chunks):
            whole = self._whole_word(chunk)
            if whole is None:
                left.append(chunk)
            else:
                found[chunk] = (whole,)
        merge: Callable[[str], TokenIds] = self._merge_parts
        merging = "".join(chunk for chunk in left if self._byte_encode or len(chunk) > 1)
        if merging and self.spare_table(len(merging)):
            rank = self._few_merges.ranks(b"".join(self.symbols(merging))).get
            merge = partial(self._merge, rank=rank)
        self._few_merges.spend(sum(map(len, chunks)))
        found.update(zip(left, map(merge, left), strict=True))
        return list(map(found.__getitem__, chunks))

    def _merge_parts(self, chunk: str) -> TokenIds:
        if self._byte_encode and len(chunk) > LONG_WORD and not chunk.isascii():
            parts = self._joints.split(chunk)
            if len(parts) > 1:
                return tuple(chain.from_iterable(map(self._parts.__getitem__, parts)))
        return self._merge(chunk)

    def _merge(self, chunk: str, rank: Callable[[bytes], int | None] | None = None) -> TokenIds:
        """`rank` tells the rank of "left right", if not the vocabulary is to be asked."""
        symbols = self.symbols(chunk)
        if len(symbols) > 1:
            symbols = merge_word(symbols, rank or self._vocab.ranks.get, b" ")
        try:
            return tuple(map(self._vocab.token_to_id.__getitem__, symbols))
        except KeyError:
            return tuple(chain.from_iterable(map(self.symbol_ids, symbols)))

    @cached_property
    def _joints(self) -> CharacterJoints:
        return CharacterJoints(self._vocab.merges)

    def _whole_word(self, chunk: str) -> TokenId | None:
        """The token that stands for the chunk without any merge, where a rule allows that."""
        if self._ignore_merges:
            return self._token_id(b"".join(self.symbols(chunk)))
        if self._newline_words and not chunk.strip("\n"):
            return self._token_id(chunk.encode())
        return None

    def symbols(self, chunk: str) -> list[bytes]:
        """What merging starts from."""
        if self._byte_encode:
            return list(map(BYTE_TO_UTF8.__getitem__, encode(chunk)))
        return list(map(encode, chunk))

    def symbol_ids(self, symbol: bytes, trace: events.TraceSink | None = None) -> TokenIds:
        """The token of a final symbol, or what stands for it where there is none."""
        id = self._token_id(symbol)
        if id is not None:
            return (id,)
        if self._unknown is not None:
            if trace is not None:
                trace(events.UnknownToken(symbol, self._unknown))
            return (self._unknown,)
        if self._byte_encode:
            # The reference looks for single bytes of the mapped text, which rarely exist.
            found = [self._token_id(bytes((byte,))) for byte in symbol]
        else:
            found = [self._token_id(b"<0x%02X>" % byte) for byte in symbol]
        ids = tuple(id for id in found if id is not None)
        if trace is not None:
            trace(events.ByteFallback(symbol, ids) if ids else events.SymbolDropped(symbol))
        return ids

    def trace(
        self,
        chunk: str,
        position: int,
        source: SourceMap,
        output: list[TokenId],
        trace: events.TraceSink,
    ) -> None:
        """Tokenize a chunk that starts at byte `position` of the prepared text, step by step."""
        raw = encode(chunk)
        symbols = self.symbols(chunk)
        start, end = source.span(position, position + len(raw))
        trace(
            events.ChunkStarted(
                raw, b"".join(symbols), start, end, position, position + len(raw), source.exact
            )
        )
        whole = self._whole_word(chunk)
        if whole is not None:
            rule = "ignore_merges" if self._ignore_merges else "newlines"
            trace(events.WholeWord(b"".join(symbols), whole, rule))
            source.emit(trace, whole, position, position + len(raw))
            output.append(whole)
            return
        trace(events.SymbolsSplit(tuple(symbols)))
        for symbol in merge_symbols(symbols, self._vocab.ranks.get, b" ", trace):
            # In the byte alphabet one character stands for one byte.
            length = len(symbol.decode()) if self._byte_encode else len(symbol)
            ids = self.symbol_ids(symbol, trace)
            # Each stands for a byte of the symbol, or all of them for the symbol.
            by_bytes = len(ids) == length == len(symbol)
            for number, id in enumerate(ids):
                if by_bytes:
                    source.emit(trace, id, position + number, position + number + 1)
                else:
                    source.emit(trace, id, position, position + length)
            output.extend(ids)
            position += length
