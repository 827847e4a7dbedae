"""tokcli dump-vocab: every token with all there is to know about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tokcli.cli.options import Color, Debug, Model, OverrideKv, Pre, check_choice

if TYPE_CHECKING:
    from tokcli.listing.vocab_rows import VocabFilter
    from tokcli.vocab import Vocab

FORMATS = ("table", "tsv", "json", "jsonl", "spm-vocab", "spm-syms")
TYPES = "normal, unknown, control, user_defined, unused, byte, undefined"


def dump_vocab(
    model: Model = None,
    override_kv: OverrideKv = None,
    pre: Pre = None,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="|".join(FORMATS),
            callback=lambda value: check_choice(value, FORMATS),
            help="spm-vocab and spm-syms are what sentencepiece's spm_export_vocab writes.",
        ),
    ] = "table",
    ids: Annotated[
        str | None,
        typer.Option("--id", metavar="0,5-10,500-", help="Only these ids, in this order."),
    ] = None,
    types: Annotated[
        str | None,
        typer.Option("--type", metavar="NAME,...", help=f"Only tokens of these types: {TYPES}."),
    ] = None,
    match: Annotated[
        str | None,
        typer.Option(
            "--match",
            metavar="REGEX",
            help="Only tokens in whose piece or raw text this is found (syntax of the regex "
            "package).",
        ),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option("--text", metavar="S", help="Only tokens whose piece or raw text is S."),
    ] = None,
    special: Annotated[
        bool,
        typer.Option(
            "--special", help="Only tokens that are cut out of text, or have a role (BOS, EOG...)."
        ),
    ] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=0, help="At most N tokens.")
    ] = None,
    color: Color = "auto",
    debug: Debug = False,
) -> int:
    r"""List the vocabulary: id, piece, bytes, raw text, score, type, attributes and roles.

    TSV and tables write a backslash, tab, line feed and carriage return as \\ \t \n \r, and bytes
    of other control characters or broken UTF-8 as \xHH, so nothing is lost.
    Exit status 1 when no token passes the filters.
    """
    from tokcli.cli.model_source import load_tokenizer
    from tokcli.cli.report import report
    from tokcli.listing.vocab_rows import select_ids, vocab_rows

    tokenizer = load_tokenizer(model, override_kv, pre)
    wanted = _filter(tokenizer.vocab, ids, types, match, text, special, limit)
    rows = vocab_rows(tokenizer, select_ids(tokenizer, wanted))
    if format == "table":
        from tokcli.render.vocab_table import print_vocab_table

        count = print_vocab_table(tokenizer.vocab, rows, color)
    else:
        from tokcli.render.vocab_lines import print_vocab_lines

        count = print_vocab_lines(rows, format)
    if not count and limit != 0:
        report("note", "no token passes these filters")
        return 1
    return 0


def _filter(
    vocab: Vocab,
    ids: str | None,
    types: str | None,
    match: str | None,
    text: str | None,
    special: bool,
    limit: int | None,
) -> VocabFilter:
    from tokcli.listing.vocab_rows import VocabFilter
    from tokcli.text.number_ranges import parse_ranges
    from tokcli.text.unicode import to_bytes

    return VocabFilter(
        ids=None
        if ids is None
        else tuple(parse_ranges(ids, option="--id", count=len(vocab), noun="token id")),
        types=None if types is None else _types(types),
        pattern=match,
        text=None if text is None else to_bytes(text),
        special=special,
        limit=limit,
    )


def _types(names: str) -> frozenset[int]:
    from tokcli.errors import UsageError
    from tokcli.listing.token_roles import type_number

    numbers = set()
    for name in names.split(","):
        number = type_number(name.strip())
        if number is None:
            raise UsageError(f"--type: '{name.strip()}' is no token type ({TYPES}, or a number)")
        numbers.add(number)
    return frozenset(numbers)
