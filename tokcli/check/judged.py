"""The chat templates of a file, rendered and judged on the user's conversation or on small ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tokcli.chat.messages import Conversation
from tokcli.chat.template import ChatTemplate, ChatTemplates
from tokcli.chat.verdict import Verdict, judge
from tokcli.errors import TemplateError, TokcliError
from tokcli.tokenizer import Tokenizer

__all__ = ["Judged", "Judgement", "judge_templates"]

USER: dict[str, Any] = {"role": "user", "content": "Hello"}
ASSISTANT: dict[str, Any] = {"role": "assistant", "content": "Good morning."}
SYSTEM: dict[str, Any] = {"role": "system", "content": "Be brief."}
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_time",
        "description": "Tells the time.",
        "parameters": {
            "type": "object",
            "properties": {"zone": {"type": "string", "description": "Time zone"}},
            "required": ["zone"],
        },
    },
}
# What templates make of no more than this is theirs alone.
PLAIN = (
    Conversation([USER]),
    Conversation([SYSTEM, USER, ASSISTANT, USER]),
)
WITH_TOOLS = (Conversation([USER], [TOOL]),)
NEEDS_TOOLS = "tool_use"


@dataclass(frozen=True, slots=True)
class Judged:
    """A template's verdict on one conversation."""

    template: ChatTemplate
    verdict: Verdict


@dataclass(slots=True)
class Judgement:
    """Everything about the templates of one file. `key_error`: why their keys cannot be read;
    `failures`: templates that could not be rendered at all, and why."""

    templates: ChatTemplates | None = None
    key_error: str | None = None
    no_choice: str | None = None
    judged: list[Judged] = field(default_factory=list)
    failures: list[tuple[ChatTemplate, TemplateError]] = field(default_factory=list)


def judge_templates(tokenizer: Tokenizer, conversation: Conversation | None) -> Judgement:
    """Judge the template that `conversation` calls for; without one, every template of the file on
    small conversations, of which those that a template refuses are left out."""
    result = Judgement()
    try:
        result.templates = ChatTemplates.from_metadata(tokenizer.metadata)
    except TemplateError as error:
        result.key_error = str(error)
        return result
    if conversation is None:
        for template in result.templates.by_name.values():
            needs_tools = template.name == NEEDS_TOOLS
            _judge(tokenizer, template, WITH_TOOLS if needs_tools else PLAIN, result)
        return result
    try:
        chosen = result.templates.choose(with_tools=bool(conversation.tools))
    except TemplateError as error:
        result.no_choice = str(error)
        return result
    _judge(tokenizer, chosen, (conversation,), result)
    return result


def _judge(
    tokenizer: Tokenizer,
    template: ChatTemplate,
    conversations: tuple[Conversation, ...],
    result: Judgement,
) -> None:
    failure = None
    rendered = False
    for conversation in conversations:
        try:
            verdict = judge(tokenizer, template.source, conversation)
        except TemplateError as error:
            failure = failure or error
        except TokcliError:
            # The vocabulary is at fault, which other rules say.
            rendered = True
        else:
            rendered = True
            result.judged.append(Judged(template, verdict))
    if failure is not None and not rendered:
        result.failures.append((template, failure))
