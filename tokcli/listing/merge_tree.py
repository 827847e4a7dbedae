"""How merging builds a token: the tree of merges, heard from the engine as it merges."""

from __future__ import annotations

from typing import NamedTuple

from tokcli.algorithms.spm import CHARACTERS
from tokcli.errors import UsageError
from tokcli.merging.merge import merge_symbols, score_priority
from tokcli.trace import Event, MergeApplied
from tokcli.vocab import BYTE, SPECIAL_ATTRS, TokenId, Vocab, VocabType

__all__ = ["MergeNode", "MergeTree", "merge_tree", "merges", "remark"]


class MergeNode(NamedTuple):
    """A symbol on the way to the token. `left` and `right` are numbers of nodes, None for the
    symbols that merging starts from; `rank` (BPE) or `score` (SPM) is that of the merge; `id` is
    None where the symbol is not a token itself."""

    text: bytes
    id: TokenId | None
    rank: int | None = None
    score: float | None = None
    left: int | None = None
    right: int | None = None


class MergeTree(NamedTuple):
    """What merging makes of a token's text.

    `nodes`: the initial symbols, then the result of each merge in the order they happen;
    `roots`: the nodes that remain. `built` is whether one remains, which is the token.
    """

    text: bytes
    id: TokenId
    nodes: tuple[MergeNode, ...]
    roots: tuple[int, ...]

    @property
    def built(self) -> bool:
        """Whether merging arrives at the token."""
        return len(self.roots) == 1


def _symbols(vocab: Vocab, text: bytes) -> list[bytes]:
    if vocab.type == VocabType.SPM:
        return CHARACTERS.findall(text)
    chars = text.decode("utf-8", "surrogateescape")
    return [char.encode("utf-8", "surrogateescape") for char in chars]


def merges(vocab: Vocab) -> bool:
    """Whether this type of vocabulary builds tokens by merging."""
    return vocab.type in (VocabType.BPE, VocabType.SPM)


def merge_tree(vocab: Vocab, id: TokenId) -> MergeTree:
    """Merge the characters of token `id` as llama.cpp does and keep each merge.

    Raises UsageError for a vocabulary that does not merge, TokenIdError for an id outside it.
    """
    if not merges(vocab):
        raise UsageError(f"a {vocab.type.label} vocabulary does not merge, so there is no tree")
    text = vocab.raw_texts[vocab.check_id(id)]
    lookup = vocab.token_to_id.get
    symbols = _symbols(vocab, text)
    nodes = [MergeNode(symbol, lookup(symbol)) for symbol in symbols]
    # Position of a symbol -> the node that stands there now.
    current = dict(enumerate(range(len(nodes))))

    def listen(event: Event) -> None:
        assert isinstance(event, MergeApplied)
        left, right = current[event.left_index], current.pop(event.right_index)
        current[event.left_index] = len(nodes)
        result = event.result
        nodes.append(MergeNode(result, lookup(result), event.rank, event.score, left, right))

    if vocab.type == VocabType.BPE:
        merge_symbols(symbols, vocab.ranks.get, b" ", listen)
    else:
        scores = vocab.scores

        def priority(joined: bytes) -> float | None:
            found = lookup(joined)
            return None if found is None else score_priority(scores[found])

        merge_symbols(symbols, priority, b"", listen, scored=True)
    return MergeTree(text, id, tuple(nodes), tuple(current[place] for place in sorted(current)))


def remark(vocab: Vocab, tree: MergeTree) -> str | None:
    """How text comes to the token other than by merging, or that it never does."""
    attr = vocab.attr(tree.id)
    if attr & SPECIAL_ATTRS:
        return "it is cut out of the text as a whole before anything merges"
    if tree.built:
        return None
    if attr & BYTE:
        return "it stands for a byte that no other token covers"
    if vocab.flag("ignore_merges"):
        return "ignore_merges is on: a chunk that is this token takes it without merging"
    if not tree.text.strip(b"\n") and _keeps_newlines(vocab):
        return "a chunk of line feeds that is a token takes it without merging"
    return "text is never tokenized to it"


def _keeps_newlines(vocab: Vocab) -> bool:
    from tokcli.pretokenizer_table import PRE_TOKENIZERS

    rules = PRE_TOKENIZERS.get(vocab.pre)
    return rules is not None and rules.variant in ("gemma4", "mmbert")
