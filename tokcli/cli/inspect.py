"""tokcli inspect: the tokenizer metadata of a file, and what llama.cpp makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tokcli.cli.guard import FINDING
from tokcli.cli.options import Color, Debug, Model, OverrideKv, Pre, check_choice

if TYPE_CHECKING:
    from tokcli.gguf_metadata import Metadata

FORMATS = ("table", "json")


def inspect(
    model: Model = None,
    override_kv: OverrideKv = None,
    pre: Pre = None,
    key: Annotated[
        str | None,
        typer.Option(
            "--key",
            metavar="KEY",
            help="Print one value for the shell: a text's exact bytes, an array's items a line "
            "each. The prefix tokenizer.ggml. or tokenizer. may be left out.",
        ),
    ] = None,
    all_keys: Annotated[
        bool, typer.Option("--all", help="List every key of the file, not only the tokenizer's.")
    ] = False,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="|".join(FORMATS),
            callback=lambda value: check_choice(value, FORMATS),
        ),
    ] = "table",
    color: Color = "auto",
    debug: Debug = False,
) -> int:
    r"""Show a file's tokenizer: settings, special tokens, where each came from, templates, keys.

    Sources: a key of the file; a default of the vocabulary type; implied by the pre-tokenizer;
    guessed from a token's text; forced by llama.cpp; absent.
    Texts in arrays are escaped as in dump-vocab (\\ \t \n \r \xHH), so that an item is a line.
    Exit status 1 when --key is not there, 3 when the file has no usable tokenizer.
    """
    metadata = _metadata(model, override_kv, pre)
    if key is not None:
        return _print_key(metadata, key, format)
    from tokcli.cli.report import report
    from tokcli.inspection import inspect_metadata, tokenizer_keys

    inspection = inspect_metadata(metadata)
    keys = tokenizer_keys(metadata)
    if all_keys or not keys:
        keys = list(metadata)
    if format == "json":
        from tokcli.render.inspect_json import inspection_document
        from tokcli.render.json_layout import json_document
        from tokcli.render.lines import write_lines

        write_lines([json_document(inspection_document(inspection, keys))])
    else:
        from tokcli.render.inspect_table import print_inspection

        print_inspection(inspection, keys, color)
    if inspection.error is not None:
        report("error", str(inspection.error))
        return inspection.error.exit_code
    return 0


def _metadata(model: str | None, override_kv: list[str] | None, pre: str | None) -> Metadata:
    """The file's keys, overridden; unlike a tokenizer they can be had from a broken file."""
    from tokcli.cli.overrides import read_overrides
    from tokcli.cli.report import report_warning
    from tokcli.gguf_metadata import read_metadata
    from tokcli.tokenizer import builtin_path

    overrides = read_overrides(override_kv, pre, report_warning)
    metadata = read_metadata(builtin_path() if model is None else model)
    return metadata.with_overrides(overrides) if overrides else metadata


def _print_key(metadata: Metadata, name: str, format: str) -> int:
    from tokcli.cli.report import report
    from tokcli.render.gguf_values import json_value, raw_lines
    from tokcli.render.lines import write_bytes, write_lines
    from tokcli.render.terminal import is_terminal, visible

    key = _find_key(metadata, name)
    if key is None:
        report("note", f"there is no key {name or repr(name)}{_hint(metadata, name)}")
        return FINDING
    entry = metadata[key]
    if format == "json":
        from tokcli.render.json_layout import json_document

        write_lines([json_document(json_value(entry))])
    elif not isinstance(entry.value, bytes):
        write_lines(raw_lines(entry))
    elif is_terminal():
        print(visible(entry.value, keep="\n\t"))
    else:
        write_bytes(entry.value)
    return 0


def _find_key(metadata: Metadata, name: str) -> str | None:
    for prefix in ("", "tokenizer.ggml.", "tokenizer."):
        if prefix + name in metadata:
            return prefix + name
    return None


def _hint(metadata: Metadata, name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, list(metadata), n=1)
    return f"; near it: {near[0]}" if near else "; --all lists the keys that there are"
