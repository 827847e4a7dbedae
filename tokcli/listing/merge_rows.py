"""The merges of a vocabulary as rows, and the pairs that take their place where there are none.

BPE has a list of merges, best first; SPM's rows are the pairs of spm_pairs, whose `rank` is the
place of the score.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from tokcli.listing.merge_tree import MergeTree
from tokcli.listing.raw_text import to_raw
from tokcli.listing.spm_pairs import SpmPairs
from tokcli.text.number_ranges import numbers_in
from tokcli.vocab import TokenId, Vocab, VocabType

__all__ = [
    "MergeRow",
    "count_ranks",
    "merges_of_pair",
    "merges_of_ranks",
    "merges_of_tree",
    "merges_using",
    "split_merge",
]


class MergeRow(NamedTuple):
    """A merge of `left` and `right`. `id`: the result's token, None where there is none;
    `score`: what orders it in SPM, None in BPE."""

    rank: int
    left: bytes
    right: bytes
    id: TokenId | None
    score: float | None = None

    @property
    def result(self) -> bytes:
        """What the two become."""
        return self.left + self.right


def split_merge(merge: bytes) -> tuple[bytes, bytes]:
    """Both sides of an entry of tokenizer.ggml.merges; one without a space, which never applies,
    has all of it on the left. A leading space is part of the left side, as llama.cpp has it."""
    space = merge.find(b" ", 1)
    return (merge, b"") if space < 0 else (merge[:space], merge[space + 1 :])


def count_ranks(vocab: Vocab) -> int:
    """How many ranks there are: merges for BPE, different scores for SPM, else 0."""
    if vocab.type == VocabType.SPM:
        return SpmPairs(vocab).n_places
    return len(vocab.merges)


def merges_of_ranks(
    vocab: Vocab, ranks: Iterable[range] | None = None, limit: int | None = None
) -> Iterator[MergeRow]:
    """The merges of the given ranks, or all, in order of rank."""
    if vocab.type == VocabType.SPM:
        places = None if ranks is None else set(numbers_in(ranks))
        return (MergeRow(*pair) for pair in islice(SpmPairs(vocab).rows(places), limit))
    numbers = range(len(vocab.merges)) if ranks is None else numbers_in(ranks)
    return (_bpe_row(vocab, rank) for rank in islice(numbers, limit))


def merges_of_pair(vocab: Vocab, pair: bytes) -> list[MergeRow]:
    """The merges that "left right" may mean: as the file writes it, else as plain text, whose
    sides may themselves hold spaces."""
    splits = [index for index in range(1, len(pair)) if pair[index : index + 1] == b" "]
    sides = [(pair[:index], pair[index + 1 :]) for index in splits]
    plain = [(to_raw(vocab, left), to_raw(vocab, right)) for left, right in sides]
    for reading in (sides, plain):
        found = [_find(vocab, left, right) for left, right in reading]
        rows = [row for row in found if row is not None]
        if rows:
            return rows
    return []


def merges_using(vocab: Vocab, symbol: bytes) -> Iterator[MergeRow]:
    """The merges with `symbol` (raw text) on either side, in order of rank."""
    if vocab.type == VocabType.SPM:
        return (MergeRow(*pair) for pair in SpmPairs(vocab).using(symbol))
    start, end = symbol + b" ", b" " + symbol
    ranks = (
        rank
        for rank, merge in enumerate(vocab.merges)
        if merge.startswith(start) or merge.endswith(end)
    )
    return (
        row for row in (_bpe_row(vocab, rank) for rank in ranks) if symbol in (row.left, row.right)
    )


def merges_of_tree(vocab: Vocab, tree: MergeTree) -> list[MergeRow]:
    """The merges that build a token, in the order they happen."""
    pairs = SpmPairs(vocab) if vocab.type == VocabType.SPM else None
    rows = []
    for node in tree.nodes:
        if node.left is None or node.right is None:
            continue
        left, right = tree.nodes[node.left].text, tree.nodes[node.right].text
        if pairs is None:
            rows.append(MergeRow(node.rank or 0, left, right, node.id))
        elif (pair := pairs.find(left, right)) is not None:
            rows.append(MergeRow(*pair))
    return rows


def _bpe_row(vocab: Vocab, rank: int) -> MergeRow:
    left, right = split_merge(vocab.merges[rank])
    return MergeRow(rank, left, right, vocab.token_to_id.get(left + right))


def _find(vocab: Vocab, left: bytes, right: bytes) -> MergeRow | None:
    if vocab.type == VocabType.SPM:
        pair = SpmPairs(vocab).find(left, right)
        return None if pair is None else MergeRow(*pair)
    rank = vocab.ranks.get(left + b" " + right)
    if rank is None or split_merge(vocab.merges[rank]) != (left, right):
        return None
    return _bpe_row(vocab, rank)
