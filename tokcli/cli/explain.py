"""tokcli explain: how a text became its tokens, stage by stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tokcli.cli.chat_options import Messages, Template, TemplateName
from tokcli.cli.options import Color, Debug, Model, OverrideKv, Pre, check_choice

if TYPE_CHECKING:
    from tokcli.cli.tokenize_options import TokenizeRequest
    from tokcli.render.explain_model import Request, Run
    from tokcli.render.explain_view import Limits, Page
    from tokcli.tokenizer import Tokenizer

__all__ = ["explain"]

FORMATS = ("text", "json", "html", "svg")
STAGES = ("input", "fragments", "prepare", "chunks", "bytes", "steps", "tokens", "warnings")
# What --chunk shows when no --stage is given.
CHUNK_STAGES = ("chunks", "bytes", "steps", "tokens")


def _stages(value: list[str] | None) -> list[str] | None:
    for name in value or ():
        check_choice(name, STAGES)
    return value


def explain(
    text: Annotated[
        str | None, typer.Argument(metavar="[TEXT]", help="The text.", show_default=False)
    ] = None,
    model: Model = None,
    prompt: Annotated[
        str | None, typer.Option("-p", "--prompt", metavar="TEXT", help="The text.")
    ] = None,
    file: Annotated[
        str | None, typer.Option("-f", "--file", metavar="PATH", help="Read a file (-: stdin).")
    ] = None,
    stdin: Annotated[bool, typer.Option("--stdin", help="Read stdin.")] = False,
    messages: Messages = None,
    template: Template = None,
    template_name: TemplateName = None,
    hex: Annotated[bool, typer.Option("--hex", help="The input is bytes in hex.")] = False,
    escape: Annotated[
        bool,
        typer.Option(
            "--escape/--no-escape",
            "-e",
            help="Process \\n, \\r, \\t, \\', \\\", \\\\ and \\xHH (default: yes).",
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
    both: Annotated[
        bool, typer.Option("--both", help="Put parse_special on and off side by side.")
    ] = False,
    no_bos: Annotated[
        bool, typer.Option("--no-bos", help="Add no special tokens, even if the model does.")
    ] = False,
    add_special: Annotated[
        bool | None,
        typer.Option(
            "--add-special/--no-special",
            help="Add the special tokens that the vocabulary asks for, or none. Default: as "
            "tokenize, add them only if the vocabulary adds BOS.",
            show_default=False,
        ),
    ] = None,
    stage: Annotated[
        list[str] | None,
        typer.Option(
            "--stage",
            metavar="NAME",
            callback=_stages,
            help=f"Show this stage only; repeatable. {', '.join(STAGES)}.",
            show_default=False,
        ),
    ] = None,
    chunk: Annotated[
        int | None,
        typer.Option("--chunk", metavar="N", min=1, help="Show chunk N only, with all its steps."),
    ] = None,
    max_steps: Annotated[
        int | None,
        typer.Option(
            "--max-steps",
            metavar="N",
            min=0,
            help="Show at most N lines of a list (0: all; default: 30). JSON always has all.",
            show_default=False,
        ),
    ] = None,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="|".join(FORMATS),
            callback=lambda value: check_choice(value, FORMATS),
            help="text is drawn with colours on a terminal, and plain in a pipe.",
        ),
    ] = "text",
    override_kv: OverrideKv = None,
    pre: Pre = None,
    color: Color = "auto",
    debug: Debug = False,
) -> int:
    """Explain how a text became its tokens: every stage, every step, and a reason for each token.

    The text is TEXT, -p, -f or stdin; of several, --stdin wins, then -f, then -p.

    \b
    tokcli explain "How are"
    tokcli explain -m model.gguf -p "<s>Hi" --both
    tokcli explain -m model.gguf -f prompt.txt --stage steps --chunk 3
    tokcli explain "How are" --format svg > how.svg
    """
    from tokcli.cli.model_source import load_tokenizer
    from tokcli.cli.tokenize_inputs import require_source
    from tokcli.cli.tokenize_options import TokenizeRequest, check_request
    from tokcli.render.explain_both import DEFAULT_STAGES
    from tokcli.render.explain_view import Limits

    request = TokenizeRequest(
        text=text,
        model=model,
        prompt=prompt,
        file=() if file is None else (file,),
        stdin=stdin,
        messages=messages,
        template=template,
        template_name=template_name,
        hex=hex,
        escape=escape,
        parse_special=parse_special,
        no_bos=no_bos,
        add_special=add_special,
        color=color,
    )
    check_request(request)
    require_source(request)
    stages = tuple(stage or (CHUNK_STAGES if chunk else DEFAULT_STAGES if both else STAGES))
    steps = max_steps if max_steps is not None else 0 if chunk else 30
    limits = Limits(chunk, steps, stages)
    tokenizer = load_tokenizer(model, override_kv, pre)
    runs = _runs(tokenizer, request, (True, False) if both else (parse_special,))
    for run in runs:
        _check_chunk(run, chunk)
    _write(runs, limits, format, color)
    return 0


def _runs(
    tokenizer: Tokenizer, request: TokenizeRequest, parse_special: tuple[bool, ...]
) -> list[Run]:
    """The input explained, once for each value of parse_special."""
    from tokcli.cli.tokenize_run import asks_for_special
    from tokcli.render.explain_build import build

    data, shown = _input(request, tokenizer)
    add_special = asks_for_special(request, tokenizer)
    return [
        build(tokenizer.explain(data, add_special=add_special, parse_special=parse), shown)
        for parse in parse_special
    ]


def _input(request: TokenizeRequest, tokenizer: Tokenizer) -> tuple[bytes, Request]:
    """The input's bytes, escapes processed, and what to say about them."""
    from tokcli.cli.report import report
    from tokcli.cli.tokenize_inputs import inputs
    from tokcli.render.explain_model import Request
    from tokcli.text.escapes import process_escapes

    unescaped = request._replace(escape=False)
    units = inputs(unescaped, tokenizer, lambda message: report("note", message))
    typed = next(units).data
    model = request.model or "built-in GPT-2"
    if request.hex or not request.escape or request.messages is not None:
        return typed, Request(model)
    data, count = process_escapes(typed)
    return data, Request(model, typed, count)


def _check_chunk(run: Run, chunk: int | None) -> None:
    from tokcli.errors import UsageError

    count = len(run.chunks)
    if chunk is not None and chunk > count:
        raise UsageError(
            f"--chunk {chunk}: the text has {count} chunk{'' if count == 1 else 's'}; "
            "--stage chunks lists them"
        )


def _write(runs: list[Run], limits: Limits, format: str, color: str) -> None:
    from tokcli.render.lines import write_lines, write_pieces
    from tokcli.render.terminal import is_terminal, make_console, wants_color

    if format == "json":
        from tokcli.render.explain_json import document_pieces

        write_pieces(document_pieces(runs, limits))
        return
    page = _page(runs, limits)
    if format in ("html", "svg"):
        from tokcli.render import explain_export

        draw_as = explain_export.as_html if format == "html" else explain_export.as_svg
        write_lines([draw_as(page, _columns())])
    elif is_terminal() or wants_color(color):
        from tokcli.render.explain_rich import draw

        width = None if is_terminal() else _columns()
        draw(page, make_console(color, width=width))
    else:
        from tokcli.render.explain_text import page_lines

        write_lines(page_lines(page))


def _columns() -> int:
    """The columns to draw in where there is no terminal to ask: $COLUMNS, or 100."""
    import os

    from tokcli.render.explain_export import WIDTH

    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) >= 20 else WIDTH


def _page(runs: list[Run], limits: Limits) -> Page:
    from tokcli.render.explain_both import both_page
    from tokcli.render.explain_page import page

    return page(runs[0], limits) if len(runs) == 1 else both_page(runs[0], runs[1], limits)
