"""Judges a rendered conversation: how many BOS it begins with for whom, and what else is wrong.

Zero BOS is as wrong as two where the vocabulary asks for one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from tokcli.chat.bos import BosCount, BosSource, Caller
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
from tokcli.chat.render import Rendering, render
from tokcli.chat.template import template_variables
from tokcli.chat.turn_end import turn_end_not_eog
from tokcli.errors import TemplateError
from tokcli.vocab import CONTROL, UNKNOWN, TokenId

__all__ = ["BosSource", "Caller", "Finding", "Verdict", "judge"]

SENTINEL = "\U000ffffe"


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
) -> Verdict:
    """Render `conversation` with `template`, and judge what `tokenizer` makes of it.

    `variables` override the vocabulary's (bos_token...), and the conversation's own override both.
    `add_generation_prompt` overrides the conversation's; it is on where neither says.

    Raises TemplateError where the template does, and TokenizeError where llama.cpp would end.
    """
    if add_generation_prompt is None:
        add_generation_prompt = conversation.add_generation_prompt is not False
    conversation = replace(conversation, add_generation_prompt=add_generation_prompt)
    names = {**template_variables(tokenizer), **(variables or {})}

    def run(given: Conversation, **changed: str) -> Rendering:
        return render(
            template,
            given.messages,
            given.tools,
            given.add_generation_prompt is not False,
            {**names, **given.variables, **changed},
            clock=clock,
        )

    def text_of(given: Conversation) -> str:
        return run(given).text

    prompt = Prompt(run(conversation), tokenizer)
    vocab = tokenizer.vocab
    control = (id for id in vocab.special_token_ids if vocab.attr(id) & (CONTROL | UNKNOWN))
    origins = OriginFinder(vocab.texts[id] for id in control).find(
        conversation, prompt.rendering.text, text_of
    )
    by_variable: frozenset[int] = frozenset()
    if "bos_token" in template:
        try:
            other = run(conversation, bos_token=SENTINEL).text
            by_variable = _real_places(other, len(names["bos_token"]))
        except TemplateError:  # it compares its BOS with something: how it is written stays unsaid
            pass
    bos = BosCount(prompt, template, origins, by_variable)
    ids = tokenizer.tokenize(prompt.data, add_special=True, parse_special=True)
    findings = [
        *bos_findings(prompt, template, origins),
        *eos_findings(prompt, ids, add_generation_prompt),
        *turn_end_not_eog(prompt, text_of),
        *split_markers(prompt, origins),
        *control_in_messages(prompt, origins),
    ]
    return Verdict(
        prompt.rendering,
        tuple(ids),
        bos.id,
        bos.text,
        bos.expected,
        bos.asked_by,
        bos.callers(),
        tuple(findings),
    )


def _real_places(text: str, length: int) -> frozenset[int]:
    """Where the sentinels of `text` would start, were each `length` characters long."""
    found: list[int] = []
    start = text.find(SENTINEL)
    while start >= 0:
        found.append(start + len(found) * (length - len(SENTINEL)))
        start = text.find(SENTINEL, start + 1)
    return frozenset(found)
