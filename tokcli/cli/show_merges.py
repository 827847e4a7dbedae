"""tokcli show-merges: the merges of a vocabulary, and how they build a token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tokcli.cli.guard import FINDING
from tokcli.cli.options import Color, Debug, Model, OverrideKv, Pre, check_choice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokcli.listing.merge_rows import MergeRow
    from tokcli.vocab import TokenId, Vocab

FORMATS = ("table", "tsv", "json", "jsonl")


def show_merges(
    model: Model = None,
    override_kv: OverrideKv = None,
    pre: Pre = None,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="|".join(FORMATS),
            callback=lambda value: check_choice(value, FORMATS),
        ),
    ] = "table",
    rank: Annotated[
        str | None,
        typer.Option("--rank", metavar="0-100,500", help="Only these ranks; the best is 0."),
    ] = None,
    pair: Annotated[
        str | None,
        typer.Option(
            "--pair",
            metavar='"LEFT RIGHT"',
            help="The merge of two symbols, as the vocabulary writes them ('Ġ a') or as plain text "
            "('  a').",
        ),
    ] = None,
    uses: Annotated[
        str | None,
        typer.Option("--uses", metavar="TOKEN", help="Only merges with TOKEN on either side."),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option("--token", metavar="TOKEN", help="The tree of merges that builds TOKEN."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=0, help="At most N merges.")
    ] = None,
    color: Color = "auto",
    debug: Debug = False,
) -> int:
    """List merges: rank, left, right, result and the result's id; or draw one token's tree.

    TOKEN is plain text (' are') or text as the vocabulary writes it ('Ġare'). SPM has scores in
    place of a list of merges and is shown by them; other vocabularies say what drives them.
    Exit status 1 when nothing is found.
    """
    from tokcli.cli.model_source import load_tokenizer
    from tokcli.cli.report import report
    from tokcli.errors import UsageError
    from tokcli.listing.merge_drivers import driver
    from tokcli.vocab import VocabType

    if (pair is not None) + (uses is not None or rank is not None) + (token is not None) > 1:
        raise UsageError("--pair, --token and --rank/--uses are different questions; ask one")
    vocab = load_tokenizer(model, override_kv, pre).vocab
    in_place_of_merges = driver(vocab)
    if in_place_of_merges and (format != "table" or vocab.type == VocabType.SPM):
        report("note", in_place_of_merges)
    if token is not None:
        return _show_tree(vocab, token, format, color)
    if in_place_of_merges and format == "table" and vocab.type != VocabType.SPM:
        print(in_place_of_merges)
        return 0
    count = _print_rows(vocab, _rows(vocab, rank, pair, uses, limit), format, color)
    if count or in_place_of_merges or limit == 0:
        return 0
    report("note", "no merge is like that")
    return FINDING


def _rows(
    vocab: Vocab, rank: str | None, pair: str | None, uses: str | None, limit: int | None
) -> Iterator[MergeRow]:
    from itertools import islice

    from tokcli.listing.merge_rows import count_ranks, merges_of_pair, merges_of_ranks, merges_using
    from tokcli.listing.raw_text import raw_forms
    from tokcli.text.number_ranges import numbers_in, parse_ranges
    from tokcli.text.unicode import to_bytes

    if pair is not None:
        return islice(merges_of_pair(vocab, to_bytes(pair)), limit)
    ranges = None
    if rank is not None:
        ranges = parse_ranges(rank, option="--rank", count=count_ranks(vocab), noun="rank")
    if uses is None:
        return merges_of_ranks(vocab, ranges, limit)
    for symbol in raw_forms(vocab, to_bytes(uses)):
        rows = list(merges_using(vocab, symbol))
        if rows:
            break
    if ranges is not None:
        wanted = set(numbers_in(ranges))
        rows = [row for row in rows if row.rank in wanted]
    return islice(rows, limit)


def _print_rows(vocab: Vocab, rows: Iterator[MergeRow], format: str, color: str) -> int:
    if format == "table":
        from tokcli.render.merge_table import print_merge_table

        return print_merge_table(vocab, rows, color)
    from tokcli.render.merge_lines import print_merge_lines

    return print_merge_lines(vocab, rows, format)


def _show_tree(vocab: Vocab, token: str, format: str, color: str) -> int:
    from tokcli.listing.merge_tree import merge_tree, merges, remark

    id = _find_token(vocab, token)
    if id is None:
        return FINDING
    if not merges(vocab):
        return _say_no_tree(vocab, id, format)
    tree = merge_tree(vocab, id)
    if format == "table":
        from tokcli.render.merge_table import print_merge_tree

        print_merge_tree(vocab, tree, remark(vocab, tree), color)
    elif format == "json":
        from tokcli.render.lines import write_lines
        from tokcli.render.merge_lines import tree_json

        write_lines([tree_json(vocab, tree)])
    else:
        from tokcli.listing.merge_rows import merges_of_tree
        from tokcli.render.merge_lines import print_merge_lines

        print_merge_lines(vocab, merges_of_tree(vocab, tree), format)
    return 0


def _say_no_tree(vocab: Vocab, id: TokenId, format: str) -> int:
    from tokcli.listing.merge_drivers import driver
    from tokcli.text.byte_escapes import escape
    from tokcli.text.float_text import float_text

    if format != "table":
        if format == "json":
            print("null")
        return FINDING
    score = f", score {float_text(vocab.score(id))}" if any(vocab.scores) else ""
    print(driver(vocab))
    print(f"token {id} '{escape(vocab.raw_texts[id])}': {len(vocab.raw_texts[id])} bytes{score}")
    return 0


def _find_token(vocab: Vocab, token: str) -> TokenId | None:
    from tokcli.cli.report import report
    from tokcli.listing.raw_text import raw_forms
    from tokcli.text.byte_escapes import escape
    from tokcli.text.unicode import to_bytes

    forms = raw_forms(vocab, to_bytes(token))
    found = [(form, vocab.token_to_id[form]) for form in forms if form in vocab.token_to_id]
    if not found:
        report("note", f"'{token}' is no token of this vocabulary")
        return None
    for form, id in found[1:]:
        report("note", f"'{escape(form)}' is also the raw text of token {id}")
    return found[0][1]
