"""Does what ends a turn in this template also end generation?

The template is rendered once more, with a question and an answer that nobody would write, and what
follows the answer is the end of the turn. Templates that put it in front of the next message are
asked with a second question.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tokcli.chat.findings import Finding
from tokcli.chat.markers import MARKER
from tokcli.chat.messages import Conversation
from tokcli.chat.origins import Renderer
from tokcli.chat.prompt import Prompt
from tokcli.chat.visible import visible
from tokcli.errors import TemplateError

__all__ = ["turn_end_not_eog"]

QUESTION, ANSWER = "Tokcliquestionprobe", "Tokclianswerprobe"


class _Mark(NamedTuple):
    start: int
    text: str
    id: int | None


def turn_end_not_eog(prompt: Prompt, render: Renderer) -> list[Finding]:
    """A finding where generation cannot stop at the end of the template's turn."""
    for n_messages in (2, 3):
        tail = _tail(render, n_messages)
        marks = _marks(prompt, tail)
        if n_messages == 3:
            marks = marks[:1]  # what follows is the next message's
        if not marks:
            continue
        if any(mark.id is not None and mark.id in prompt.vocab.eog_ids for mark in marks):
            return []
        return [_finding(prompt, marks)]
    return []


def _tail(render: Renderer, n_messages: int) -> str:
    roles = ("user", "assistant", "user")[:n_messages]
    texts = (QUESTION, ANSWER, QUESTION)
    messages = [{"role": r, "content": t} for r, t in zip(roles, texts, strict=False)]
    # Some templates cannot do without a list of tools, even an empty one.
    choices: tuple[list[dict[str, Any]] | None, ...] = (None, [])
    for tools in choices:
        try:
            text = render(Conversation(messages, tools, add_generation_prompt=False))
        except TemplateError:
            continue
        _, answered, tail = text.rpartition(ANSWER)
        return tail.partition(QUESTION)[0] if answered else ""
    return ""


def _marks(prompt: Prompt, tail: str) -> list[_Mark]:
    data = tail.encode("utf-8", "surrogateescape")
    marks = {f.start: _Mark(f.start, prompt.text_of(f.id), f.id) for f in prompt.special_in(data)}
    for match in MARKER.finditer(tail):
        start = len(tail[: match.start()].encode("utf-8", "surrogateescape"))
        marks.setdefault(start, _Mark(start, visible(match[0]), None))
    return [marks[start] for start in sorted(marks)]


def _finding(prompt: Prompt, marks: list[_Mark]) -> Finding:
    # Of several, the one that says so.
    ends = [m for m in marks if any(word in m.text.lower() for word in ("end", "eo", "/s"))]
    mark = (ends or marks)[0]
    evidence = {
        "turn_end": [m.text for m in marks],
        "id": mark.id,
        "eog": sorted(prompt.vocab.eog_ids),
    }
    if mark.id is None:
        return Finding(
            "turn-end-not-eog",
            "error",
            f"the template ends a turn with {mark.text}, which is no special token of this"
            " vocabulary: generation never stops there",
            evidence,
            "use the template and the vocabulary that belong together",
        )
    slot = "eot" if prompt.vocab.special["eot"].source.kind != "key" else "eom"
    return Finding(
        "turn-end-not-eog",
        "error",
        f"the template ends a turn with {mark.text} (id {mark.id}), which is not an"
        " end-of-generation token: llama.cpp generates past it",
        evidence,
        f"gguf-new-metadata --special-token-by-id {slot} {mark.id} IN.gguf OUT.gguf",
    )
