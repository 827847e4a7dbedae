"""An inspection for people: a table for each section."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from tokcli.gguf_metadata import Metadata
from tokcli.inspection import Inspection, SettingRow, VocabReport
from tokcli.render.gguf_values import preview
from tokcli.render.stream_table import Column, print_table, table_width
from tokcli.render.terminal import make_console, visible
from tokcli.text.byte_escapes import escape
from tokcli.tokenizer import builtin_path
from tokcli.vocab import Provenance

__all__ = ["print_inspection", "print_keys"]

MOST_OVERRIDES = 20
WIDE = 110
# Columns wider than this are folded where the terminal is too narrow.
LONGEST_UNFOLDED = 24


class Section(NamedTuple):
    """A titled table."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    header: bool = True


def print_inspection(inspection: Inspection, keys: Iterable[str], color: str) -> None:
    """Print everything, the overview first and the keys last."""
    metadata = inspection.metadata
    _print_facts("File", _file_facts(metadata), color)
    if inspection.report is not None:
        _print_facts("Tokenizer", _vocab_facts(inspection.report), color)
        width = table_width()
        narrow = width is not None and width < WIDE
        for section in _sections(inspection.report, narrow):
            _print_section(section, color)
    templates = [
        [visible(row.name), f"{row.size} bytes", visible(row.key)] for row in inspection.templates
    ]
    _print_section(Section("Chat templates", _columns("name", "size", "key"), templates), color)
    if inspection.template_error is not None:
        _print_facts("Chat template trouble", [("", inspection.template_error)], color)
    print_keys(metadata, keys, color)


def print_keys(metadata: Metadata, keys: Iterable[str], color: str) -> None:
    """Print keys with their types and shortened values."""
    rows = [[visible(key), metadata[key].type_name, preview(metadata[key])] for key in keys]
    _print_section(Section("Keys", _columns("key", "type", "value"), rows), color)


def _file_facts(metadata: Metadata) -> Iterator[tuple[str, str]]:
    built_in = metadata.path == builtin_path()
    yield "path", "built-in GPT-2 vocabulary" if built_in else visible(metadata.path)
    yield "format", f"GGUF version {metadata.version}, {metadata.byte_order}-endian"
    yield "contents", f"{len(metadata)} keys, {metadata.tensor_count} tensors"
    for key in ("general.architecture", "general.name"):
        value = metadata.text(key)
        if value is not None:
            yield key.partition(".")[2], visible(value)


def _vocab_facts(report: VocabReport) -> Iterator[tuple[str, str]]:
    vocab = report.vocab
    yield "model", f"{visible(vocab.model)} ({vocab.type.label})"
    if report.pre_names is not None and report.pre_source is not None:
        yield "pre", f"{visible(vocab.pre)} ({_source(report.pre_source, narrow=False)})"
        yield "same rules", ", ".join(report.pre_names.same_rules) or "no other name"
        others = ", ".join(report.pre_names.same_regexes)
        if others:
            yield "same regexes", f"{others} (with other settings)"
    counts = ", ".join(f"{count} {name}" for name, count in report.types.items())
    yield "tokens", f"{len(vocab)}: {counts}" if counts else "none"
    if vocab.merges:
        yield "merges", str(len(vocab.merges))
    ends = ", ".join(f"{id} '{escape(vocab.texts[id])}'" for id in sorted(vocab.eog_ids))
    yield "end of generation", ends or "no token"


def _sections(report: VocabReport, narrow: bool) -> Iterator[Section]:
    yield Section(
        "Settings",
        _columns("setting", "value", "source", "remark"),
        [
            [row.name, _value(row), _source(row.source, narrow), row.remark or ""]
            for row in report.settings
        ],
    )
    yield Section(
        "Special tokens",
        _columns("role", "id", "text", "source"),
        [
            [
                row.role,
                "none" if row.id is None else str(row.id),
                "" if row.text is None else f"'{escape(row.text)}'",
                _source(row.source, narrow),
            ]
            for row in report.special
        ],
    )
    overrides = [
        [str(row.id), f"'{escape(row.text)}'", row.type, ",".join(row.attributes) or "nothing"]
        for row in report.overrides[:MOST_OVERRIDES]
    ]
    hidden = len(report.overrides) - len(overrides)
    if hidden > 0:
        overrides.append(["...", f"{hidden} more (--format json lists all)", "", ""])
    columns = _columns("id", "text", "type in the file", "is taken for")
    yield Section("Type overrides", columns, overrides)
    notes = [[note.code, visible(note.message)] for note in report.vocab.notes]
    yield Section("Notes", _columns("code", "message"), notes)


def _source(source: Provenance, narrow: bool) -> str:
    """Where a value came from, in words; in a narrow table without what goes without saying."""
    detail = visible(source.detail)
    prefix = {"key": "key ", "text": "guessed from ", "forced": "forced ", "absent": "absent: "}
    words = prefix.get(source.kind, "") + detail
    if narrow:
        words = words.replace("tokenizer.ggml.", "").replace("implied by ", "")
    return words


def _value(row: SettingRow) -> str:
    if isinstance(row.value, bool):
        return "true" if row.value else "false"
    if isinstance(row.value, tuple):
        return ",".join(map(str, row.value)) or "none"
    return visible(row.value)


def _columns(*titles: str) -> list[Column]:
    styles = ("cyan", "bold", "green", "dim")
    return [Column(title, 0, style=style) for title, style in zip(titles, styles, strict=False)]


def _print_facts(title: str, facts: Iterable[tuple[str, str]], color: str) -> None:
    rows = [list(fact) for fact in facts]
    _print_section(Section(title, _columns("fact", "value"), rows, header=False), color)


def _print_section(section: Section, color: str) -> None:
    if not section.rows:
        return
    from rich.text import Text

    console = make_console(color)
    console.print(Text(section.title, style="bold underline"))
    columns = []
    for column, cells in zip(section.columns, zip(*section.rows, strict=True), strict=True):
        width = max(map(len, (column.title, *cells) if section.header else cells))
        folds = width > LONGEST_UNFOLDED
        columns.append(column._replace(width=width, most=width if folds else None))
    print_table(columns, section.rows, color, header=section.header)
    console.print()
