"""Merges as a table, and the tree of one token, for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tokcli.listing.merge_rows import MergeRow
from tokcli.listing.merge_tree import MergeNode, MergeTree
from tokcli.listing.raw_text import to_plain
from tokcli.render.stream_table import Column, print_table
from tokcli.render.terminal import make_console
from tokcli.text.byte_escapes import escape
from tokcli.text.float_text import float_text
from tokcli.vocab import Vocab, VocabType

__all__ = ["print_merge_table", "print_merge_tree", "tree_lines"]

MOST = 48


def print_merge_table(vocab: Vocab, rows: Iterable[MergeRow], color: str) -> int:
    """Print the rows and return how many there were; the last column is the result as plain text,
    quoted so that its spaces show."""
    scored = vocab.type == VocabType.SPM
    columns = [
        Column("rank", max(len(str(len(vocab.merges))), 6), right=True, style="cyan"),
        *([Column("score", 9, right=True)] if scored else []),
        Column("left", 14, most=MOST),
        Column("right", 14, most=MOST),
        Column("result", 16, most=MOST, style="bold"),
        Column("id", max(len(str(len(vocab))), 2), right=True, style="cyan"),
        Column("piece", 16, most=MOST, style="green"),
    ]
    cells = (_cells(vocab, row, scored) for row in rows)
    return print_table(columns, cells, color)


def _cells(vocab: Vocab, row: MergeRow, scored: bool) -> Sequence[str]:
    return [
        str(row.rank),
        *([float_text(row.score or 0.0)] if scored else []),
        escape(row.left),
        escape(row.right),
        escape(row.result),
        "none" if row.id is None else str(row.id),
        f"'{escape(to_plain(vocab, row.result))}'",
    ]


def print_merge_tree(vocab: Vocab, tree: MergeTree, remark: str | None, color: str) -> None:
    """Print how merging builds a token; `remark` says more where it does not."""
    from rich.text import Text

    console = make_console(color)
    merges = sum(node.left is not None for node in tree.nodes)
    symbols = len(tree.nodes) - merges
    title = Text.assemble(
        f"token {tree.id} ",
        (f"'{escape(to_plain(vocab, tree.text))}'", "green"),
        f": {_count(symbols, 'symbol')}, {_count(merges, 'merge')}",
    )
    if not tree.built:
        remain = _count(len(tree.roots), "symbol")
        title.append(f", {remain} remain: merging does not build it", "bold red")
    console.print(title, soft_wrap=True)
    if remark:
        console.print(Text(remark), soft_wrap=True)
    for branch, text, plain, facts in tree_lines(vocab, tree):
        console.print(
            Text.assemble((branch, "dim"), (text, "bold"), (plain, "green"), (facts, "cyan")),
            soft_wrap=True,
        )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def tree_lines(vocab: Vocab, tree: MergeTree) -> Iterator[tuple[str, str, str, str]]:
    """The tree from its roots down, a line as branch, raw text, plain text where that differs, and
    facts; "merge 3" is the third to be applied."""
    first = sum(node.left is None for node in tree.nodes)
    # What is still to be drawn, the next one last: node, indentation, branch.
    waiting: list[tuple[int, str, str]] = [(root, "", "") for root in reversed(tree.roots)]
    while waiting:
        index, indent, branch = waiting.pop()
        node = tree.nodes[index]
        yield (indent + branch, *_label(vocab, node, index - first + 1))
        if node.left is not None and node.right is not None:
            below = indent + {"": "", "├── ": "│   ", "└── ": "    "}[branch]
            waiting.append((node.right, below, "└── "))
            waiting.append((node.left, below, "├── "))


def _label(vocab: Vocab, node: MergeNode, step: int) -> tuple[str, str, str]:
    plain = to_plain(vocab, node.text)
    quoted = f" '{escape(plain)}'" if plain != node.text else ""
    facts = ["no token" if node.id is None else f"id {node.id}"]
    if node.rank is not None:
        facts.append(f"rank {node.rank}")
    if node.score is not None:
        facts.append(f"score {float_text(node.score)}")
    if node.left is not None:
        facts.append(f"merge {step}")
    return escape(node.text), quoted, f"  {', '.join(facts)}"
