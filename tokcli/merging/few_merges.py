"""Of the merges of a vocabulary, those that short texts may need.

Laying out a table of all merges takes longer than anything else that a short prompt needs. Those
that are made of the bytes of the text alone are found in a part of that time, and laid out in less.
The table of all pays where there is more text, and where each has other characters.
"""

from __future__ import annotations

from tokcli.gguf_strings import Strings
from tokcli.vocab import Vocab, ranks_of

__all__ = ["FewMerges"]

# Characters that are worked on without a table of all merges, in all texts together.
SHORT_TEXT = 1 << 14
# What is looked for beside the bytes of the text: nothing the first time, and then what texts that
# follow will most likely have. Each search takes up to half of the time that the table does.
SEARCHES = (b"", bytes(range(0x21, 0x7F)))


class FewMerges:
    """The ranks of such merges of one vocabulary."""

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab
        # Threads that share it may count wrong, which costs time alone.
        self._characters_left = SHORT_TEXT if isinstance(vocab.merges, Strings) else 0
        self._n_searches = 0
        self._found: tuple[frozenset[int], dict[bytes, int]] = frozenset(), {}

    def pay(self, n_characters: int) -> bool:
        """Whether they are yet better for so many characters than a table of all merges is."""
        return n_characters <= self._characters_left and not self._vocab.has_ranks

    def spend(self, n_characters: int) -> None:
        """Take note that there were so many."""
        self._characters_left -= n_characters

    def ranks(self, symbols: bytes) -> dict[bytes, int]:
        """Merge "left right" -> a number, in the order of the ranks: of all merges that have no
        bytes but those of `symbols`, and maybe of others."""
        letters = frozenset(symbols) | {ord(" ")}
        known, found = self._found
        if letters <= known:
            return found
        n_searches, merges = self._n_searches, self._vocab.merges
        if n_searches >= len(SEARCHES) or not isinstance(merges, Strings):
            return self._vocab.ranks
        self._n_searches = n_searches + 1
        letters |= known | frozenset(SEARCHES[n_searches])
        found = ranks_of(merges.made_of(bytes(letters)))
        self._found = letters, found
        return found
