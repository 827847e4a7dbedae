"""tokcli chat: what the chat template makes of a conversation, and how many BOS it begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tokcli.cli.chat_options import Messages, Template, TemplateName
from tokcli.cli.guard import FINDING
from tokcli.cli.options import Color, Debug, Model, OverrideKv, Pre, check_choice

if TYPE_CHECKING:
    from tokcli.chat.messages import Conversation
    from tokcli.render.chat_report import Report

__all__ = ["chat"]

FORMATS = ("text", "json", "prompt", "ids")
CALLERS = ("add_special", "no_add_special", "llama-server")


def chat(
    text: Annotated[
        str | None,
        typer.Argument(
            metavar="TEXT", help="A single message, in place of --messages.", show_default=False
        ),
    ] = None,
    model: Model = None,
    messages: Messages = None,
    template: Template = None,
    template_name: TemplateName = None,
    tools: Annotated[
        str | None,
        typer.Option(
            "--tools",
            metavar="FILE",
            help="JSON list of tools, in place of those in --messages.",
            show_default=False,
        ),
    ] = None,
    kwargs: Annotated[
        str | None,
        typer.Option(
            "--chat-template-kwargs",
            metavar="JSON",
            help="Further variables of the template: '{\"enable_thinking\": false}'.",
            show_default=False,
        ),
    ] = None,
    generation_prompt: Annotated[
        bool | None,
        typer.Option(
            "--add-generation-prompt/--no-generation-prompt",
            help="End with the beginning of the assistant's answer, or not. Default: as --messages "
            "says, else yes.",
            show_default=False,
        ),
    ] = None,
    caller: Annotated[
        str | None,
        typer.Option(
            "--caller",
            metavar="|".join(CALLERS),
            callback=lambda value: value and check_choice(value, CALLERS),
            help="Show the tokens of this caller, and judge it alone. Default: the tokens of "
            "add_special; add_special and llama-server are judged.",
            show_default=False,
        ),
    ] = None,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="|".join(FORMATS),
            callback=lambda value: check_choice(value, FORMATS),
            help="prompt: the exact bytes that the caller tokenizes; ids: its tokens.",
        ),
    ] = "text",
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 on any finding, not only on the BOS.")
    ] = False,
    override_kv: OverrideKv = None,
    pre: Pre = None,
    color: Color = "auto",
    debug: Debug = False,
) -> int:
    """Render the chat template, and judge the prompt: who puts how many BOS at its start?

    Three callers are looked at: one that has the tokenizer add special tokens to the rendering,
    one that does not, and llama-server, which takes the template's own BOS off first.
    Exit status 1 when the number of BOS is not what the vocabulary asks for.

    \b
    tokcli chat -m model.gguf "Hi"
    tokcli chat -m model.gguf --messages chat.json
    tokcli chat --template chat.jinja --messages chat.json --format json
    tokcli chat -m model.gguf --override-kv tokenizer.ggml.add_bos_token=bool:false "Hi"
    """
    from tokcli.chat.verdict import judge
    from tokcli.cli.conversation import choose_template, with_options
    from tokcli.cli.model_source import load_tokenizer
    from tokcli.render.chat_report import Report

    conversation = with_options(_conversation(text, messages, tools), tools, kwargs)
    tokenizer = load_tokenizer(model, override_kv, pre)
    chosen = choose_template(
        tokenizer, template, template_name, with_tools=bool(conversation.tools)
    )
    verdict = judge(tokenizer, chosen.source, conversation, add_generation_prompt=generation_prompt)
    report = Report(
        tokenizer,
        model or "built-in GPT-2",
        chosen,
        conversation,
        verdict,
        verdict.caller(caller or "add_special"),
        ("add_special", "llama-server") if caller is None else (caller,),
    )
    _write(report, format, color)
    if conversation.ignored:
        from tokcli.cli.report import report as say

        say("note", f"these keys of the request are not used: {', '.join(conversation.ignored)}")
    return FINDING if report.wrong or (strict and verdict.findings) else 0


def _conversation(text: str | None, messages: str | None, tools: str | None) -> Conversation:
    from tokcli.cli.conversation import read_conversation, user_message
    from tokcli.errors import UsageError

    if text is not None and messages is not None:
        raise UsageError(
            "TEXT is a conversation of one message, and --messages is another; give one"
        )
    if messages == "-" and tools == "-":
        raise UsageError("--messages and --tools cannot both be read from stdin; use a file")
    if messages is not None:
        return read_conversation(messages)
    if text is not None:
        return user_message(text)
    raise UsageError(
        "no conversation; give --messages FILE (-: stdin), or TEXT for a single message"
    )


def _write(report: Report, format: str, color: str) -> None:
    from tokcli.render.lines import write_bytes, write_lines

    if format == "json":
        from tokcli.render.chat_json import document

        write_lines([document(report)])
    elif format == "text":
        from tokcli.render.chat_text import print_report

        print_report(report, color)
    else:
        if format == "ids":
            write_lines([f"[{', '.join(map(str, report.ids))}]"])
        else:
            from tokcli.render.terminal import is_terminal, visible

            prompt = report.caller.prompt
            write_bytes(visible(prompt, keep="\n\t").encode() + b"\n" if is_terminal() else prompt)
        _warn(report)


def _warn(report: Report) -> None:
    """Say on stderr what the report would have said."""
    from tokcli.cli.report import report as say
    from tokcli.render.chat_report import problem

    for caller in report.wrong:
        say("warning", f"{problem(caller, report.verdict.expected)}; {caller.fix}")
    for finding in report.verdict.findings:
        say("warning", f"{finding.message}; {finding.fix} [{finding.code}]")
