"""One conversation's rendering, and others under the same conditions to hold against it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from tokcli.chat.budget import TimeLimit
from tokcli.chat.findings import Finding
from tokcli.chat.messages import Conversation
from tokcli.chat.prompt import Prompt, TokenizerLike
from tokcli.chat.render import Rendering, render
from tokcli.chat.template import template_variables
from tokcli.errors import TemplateDefectError, TemplateError

__all__ = ["ConversationRenderer", "render_prompt"]

SENTINEL = "\U000ffffe"


def render_prompt(tokenizer: TokenizerLike, template: str, conversation: Conversation) -> bytes:
    """The bytes that `template` makes of `conversation`, with the vocabulary's bos_token and so on.

    Raises TemplateError.
    """
    renderer = ConversationRenderer(tokenizer, template, conversation)
    return Prompt(renderer.first(), tokenizer).data


class ConversationRenderer:
    """Renders `conversation`, and others with the same template, variables and time.

    `variables` override the vocabulary's (bos_token...), and the conversation's override both.
    `limit` is the time that all renderings have together.
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
        None."""
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

    def _render(self, conversation: Conversation, names: Mapping[str, Any]) -> Rendering:
        return render(
            self._template,
            conversation.messages,
            conversation.tools,
            conversation.add_generation_prompt is not False,
            names,
            clock=self._clock,
            tools_defined=self._tools_defined,
            limit=self._limit,
        )
