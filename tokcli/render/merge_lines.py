"""Merges as lines for programs: TSV and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tokcli.listing.merge_rows import MergeRow
from tokcli.listing.merge_tree import MergeNode, MergeTree
from tokcli.listing.raw_text import to_plain
from tokcli.render.json_text import as_array, json_float, json_list, json_text
from tokcli.render.lines import write_lines
from tokcli.text.byte_escapes import escape
from tokcli.text.float_text import float_text
from tokcli.vocab import Vocab

__all__ = ["merge_jsonl", "merge_tsv", "print_merge_lines", "tree_json"]

COLUMNS = ("rank", "left", "right", "result", "result_id", "score")


def merge_tsv(rows: Iterable[MergeRow]) -> Iterator[str]:
    """One merge a line under a header, texts raw and written by byte_escapes; `result_id` is empty
    where the result is no token, `score` where ranks come from the list of merges."""
    yield "\t".join(COLUMNS)
    for row in rows:
        id = "" if row.id is None else row.id
        score = "" if row.score is None else float_text(row.score)
        left, right = escape(row.left), escape(row.right)
        yield f"{row.rank}\t{left}\t{right}\t{escape(row.result)}\t{id}\t{score}"


def merge_jsonl(vocab: Vocab, rows: Iterable[MergeRow]) -> Iterator[str]:
    """One object a line. Texts are raw, null where they are not UTF-8, and in hex beside that;
    `piece` is the result's plain text."""
    for row in rows:
        yield (
            f'{{"rank":{row.rank},{_text("left", row.left)},{_text("right", row.right)},'
            f'{_text("result", row.result)},"result_id":{_number(row.id)},'
            f'"piece":{json_text(to_plain(vocab, row.result))},"score":{_score(row.score)}}}'
        )


def tree_json(vocab: Vocab, tree: MergeTree) -> str:
    """A token's tree as one object: the initial symbols, the merges in their order, and the same
    nested; `remaining` is what merging ends in, the token alone where `built`."""
    nodes = tree.nodes
    merges = [
        f'{{"step":{step},{_text("left", nodes[node.left].text)},'
        f"{_text('right', nodes[node.right].text)},{_node(node)}}}"
        for step, node in enumerate((n for n in nodes if n.left is not None), 1)
        if node.left is not None and node.right is not None
    ]
    symbols = [f"{{{_node(node)}}}" for node in nodes if node.left is None]
    return (
        f'{{"token":{{"id":{tree.id},{_text("text", tree.text)},'
        f'"piece":{json_text(to_plain(vocab, tree.text))}}},'
        f'"built":{"true" if tree.built else "false"},"symbols":{json_list(symbols)},'
        f'"merges":{json_list(merges)},'
        f'"remaining":{json_list(json_text(nodes[root].text) for root in tree.roots)},'
        f'"trees":{json_list(_nested(tree, root) for root in tree.roots)}}}'
    )


def _nested(tree: MergeTree, root: int) -> str:
    """A node with its sides inside; a tree may be thousands deep, so nothing recurses."""
    parts: list[str] = []
    # What is still to be written, the next one last: nodes, and text between them.
    waiting: list[int | str] = [root]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        node = tree.nodes[item]
        parts.append(f"{{{_node(node)}")
        waiting.append("}")
        if node.left is not None and node.right is not None:
            waiting += [node.right, ',"right":', node.left, ',"left":']
    return "".join(parts)


def _node(node: MergeNode) -> str:
    return (
        f'{_text("text", node.text)},"id":{_number(node.id)},"rank":{_number(node.rank)},'
        f'"score":{_score(node.score)}'
    )


def _text(name: str, data: bytes) -> str:
    return f'"{name}":{json_text(data)},"{name}_bytes":"{data.hex()}"'


def _number(value: int | None) -> str:
    return "null" if value is None else str(value)


def _score(value: float | None) -> str:
    return "null" if value is None else json_float(value)


def print_merge_lines(vocab: Vocab, rows: Iterable[MergeRow], format: str) -> int:
    """Print the rows as "tsv", "json" or "jsonl" and return how many there were."""
    count = 0

    def counted() -> Iterator[MergeRow]:
        nonlocal count
        for row in rows:
            count += 1
            yield row

    if format == "tsv":
        write_lines(merge_tsv(counted()))
    else:
        objects = merge_jsonl(vocab, counted())
        write_lines(as_array(objects) if format == "json" else objects)
    return count
