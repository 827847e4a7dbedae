"""Judges a rendered conversation: how many BOS it begins with for whom, and what else is wrong.

Zero BOS is as wrong as two where the vocabulary asks for one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from tokcli.chat.bos import BosCount, BosSource, Caller
from tokcli.chat.budget import TimeLimit
from tokcli.chat.findings import (
    Finding,
    bos_findings,
    control_in_messages,
    eos_findings,
    split_markers,
)
from tokcli.chat.messages import Conversation
from tokcli.chat.origins import OriginFinder
from tokcli.chat.prompt import Prompt, TokenizerLike
from tokcli.chat.render import Rendering
from tokcli.chat.renderer import ConversationRenderer
from tokcli.chat.turn_end import turn_end_not_eog
from tokcli.vocab import CONTROL, UNKNOWN, TokenId

__all__ = ["BosSource", "Caller", "Finding", "Verdict", "judge"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement on one rendered conversation.

    `ids` are those of the caller with add_special. `expected` is the number of BOS that a prompt
    should begin with, and `asked_by` says why. `callers`: add_special, no_add_special,
    llama-server, in this order.
    """

    rendering: Rendering
    ids: tuple[TokenId, ...]
    bos_id: TokenId | None
    bos_text: str
    expected: int
    asked_by: str
    callers: tuple[Caller, ...]
    findings: tuple[Finding, ...]

    def caller(self, name: str) -> Caller:
        """The caller of that name."""
        return next(caller for caller in self.callers if caller.name == name)

    @property
    def ok(self) -> bool:
        """Whether the caller with add_special and llama-server both get the BOS they should."""
        return self.caller("add_special").right and self.caller("llama-server").right


def judge(
    tokenizer: TokenizerLike,
    template: str,
    conversation: Conversation,
    *,
    add_generation_prompt: bool | None = None,
    variables: Mapping[str, Any] | None = None,
    clock: Callable[[], datetime] | None = None,
    limit: TimeLimit | None = None,
) -> Verdict:
    """Render `conversation` with `template`, and judge what `tokenizer` makes of it.

    `variables` override the vocabulary's (bos_token...), and the conversation's override both.
    `add_generation_prompt` overrides the conversation's; it is on where neither says.
    `limit` is the time that all the renderings it takes have together.

    Raises TemplateError where the template does, and TokenizeError where llama.cpp would end.
    """
    if add_generation_prompt is None:
        add_generation_prompt = conversation.add_generation_prompt is not False
    conversation = replace(conversation, add_generation_prompt=add_generation_prompt)
    renderer = ConversationRenderer(tokenizer, template, conversation, variables, clock, limit)
    rendering = renderer.first()
    prompt = Prompt(rendering, tokenizer)
    vocab = tokenizer.vocab
    control = (id for id in vocab.special_token_ids if vocab.attr(id) & (CONTROL | UNKNOWN))
    finder = OriginFinder(vocab.texts[id] for id in control)
    origins = finder.find(conversation, rendering.text, renderer.text)
    bos = BosCount(prompt, template, origins, renderer.printed_bos())
    ids = tokenizer.tokenize(prompt.data, add_special=True, parse_special=True)
    findings = [
        *renderer.findings,
        *bos_findings(prompt, template, origins),
        *eos_findings(prompt, ids, add_generation_prompt),
        *turn_end_not_eog(prompt, renderer.text),
        *split_markers(prompt, origins),
        *control_in_messages(prompt, origins),
    ]
    return Verdict(
        rendering,
        tuple(ids),
        bos.id,
        bos.text,
        bos.expected,
        bos.asked_by,
        bos.callers(),
        tuple(findings),
    )
