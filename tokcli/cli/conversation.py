"""From --messages, --tools and --template to a conversation and the template that renders it.

Nothing here imports Typer: `tokcli tokenize --messages` is answered without it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from tokcli.chat.messages import Conversation, load_messages, load_tools, load_variables
from tokcli.chat.template import ChatTemplate, ChatTemplates
from tokcli.cli.io import Input, argument_bytes, read_file
from tokcli.errors import TemplateError, UsageError
from tokcli.tokenizer import builtin_path

if TYPE_CHECKING:
    from tokcli.tokenizer import Tokenizer

__all__ = [
    "choose_template",
    "read_conversation",
    "rendered_messages",
    "user_message",
    "with_options",
]

KWARGS = "--chat-template-kwargs"
Read = TypeVar("Read")


def user_message(text: str) -> Conversation:
    """A conversation of one message that says `text`, an argument of the command line."""
    try:
        content = argument_bytes(text).decode()
    except UnicodeDecodeError as error:
        raise UsageError(
            f"TEXT: byte {error.start} is not UTF-8, and a message is text; tokcli tokenize takes "
            "any bytes"
        ) from error
    return Conversation([{"role": "user", "content": content}])


def read_conversation(messages: str) -> Conversation:
    """The conversation in the file `messages` ("-": stdin).

    Raises UsageError that names the file and the place in it, and OSError.
    """
    return _read(messages, load_messages)


def with_options(
    conversation: Conversation, tools: str | None = None, variables: str | None = None
) -> Conversation:
    """The conversation with the tools in the file `tools`, and with the variables that the JSON
    text `variables` adds to its own or puts in their place.

    Raises UsageError and OSError.
    """
    if tools is not None:
        conversation = replace(conversation, tools=_read(tools, load_tools))
    if variables is not None:
        more = load_variables(argument_bytes(variables), KWARGS)
        conversation = replace(conversation, variables={**conversation.variables, **more})
    return conversation


def choose_template(
    tokenizer: Tokenizer,
    file: str | None = None,
    name: str | None = None,
    *,
    with_tools: bool = False,
) -> ChatTemplate:
    """The template in the file `file`, else the model's template called `name`.

    Raises UsageError, OSError, and TemplateError where the model has no such template.
    """
    if file is not None:
        if name is not None:
            raise UsageError(
                "--template is a file with one template, --template-name chooses among a model's; "
                "give one of them"
            )
        if file == "-":
            raise UsageError("--template -: a template is read from a file, not from stdin")
        return ChatTemplate(file, read_file(file).decode("utf-8", "surrogateescape"), file)
    templates = ChatTemplates.from_metadata(tokenizer.metadata)
    if not templates.by_name and tokenizer.metadata.path == builtin_path():
        raise TemplateError(
            "the built-in GPT-2 vocabulary has no chat template: name a model with -m, or give a "
            "template with --template FILE"
        )
    return templates.choose(name, with_tools=with_tools)


def rendered_messages(
    tokenizer: Tokenizer,
    messages: str,
    template: str | None,
    template_name: str | None,
    note: Callable[[str], None],
) -> Input:
    """What --messages, --template and --template-name stand for, as an input of other commands;
    `note` is told where it is not what transformers makes of them.

    Raises as read_conversation and choose_template do, and TemplateError where the template does.
    """
    from tokcli.chat.renderer import render_prompt

    conversation = read_conversation(messages)
    chosen = choose_template(
        tokenizer, template, template_name, with_tools=bool(conversation.tools)
    )
    data, findings = render_prompt(tokenizer, chosen.source, conversation)
    for finding in findings:
        note(f"{finding.message}; {finding.fix}")
    return Input(data, messages)


def _read(path: str, load: Callable[[bytes], Read]) -> Read:
    data = read_file(path)
    try:
        return load(data)
    except UsageError as error:
        raise UsageError(f"{'stdin' if path == '-' else path}: {error}") from error
