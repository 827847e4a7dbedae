"""Renders a chat template as transformers' apply_chat_template does, in a bounded sandbox.

From transformers (5.x): `tools` and `documents` are None where none are given; keys of a message
whose value is null are left out; a message's reasoning is known under each of its two names; an
empty conversation is refused.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from tokcli.chat.budget import TimeLimit
from tokcli.chat.compiling import compiled
from tokcli.chat.failures import Run, template_error
from tokcli.errors import TemplateError

if TYPE_CHECKING:
    from jinja2 import Template

    from tokcli.chat.sandbox import ChatEnvironment

__all__ = ["Piece", "Rendering", "render", "render_chat"]

REASONING_KEYS = ("reasoning_content", "thinking", "reasoning")


class Piece(NamedTuple):
    """Characters `start` to `end` of a rendering come from the template's line `line`."""

    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class Rendering:
    """What a template put out, and from which of its lines (counted from 1)."""

    text: str
    pieces: tuple[Piece, ...]

    def line_at(self, offset: int) -> int | None:
        """The template's line that put out the character at `offset`."""
        index = bisect_right(self.pieces, offset, key=lambda piece: piece.start) - 1
        if index < 0 or offset >= self.pieces[index].end:
            return None
        return self.pieces[index].line


def render_chat(
    template: str,
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]] | None = None,
    add_generation_prompt: bool = True,
    variables: Mapping[str, Any] | None = None,
    *,
    clock: Callable[[], datetime] | None = None,
) -> str:
    """The text of a conversation, as the chat template writes it.

    `variables` are the other names a template may use: bos_token, eos_token, documents,
    enable_thinking... `clock` stands for datetime.now where the template asks for the date.

    Raises TemplateError, with the template's own message where it raised one itself.
    """
    return render(template, messages, tools, add_generation_prompt, variables, clock=clock).text


def render(
    template: str,
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]] | None = None,
    add_generation_prompt: bool = True,
    variables: Mapping[str, Any] | None = None,
    *,
    clock: Callable[[], datetime] | None = None,
    tools_defined: bool = True,
    limit: TimeLimit | None = None,
) -> Rendering:
    """As render_chat, with the line of the template that each piece came from.

    `limit` is the time that this may take, with whatever else it is shared with.

    transformers gives a template `tools` in any case, llama-server only where there are some:
    `tools_defined=False` leaves the name out where `tools` is None.
    """
    from tokcli.chat.sandbox import ChatEnvironment

    names: dict[str, Any] = {"documents": None}
    names.update((str(name), _plain(value, str(name))) for name, value in (variables or {}).items())
    names["messages"] = _plain_messages(messages)
    names.pop("tools", None)
    if tools is not None or tools_defined:
        names["tools"] = None if tools is None else _plain_list(tools, "tools")
    names["add_generation_prompt"] = bool(add_generation_prompt)
    if names["documents"] is not None:
        names["documents"] = _plain_list(names["documents"], "documents")
    limit = limit or TimeLimit()
    code = compiled(template, limit)
    environment = ChatEnvironment(clock or datetime.now, limit)
    program = environment.template_class.from_code(
        environment, code, environment.make_globals(None)
    )
    try:
        with limit:
            environment.budget.admit(names)
            return _run(program, environment, names)
    except Exception as exc:
        raise template_error(exc, Run(program, environment, names["messages"])) from exc


def _run(program: Template, environment: ChatEnvironment, names: dict[str, Any]) -> Rendering:
    output: Any = program.root_render_func(program.new_context(names))  # a generator
    texts: list[str] = []
    pieces: list[Piece] = []
    position = 0
    for text in output:
        if text:
            line = program.get_corresponding_lineno(output.gi_frame.f_lineno)
            pieces.append(Piece(position, position + len(text), line))
            position += len(text)
            environment.budget.length(position)
            texts.append(text)
    return Rendering("".join(texts), tuple(pieces))


def _plain_messages(messages: object) -> list[dict[str, Any]]:
    plain = []
    for message in _plain_list(messages, "messages"):
        kept = {key: value for key, value in message.items() if value is not None}
        reasoning = next((kept[key] for key in REASONING_KEYS if key in kept), None)
        if reasoning is not None:
            kept = {"thinking": reasoning, **kept, "reasoning_content": reasoning}
        plain.append(kept)
    if not plain:
        raise TemplateError("messages: the list is empty: give at least one message")
    return plain


def _plain_list(values: object, name: str) -> list[dict[str, Any]]:
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Sequence):
        raise TemplateError(f"{name}: a list of objects is needed, not {type(values).__name__}")
    plain = [_plain(value, f"{name}[{index}]") for index, value in enumerate(values)]
    for index, value in enumerate(plain):
        if not isinstance(value, dict):
            raise TemplateError(f"{name}[{index}]: an object is needed, not {type(value).__name__}")
    return plain


def _plain(value: object, name: str, depth: int = 0) -> Any:
    """A copy made of plain JSON types, so that a template meets no methods but theirs."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    if depth > 200:
        raise TemplateError(f"{name.split('[')[0]}: nested more than 200 deep")
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, Mapping):
        return {
            _plain(key, name, depth + 1): _plain(item, f"{name}.{key}", depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        items = [_plain(item, f"{name}[{i}]", depth + 1) for i, item in enumerate(value)]
        return items if isinstance(value, list) else tuple(items)
    raise TemplateError(f"{name}: {type(value).__name__} is not JSON data")
