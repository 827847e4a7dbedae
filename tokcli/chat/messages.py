"""Reads a conversation: a list of messages, or the body of an OpenAI-style request.

Of a request body these are used: `messages`, `tools`, `documents`, `add_generation_prompt`, and
`chat_template_kwargs` (llama-server's and vLLM's name for further variables of the template).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from tokcli.errors import UsageError
from tokcli.text.id_text import short_integer

__all__ = ["Conversation", "load_messages", "load_tools", "load_variables"]

USED_KEYS = frozenset(
    ["messages", "tools", "documents", "add_generation_prompt", "chat_template_kwargs"]
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_TOOLS = 'give a list [{"type": "function", "function": {"name": "..."}}]'
_PART = '{"type": "text", "text": "..."}'
_SHAPE = 'give a list [{"role": "user", "content": "..."}], or an object with "messages"'


@dataclass(frozen=True, slots=True)
class Conversation:
    """What a chat template is rendered with.

    `tools` is None where the input names none, which templates tell from an empty list.
    `add_generation_prompt` is None where the input does not say. `variables` holds `documents` and
    chat_template_kwargs; `ignored` names the other keys of a request body (temperature, model...).
    """

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]] | None = None
    add_generation_prompt: bool | None = None
    variables: Mapping[str, Any] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()


def load_messages(data: bytes) -> Conversation:
    """The conversation in a JSON document.

    Raises UsageError that names the place: line, column and byte for text that is not JSON, the
    path (messages[1].role) for JSON of another shape.
    """
    value = _parse(data, "messages")
    _check_text(value, "messages" if isinstance(value, list) else "the document")
    if isinstance(value, list):
        return Conversation(_messages(value))
    if not isinstance(value, dict):
        raise UsageError(f"messages: {_kind(value)} where a list was expected: {_SHAPE}")
    if "messages" not in value:
        hint = "put the message into a list" if "role" in value else _SHAPE
        raise UsageError(f"messages: the object has no key 'messages': {hint}")
    messages = _messages(value["messages"])
    tools = value.get("tools")
    variables: dict[str, Any] = {}
    if value.get("documents") is not None:
        variables["documents"] = _objects(value["documents"], "documents")
    extra = value.get("chat_template_kwargs")
    if extra is not None:
        if not isinstance(extra, dict):
            raise UsageError(f"chat_template_kwargs: {_kind(extra)} where an object was expected")
        variables.update(extra)
    generation = value.get("add_generation_prompt")
    if generation is not None and not isinstance(generation, bool):
        raise UsageError(f"add_generation_prompt: {_kind(generation)}, not true or false")
    return Conversation(
        messages,
        None if tools is None else _tools(tools),
        generation,
        variables,
        tuple(key for key in value if key not in USED_KEYS),
    )


def load_tools(data: bytes) -> list[dict[str, Any]]:
    """The tools in a JSON document: a list, or an object with "tools". Raises UsageError."""
    value = _parse(data, "tools")
    _check_text(value, "tools" if isinstance(value, list) else "the document")
    if isinstance(value, dict) and "tools" in value:
        value = value["tools"]
    return _tools(value)


def load_variables(data: bytes, name: str) -> dict[str, Any]:
    """Further variables of a template, as a JSON object that messages call `name`.

    Raises UsageError.
    """
    value = _parse(data, name)
    _check_text(value, "the object", f"{name}: ")
    if not isinstance(value, dict):
        raise UsageError(f"{name}: {_kind(value)} where an object was expected")
    return value


def _parse(data: bytes, name: str) -> Any:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise UsageError(
            f"{name}: byte {exc.start} ({data[exc.start]:#04x}) is not UTF-8, which JSON is"
            " written in"
        ) from exc
    try:
        return json.loads(text, parse_constant=_no_constant, parse_int=short_integer)
    except json.JSONDecodeError as exc:
        offset = len(text[: exc.pos].encode()) + len(data) - len(text.encode())
        raise UsageError(
            f"{name}: not JSON: {exc.msg} (line {exc.lineno}, column {exc.colno}, byte {offset})"
        ) from exc
    except RecursionError as exc:
        raise UsageError(f"{name}: the JSON is nested too deeply") from exc
    except ValueError as exc:  # NaN, or a number that is too long
        raise UsageError(f"{name}: not JSON: {exc}") from exc


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _objects(value: Any, name: str, shape: str = "give a list of objects") -> list[dict[str, Any]]:
    if not isinstance(value, list):
        raise UsageError(f"{name}: {_kind(value)} where a list was expected: {shape}")
    for index, item in enumerate(value):
        if not isinstance(item, dict):
            raise UsageError(
                f"{name}[{index}]: {_kind(item)} where an object was expected: {shape}"
            )
    return value


def _messages(value: Any) -> list[dict[str, Any]]:
    messages = _objects(value, "messages", _SHAPE)
    if not messages:
        raise UsageError("messages: the list is empty: give at least one message")
    for index, message in enumerate(messages):
        if "role" not in message:
            raise UsageError(f'messages[{index}]: no \'role\', such as "user" or "assistant"')
        role = message["role"]
        if not isinstance(role, str):
            raise UsageError(
                f"messages[{index}].role: {_kind(role)} where a text was expected, such as "
                '"user" or "assistant"'
            )
        _check_content(message.get("content"), f"messages[{index}].content")
    return messages


def _check_content(content: Any, path: str) -> None:
    """Text, or a list of parts, which llama-server takes; templates would print other JSON in a
    way of Python's own."""
    if content is None or isinstance(content, str):
        return
    if not isinstance(content, list):
        raise UsageError(
            f"{path}: {_kind(content)} where a text, or a list of parts, was expected: write it as "
            "a text"
        )
    for index, part in enumerate(content):
        where = f"{path}[{index}]"
        if not isinstance(part, dict):
            raise UsageError(f"{where}: {_kind(part)} where a part was expected, such as {_PART}")
        if not isinstance(part.get("type"), str):
            raise UsageError(f"{where}: a part without a 'type'; one of text is {_PART}")
        if part["type"] == "text" and not isinstance(part.get("text"), str):
            raise UsageError(f"{where}: a part of text without its words: give {_PART}")


def _tools(value: Any) -> list[dict[str, Any]]:
    """Functions, bare or as "function" of an object; other types of tools are taken as they are."""
    tools = _objects(value, "tools", _TOOLS)
    for index, tool in enumerate(tools):
        if "role" in tool:
            raise UsageError(f"tools[{index}]: a message where a tool was expected: {_TOOLS}")
        if "function" not in tool and tool.get("type", "function") != "function":
            continue
        function = tool.get("function", tool)
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise UsageError(f"tools[{index}]: no function with a name: {_TOOLS}")
    return tools


def _check_text(value: Any, name: str, before: str = "") -> None:
    """Half of a surrogate pair, as "\\ud83d" writes it, is no text that has bytes."""
    stack = [(value, name)]
    while stack:
        item, where = stack.pop()
        if isinstance(item, str):
            found = _SURROGATE.search(item)
            if found:
                raise UsageError(
                    f"{before}{where} has half of a surrogate pair, \\u{ord(found[0]):04x}, at"
                    f" character {found.start()}: write both halves, or the character itself"
                )
        elif isinstance(item, list):
            stack.extend((v, f"{where}[{i}]") for i, v in enumerate(item))
        elif isinstance(item, dict):
            stack.extend((key, f"a key of {where}") for key in item)
            stack.extend((v, k if where == name else f"{where}.{k}") for k, v in item.items())


def _kind(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    names: dict[type, str] = {dict: "an object", list: "a list", str: "a text"}
    return names.get(type(value), "a number")
