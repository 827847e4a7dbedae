"""The symbols of a vocabulary as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tokcli.batch.merge_table import Numbers
from tokcli.batch.spans import Spans
from tokcli.batch.string_numbers import NOT_FOUND, StringNumbers
from tokcli.vocab import TokenId

__all__ = ["Numbering"]


class Numbering:
    """Symbols as numbers: one more than the id of a token, and from `first_other` on, in the order
    of `others`, those that merges have and that are no tokens."""

    def __init__(self, token_to_id: dict[bytes, TokenId]) -> None:
        self._token_to_id = token_to_id
        self.first_other = 1 + max(token_to_id.values(), default=-1) + 1
        self.others: list[bytes] = []
        self._numbers: dict[bytes, int] = {}

    def add(self, *several: Spans) -> list[Numbers]:
        """The numbers of these symbols, which get one if they have none. For one thread alone, that
        which lays out the table."""
        ids = StringNumbers(self._token_to_id)
        return [self._add(spans, ids.find(spans)) for spans in several]

    def _add(self, spans: Spans, ids: Numbers) -> Numbers:
        numbers: Numbers = ids + np.int32(1)
        others = np.flatnonzero(ids == NOT_FOUND)
        numbers[others] = self.add_few(spans.some(others).strings())
        return numbers

    def add_few(self, symbols: Sequence[bytes]) -> Numbers:
        """The same for few symbols."""
        return np.fromiter(map(self._number, symbols), np.int32, len(symbols))

    def _find(self, symbol: bytes) -> int | None:
        id = self._token_to_id.get(symbol)
        return self._numbers.get(symbol) if id is None else id + 1

    def _number(self, symbol: bytes) -> int:
        number = self._find(symbol)
        if number is None:
            number = self._numbers[symbol] = self.first_other + len(self.others)
            self.others.append(symbol)
        return number

    def known(self, symbols: Iterable[bytes]) -> tuple[Numbers, list[bytes]]:
        """The numbers of these symbols, and those which have none and are numbered on from there:
        they merge with nothing, and need none for longer."""
        once: list[bytes] = []
        numbers = []
        for symbol in symbols:
            number = self._find(symbol)
            if number is None:
                number = self.first_other + len(self.others) + len(once)
                once.append(symbol)
            numbers.append(number)
        return np.array(numbers, np.int32), once
