"""tokcli detokenize: tokens back to text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tokcli.cli.io import read_file, stdin_bytes, stdin_is_piped, stdout_bytes
from tokcli.cli.options import Color, Debug, Model, OverrideKv, Pre
from tokcli.errors import UsageError
from tokcli.render.terminal import is_terminal, visible
from tokcli.text.byte_escapes import escape

if TYPE_CHECKING:
    from tokcli.tokenizer import Tokenizer

__all__ = ["detokenize"]


def detokenize(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID", help="Ids: 1 2 3, or [1, 2, 3].", show_default=False),
    ] = None,
    model: Model = None,
    file: Annotated[
        list[str] | None,
        typer.Option("-f", "--file", metavar="PATH", help="Read the ids from a file (-: stdin)."),
    ] = None,
    remove_special: Annotated[
        bool,
        typer.Option(
            "--remove-special",
            help="Leave out a leading BOS and a trailing EOS that the vocabulary adds.",
        ),
    ] = False,
    unparse_special: Annotated[
        bool,
        typer.Option(
            "--unparse-special/--no-unparse-special",
            help="Print the text of control tokens (default: yes).",
            show_default=False,
        ),
    ] = True,
    pieces: Annotated[
        bool, typer.Option("--pieces", help="Print one line for each id, escaped.")
    ] = False,
    lines: Annotated[
        bool,
        typer.Option(
            "--lines", help="Each line of ids, or input in JSON, is a text, printed on a line."
        ),
    ] = False,
    stream: Annotated[
        bool, typer.Option("--stream", help="Print as ids arrive on stdin, in whole characters.")
    ] = False,
    override_kv: OverrideKv = None,
    pre: Pre = None,
    color: Color = "auto",
    debug: Debug = False,
) -> int:
    """Turn tokens back into text, byte for byte.

    Ids come as arguments, from -f or from stdin: 1 2 3, [1, 2, 3], one a line, or the JSON of
    tokcli tokenize. A newline is added on a terminal only.

    \b
    tokcli detokenize 2437 389
    tokcli tokenize -f prompt.txt --ids | tokcli detokenize
    """
    from tokcli.cli.model_source import load_tokenizer
    from tokcli.text.id_text import located, parse_ids, parse_texts

    if pieces and remove_special:
        raise UsageError("--pieces prints every id, and --remove-special leaves some out")
    if sum((pieces, lines, stream)) > 1:
        raise UsageError("--pieces, --lines and --stream are different outputs; choose one")
    if file and len(file) > 1:
        raise UsageError("-f/--file is given more than once; give one file, or pipe them in")
    path = file[0] if file else None
    if not ids and path is None and not stdin_is_piped():
        raise UsageError("no ids to detokenize; give them, or -f/--file, or pipe them in")
    if ids and path is not None:
        raise UsageError("ids are given both as arguments and by -f/--file; choose one")
    tokenizer = load_tokenizer(model, override_kv, pre)
    options = {"remove_special": remove_special, "unparse_special": unparse_special}
    if stream and not ids and path in (None, "-"):
        _stream(tokenizer, **options)
        return 0
    text = " ".join(ids) if ids else _text(read_file(path or "-"))
    with located("" if path in (None, "-") else visible(str(path))):
        if pieces:
            found = parse_ids(text)
            _check(tokenizer, found)
            for id in found:
                piece = tokenizer.piece(id, special=unparse_special)
                stdout_bytes().write(escape(piece).encode() + b"\n")
        elif lines:
            for place, line in parse_texts(text):
                with located(place):
                    _check(tokenizer, line)
                _write(tokenizer.detokenize(line, **options), end=b"\n")
        else:
            found = parse_ids(text)
            _check(tokenizer, found)
            _write(tokenizer.detokenize(found, **options), end=b"\n" if is_terminal() else b"")
    return 0


def _check(tokenizer: Tokenizer, ids: list[int]) -> None:
    """Raise TokenIdError that names the first id outside the vocabulary, and its place."""
    from tokcli.text.id_text import located

    if ids and max(ids) >= len(tokenizer.vocab):
        for number, id in enumerate(ids, 1):
            with located(f"item {number}"):
                tokenizer.vocab.check_id(id)


def _text(data: bytes) -> str:
    """What is read, as text; bytes that are not UTF-8 are no ids, and are named when met."""
    return data.decode("utf-8", "backslashreplace")


def _write(data: bytes, end: bytes = b"") -> None:
    if is_terminal():
        data = visible(data, keep="\n\t").encode()
    stdout_bytes().write(data + end)


def _stream(tokenizer: Tokenizer, *, remove_special: bool, unparse_special: bool) -> None:
    from tokcli.cli.id_stream import arriving_ids
    from tokcli.detokenize_stream import StreamDetokenizer
    from tokcli.text.id_text import located

    detokenizer = StreamDetokenizer(
        tokenizer, remove_special=remove_special, unparse_special=unparse_special
    )
    number = 0
    for ids in arriving_ids(stdin_bytes()):
        for id in ids:
            number += 1
            with located(f"item {number}"):
                _write(detokenizer.feed(id))
        stdout_bytes().flush()
    _write(detokenizer.finish(), end=b"\n" if is_terminal() else b"")
