"""Rows of a vocabulary as lines for programs: TSV, JSON, and sentencepiece's two formats."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

from tokcli.listing.vocab_rows import VocabRow
from tokcli.render.json_text import as_array, json_float, json_list, json_text
from tokcli.render.lines import write_lines
from tokcli.text.byte_escapes import escape
from tokcli.text.float_text import float_text

__all__ = ["print_vocab_lines"]

COLUMNS = ("id", "piece", "bytes", "raw", "score", "type", "attributes", "roles")

Lines = Iterator[str]


def tsv(rows: Iterable[VocabRow]) -> Lines:
    """One token a line under a header; lists are separated by commas. `piece` and `raw` are
    written by tokcli.text.byte_escapes, `bytes` is the piece in hex; an empty piece and one that
    llama.cpp aborts on are both empty."""
    yield "\t".join(COLUMNS)
    for id, piece, raw, score, kind, attributes, roles in rows:
        piece = piece or b""
        yield (
            f"{id}\t{escape(piece)}\t{piece.hex()}\t{escape(raw)}\t{float_text(score)}\t{kind}"
            f"\t{','.join(attributes)}\t{','.join(roles)}"
        )


def jsonl(rows: Iterable[VocabRow]) -> Lines:
    """One object a line. `piece` and `raw` are text, or null where their bytes are not UTF-8;
    `bytes` and `raw_bytes` are always there, in hex (`bytes` is null where llama.cpp aborts)."""
    for id, piece, raw, score, kind, attributes, roles in rows:
        data = "null" if piece is None else f'"{piece.hex()}"'
        yield (
            f'{{"id":{id},"piece":{json_text(piece)},"bytes":{data},"raw":{json_text(raw)},'
            f'"raw_bytes":"{raw.hex()}","score":{json_float(score)},"type":"{kind}",'
            f'"attributes":{_names(attributes)},"roles":{_names(roles)}}}'
        )


def _names(names: tuple[str, ...]) -> str:
    return json_list(f'"{name}"' for name in names)


def json(rows: Iterable[VocabRow]) -> Lines:
    """An array of the objects of `jsonl`, one a line."""
    return as_array(jsonl(rows))


def spm_vocab(rows: Iterable[VocabRow]) -> Lines:
    """Raw text and score, as `spm_export_vocab --output_format=vocab` prints them: bytes as they
    are, six significant digits."""
    for row in rows:
        yield f"{_bytes(row.raw)}\t{_stream_float(row.score)}"


def spm_syms(rows: Iterable[VocabRow]) -> Lines:
    """Raw text and id, as `spm_export_vocab --output_format=syms` prints them."""
    for row in rows:
        yield f"{_bytes(row.raw)}\t{row.id}"


def _bytes(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _stream_float(value: float) -> str:
    """What C++'s `stream << value` writes."""
    return "-nan" if math.isnan(value) and math.copysign(1, value) < 0 else f"{value:g}"


FORMATS: dict[str, Callable[[Iterable[VocabRow]], Lines]] = {
    "tsv": tsv,
    "json": json,
    "jsonl": jsonl,
    "spm-vocab": spm_vocab,
    "spm-syms": spm_syms,
}


def print_vocab_lines(rows: Iterable[VocabRow], format: str) -> int:
    """Print the rows in one of FORMATS and return how many there were."""
    count = 0

    def counted() -> Iterator[VocabRow]:
        nonlocal count
        for row in rows:
            count += 1
            yield row

    write_lines(FORMATS[format](counted()))
    return count
