"""tokcli tokenize: text to tokens, in place of llama-tokenize."""

from __future__ import annotations

from typing import Annotated

import typer

from tokcli.cli.chat_options import Messages, Template, TemplateName
from tokcli.cli.options import Color, Debug, Model, OverrideKv, Pre
from tokcli.cli.tokenize_options import FORMATS, TokenizeRequest

__all__ = ["tokenize"]


def tokenize(
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="The text.", show_default=False)
    ] = None,
    model: Model = None,
    prompt: Annotated[
        str | None, typer.Option("-p", "--prompt", metavar="TEXT", help="The text.")
    ] = None,
    file: Annotated[
        list[str] | None,
        typer.Option("-f", "--file", metavar="PATH", help="Read a file (-: stdin); repeatable."),
    ] = None,
    stdin: Annotated[bool, typer.Option("--stdin", help="Read stdin.")] = False,
    messages: Messages = None,
    template: Template = None,
    template_name: TemplateName = None,
    hex: Annotated[bool, typer.Option("--hex", help="The input is bytes in hex.")] = False,
    lines: Annotated[
        bool, typer.Option("--lines", help="Each line is an input, with one result a line.")
    ] = False,
    escape: Annotated[
        bool,
        typer.Option(
            "--escape/--no-escape",
            "-e",
            help="Process \\n, \\r, \\t, \\', \\\", \\\\ and \\xHH, in files and stdin too "
            "(default: yes).",
            show_default=False,
        ),
    ] = True,
    parse_special: Annotated[
        bool,
        typer.Option(
            "--parse-special/--no-parse-special",
            help="Take the text of control tokens for the tokens (default: yes).",
            show_default=False,
        ),
    ] = True,
    no_bos: Annotated[
        bool, typer.Option("--no-bos", help="Add no special tokens, even if the model does.")
    ] = False,
    add_special: Annotated[
        bool | None,
        typer.Option(
            "--add-special/--no-special",
            help="Add the special tokens that the vocabulary asks for, or none. Default: as "
            "llama-tokenize, add them only if the vocabulary adds BOS.",
            show_default=False,
        ),
    ] = None,
    ids: Annotated[bool, typer.Option("--ids", help="Print [1, 2, 3].")] = False,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="|".join(FORMATS),
            help="How to print the tokens. Default: llama, and ids with --lines.",
            show_default=False,
        ),
    ] = None,
    count_only: Annotated[
        bool, typer.Option("--count", help="Print the number of tokens.")
    ] = False,
    show_count: Annotated[
        bool, typer.Option("--show-count", help="Print the number of tokens as well.")
    ] = False,
    max_tokens: Annotated[
        int | None,
        typer.Option("--max-tokens", metavar="N", help="Exit with 1 if an input has more."),
    ] = None,
    truncate: Annotated[
        int | None,
        typer.Option(
            "--truncate", metavar="N", help="Print the longest prefix of the input that fits."
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "-j",
            "--jobs",
            metavar="N",
            help="Tokenize several files, or lines, in N processes. Default: 1, and more from 8 MB "
            "of files on.",
            show_default=False,
        ),
    ] = None,
    override_kv: OverrideKv = None,
    pre: Pre = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 on a warning.")] = False,
    log_disable: Annotated[
        bool, typer.Option("--log-disable", help="Show errors only on stderr.")
    ] = False,
    log_verbosity: Annotated[
        int,
        typer.Option(
            "-lv",
            "--verbosity",
            "--log-verbosity",
            metavar="N",
            help="On stderr, show warnings from 2, notes from 3.",
        ),
    ] = 3,
    color: Color = "auto",
    debug: Debug = False,
) -> int:
    """Turn text into tokens, as llama-tokenize does, with its options about text and tokens.

    The text is TEXT, -p, -f or stdin; of several, --stdin wins, then -f, then -p.

    \b
    tokcli tokenize "How are"
    tokcli tokenize -m model.gguf --ids -p "Hi"
    git diff | tokcli tokenize -m model.gguf --count
    """
    from tokcli.cli.tokenize_run import run_request

    return run_request(
        TokenizeRequest(
            text=text,
            model=model,
            override_kv=tuple(override_kv or ()),
            pre=pre,
            prompt=prompt,
            file=tuple(file or ()),
            stdin=stdin,
            messages=messages,
            template=template,
            template_name=template_name,
            hex=hex,
            lines=lines,
            escape=escape,
            parse_special=parse_special,
            no_bos=no_bos,
            add_special=add_special,
            ids=ids,
            format=format,
            count_only=count_only,
            show_count=show_count,
            max_tokens=max_tokens,
            truncate=truncate,
            jobs=jobs,
            strict=strict,
            log_disable=log_disable,
            log_verbosity=log_verbosity,
            color=color,
            debug=debug,
        )
    )
