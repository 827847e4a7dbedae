"""TEST: every five bytes of text become a token by their hash (LLAMA_VOCAB_TYPE_TEST)."""

from __future__ import annotations

from tokcli import events
from tokcli.algorithms.base import Fragment
from tokcli.source_map import SourceMap
from tokcli.vocab import TokenId, Vocab

__all__ = ["Hashed"]

CHUNK = 5


class Hashed:
    """The tokenizer of model `test`."""

    def __init__(self, vocab: Vocab) -> None:
        self._n_tokens = len(vocab)

    def tokenize(
        self, fragment: Fragment, output: list[TokenId], trace: events.TraceSink | None = None
    ) -> None:
        """See Algorithm.tokenize."""
        data = fragment.text
        end = fragment.start + len(data)
        for start in range(0, len(data), CHUNK):
            chunk = data[start : start + CHUNK]
            value = 0
            for byte in chunk:
                value = value * 31 + byte
            id = value % self._n_tokens
            output.append(id)
            if trace is not None:
                stop = start + len(chunk)
                source = SourceMap([(data, fragment.start, end)], exact=True, end=end)
                trace(
                    events.ChunkStarted(chunk, chunk, *source.span(start, stop), start, stop, True)
                )
                source.emit(trace, id, start, stop)
