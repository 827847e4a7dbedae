"""When merging words together with numpy pays, and having what it takes made then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from tokcli.vocab import TokenId

if TYPE_CHECKING:
    from tokcli.batch.merges import MergeBatch

__all__ = ["WordMerger"]

# Merged together, a word saves ten microseconds or more. Importing numpy takes as long as 8,000 of
# them, the table of merges one for every ten to forty; less will do, as more words may come.
WORDS_FOR_NUMPY = 4096
MERGES_FOR_A_WORD = 64


class WordMerger:
    """Merges many words together. `make` gives the MergeBatch of a vocabulary with about `n_merges`
    merges, or None where it has merges that cannot be done so."""

    def __init__(self, n_merges: int, make: Callable[[], MergeBatch | None]) -> None:
        self._fewest = WORDS_FOR_NUMPY + n_merges // MERGES_FOR_A_WORD
        self._make = make
        self._made = False
        self._batch: MergeBatch | None = None

    def encode(self, words: Sequence[str]) -> Iterable[tuple[str, tuple[TokenId, ...]]]:
        """Words with their ids; none, or not all of them, where each is better done by itself."""
        if not self._made:
            if len(words) < self._fewest:
                return ()
            self._batch = self._make()
            self._made = True
        return () if self._batch is None else self._batch.encode(words)
