"""The chat templates of a file, rendered and judged on the user's conversation or on small ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tokcli.chat.budget import TimeLimit
from tokcli.chat.messages import Conversation
from tokcli.chat.renderer import ConversationRenderer
from tokcli.chat.template import ChatTemplate, ChatTemplates
from tokcli.chat.verdict import Verdict, judge
from tokcli.check.subject import counted
from tokcli.errors import TemplateDefectError, TemplateError, TokcliError
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
# What a template may want that refuses those.
UNUSUAL = (
    Conversation([SYSTEM, USER]),
    Conversation([USER, ASSISTANT]),
    Conversation([SYSTEM, USER], [TOOL]),
    Conversation([USER], variables={"documents": [{"title": "Greetings", "text": "Hello"}]}),
    Conversation([{"role": "user", "content": [{"type": "text", "text": "Hello"}]}]),
)
# Seconds that the templates of a file have together; a real one takes hundredths of one. What one
# leaves of its share, the next ones have.
MAX_SECONDS = 6.0
# Characters that a template may make of a small conversation; real ones make thousands, of tools.
MAX_PROMPT = 1 << 17


@dataclass(frozen=True, slots=True)
class Judged:
    """A template's verdict on one conversation."""

    template: ChatTemplate
    verdict: Verdict


@dataclass(slots=True)
class Judgement:
    """Everything about the templates of one file. `key_error`: why their keys cannot be read;
    `failures`: templates that could not be rendered, and why."""

    templates: ChatTemplates | None = None
    key_error: str | None = None
    no_choice: str | None = None
    judged: list[Judged] = field(default_factory=list)
    failures: list[tuple[ChatTemplate, TemplateError]] = field(default_factory=list)


def judge_templates(tokenizer: Tokenizer, conversation: Conversation | None) -> Judgement:
    """Judge the template that `conversation` calls for; without one, every template of the file on
    small conversations, of which those are left out that a template refuses but for another."""
    result = Judgement()
    try:
        result.templates = ChatTemplates.from_metadata(tokenizer.metadata)
    except TemplateError as error:
        result.key_error = str(error)
        return result
    if conversation is None:
        templates = list(result.templates.by_name.values())
        left = MAX_SECONDS
        for number, template in enumerate(templates):
            limit = TimeLimit(left / (len(templates) - number))
            usual = WITH_TOOLS if template.name == NEEDS_TOOLS else PLAIN
            failure = _judge(tokenizer, template, usual, result, limit, most=MAX_PROMPT)
            if failure is not None and not _bears_others(tokenizer, template, failure, limit):
                result.failures.append((template, failure))
            left -= limit.spent
        return result
    try:
        chosen = result.templates.choose(with_tools=bool(conversation.tools))
    except TemplateError as error:
        result.no_choice = str(error)
        return result
    failure = _judge(tokenizer, chosen, (conversation,), result, TimeLimit())
    if failure is not None:
        result.failures.append((chosen, failure))
    return result


def _judge(
    tokenizer: Tokenizer,
    template: ChatTemplate,
    conversations: tuple[Conversation, ...],
    result: Judgement,
    limit: TimeLimit,
    *,
    most: int | None = None,
) -> TemplateError | None:
    """Add the verdicts; why there are none, or why there should be none at all.

    `most`: the characters that a prompt may have, since tokenizing more takes minutes.
    """
    failure = None
    rendered = False
    for conversation in conversations:
        try:
            if most is not None:
                size = len(_render(tokenizer, template, conversation, limit))
                if size > most:
                    messages = counted(len(conversation.messages), "short message")
                    said = f"it makes {size} characters of {messages}"
                    return TemplateDefectError(f"chat template: {said}")
            verdict = judge(tokenizer, template.source, conversation, limit=limit)
        except TemplateDefectError as error:
            return error
        except TemplateError as error:
            failure = failure or error
        except TokcliError:
            # The vocabulary is at fault, which other rules say.
            rendered = True
        else:
            rendered = True
            result.judged.append(Judged(template, verdict))
    return None if rendered else failure


def _bears_others(
    tokenizer: Tokenizer, template: ChatTemplate, failure: TemplateError, limit: TimeLimit
) -> bool:
    """Whether the template wants but other conversations than the usual ones."""
    if isinstance(failure, TemplateDefectError):
        return False
    for conversation in (*PLAIN, *WITH_TOOLS, *UNUSUAL):
        try:
            _render(tokenizer, template, conversation, limit)
        except TemplateError:
            continue
        return True
    return False


def _render(
    tokenizer: Tokenizer, template: ChatTemplate, conversation: Conversation, limit: TimeLimit
) -> str:
    renderer = ConversationRenderer(tokenizer, template.source, conversation, limit=limit)
    return renderer.first().text
