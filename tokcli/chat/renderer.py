"""One conversation's rendering, and others under the same conditions to hold against it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any

from tokcli.chat.budget import TimeLimit
from tokcli.chat.content_parts import joined_parts, lists_of_parts
from tokcli.chat.findings import Finding
from tokcli.chat.messages import Conversation
from tokcli.chat.prompt import Prompt, TokenizerLike
from tokcli.chat.render import Rendering, render
from tokcli.chat.template import template_variables
from tokcli.errors import TemplateDefectError, TemplateError

__all__ = ["ConversationRenderer", "render_prompt"]

SENTINEL = "\U000ffffe"
SHOWN = 3


def render_prompt(
    tokenizer: TokenizerLike, template: str, conversation: Conversation
) -> tuple[bytes, list[Finding]]:
    """The bytes that `template` makes of `conversation`, with the vocabulary's bos_token and so on,
    and what had to be done to get them.

    Raises TemplateError.
    """
    renderer = ConversationRenderer(tokenizer, template, conversation)
    return Prompt(renderer.first(), tokenizer).data, renderer.findings


class ConversationRenderer:
    """Renders `conversation`, and others with the same template, variables and time.

    `variables` override the vocabulary's (bos_token...), and the conversation's override both.
    `limit` is the time that all renderings have together.
    Contents that are lists of parts become texts where llama-server makes them such.
    `findings` says what first() had to do to get a rendering at all.
    """

    def __init__(
        self,
        tokenizer: TokenizerLike,
        template: str,
        conversation: Conversation,
        variables: Mapping[str, Any] | None = None,
        clock: Callable[[], datetime] | None = None,
        limit: TimeLimit | None = None,
    ) -> None:
        self._template = template
        self._conversation = conversation
        own = template_variables(tokenizer)
        self._names = {**own, **(variables or {}), **conversation.variables}
        now = (clock or datetime.now)()
        self._clock = lambda: now  # renderings are held against each other
        self._limit = limit or TimeLimit()
        self._tools_defined = True
        self.findings: list[Finding] = []

    def first(self) -> Rendering:
        """The conversation's rendering, without the name `tools` where the template cannot bear
        None.

        Raises TemplateError, for a part that is no text too where the template takes only text.
        """
        lists = lists_of_parts(self._conversation.messages)
        if lists and self._takes_text_only:
            self.findings.append(
                Finding(
                    "parts-joined",
                    "warning",
                    f"{_several(lists)}: a list of parts, and the template takes text: its texts"
                    " were joined by line feeds, as llama-server does; transformers does not",
                    {"paths": lists},
                    "give the content of each message as one text",
                )
            )
        try:
            return self._render(self._conversation, self._names)
        except TemplateDefectError:
            raise
        except TemplateError as exc:
            if self._conversation.tools is not None:
                raise
            self._tools_defined = False
            try:
                rendering = self._render(self._conversation, self._names)
            except TemplateError:
                raise exc from None
            self.findings.append(
                Finding(
                    "template-needs-tools",
                    "warning",
                    f"without tools the template fails in transformers ({exc}); llama-server leaves"
                    " `tools` undefined, and so it was rendered here",
                    {"error": str(exc)},
                    "give tools, or write {% if tools %} around the template's use of them",
                )
            )
            return rendering

    def text(self, conversation: Conversation) -> str:
        """The text of another conversation; its variables are those of the first."""
        return self._render(conversation, {**self._names, **conversation.variables}).text

    def printed_bos(self) -> frozenset[int]:
        """The characters of the first rendering at which `{{ bos_token }}` was printed."""
        if "bos_token" not in self._template:
            return frozenset()
        length = len(str(self._names["bos_token"]))
        try:
            text = self._render(self._conversation, {**self._names, "bos_token": SENTINEL}).text
        except TemplateError:  # the template looks at it: how it is written stays unsaid
            return frozenset()
        found: list[int] = []
        start = text.find(SENTINEL)
        while start >= 0:
            found.append(start + len(found) * (length - len(SENTINEL)))
            start = text.find(SENTINEL, start + 1)
        return frozenset(found)

    @cached_property
    def _takes_text_only(self) -> bool:
        from tokcli.chat.content_probe import takes_text_only

        return takes_text_only(self._template, self._names, self._limit)

    def _render(self, conversation: Conversation, names: Mapping[str, Any]) -> Rendering:
        messages = conversation.messages
        if lists_of_parts(messages) and self._takes_text_only:
            messages = joined_parts(messages)
        return render(
            self._template,
            messages,
            conversation.tools,
            conversation.add_generation_prompt is not False,
            names,
            clock=self._clock,
            tools_defined=self._tools_defined,
            limit=self._limit,
        )


def _several(paths: list[str]) -> str:
    shown = ", ".join(paths[:SHOWN])
    return shown if len(paths) <= SHOWN else f"{shown} and {len(paths) - SHOWN} more"
