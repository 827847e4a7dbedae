"""Messages whose content is a list of parts, and what llama-server makes of them.

Templates that take text only get the texts of the parts, joined by line feeds
(concat_content_parts in common/chat.cpp of llama.cpp); transformers hands every template the list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tokcli.chat.visible import visible
from tokcli.errors import TemplateError

__all__ = ["joined_parts", "lists_of_parts"]

JOINER = "\n"
_SHAPE = '{"type": "text", "text": "..."}'


def lists_of_parts(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """The paths of contents that are lists: "messages[0].content"."""
    return [
        f"messages[{index}].content"
        for index, message in enumerate(messages)
        if isinstance(message.get("content"), list)
    ]


def joined_parts(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The messages with texts in the place of lists.

    Raises TemplateError for a part that is no text.
    """
    return [
        {**message, "content": _joined(message["content"], f"messages[{index}].content")}
        if isinstance(message.get("content"), list)
        else dict(message)
        for index, message in enumerate(messages)
    ]


def _joined(parts: list[Any], path: str) -> str:
    text = ""
    for index, part in enumerate(parts):
        where = f"{path}[{index}]"
        if not isinstance(part, dict) or "type" not in part:
            raise TemplateError(f"{where}: a part of a content is an object such as {_SHAPE}")
        if part["type"] != "text":
            raise TemplateError(
                f"{where}: a part of type {visible(repr(part['type']))}, and the chat template "
                "takes text only: leave the part out, or use a template for such parts"
            )
        if not isinstance(part.get("text"), str):
            raise TemplateError(f"{where}: a part of type 'text' has its words under 'text'")
        # No line feed stands in front of the first words.
        text = f"{text}{JOINER}{part['text']}" if text else part["text"]
    return text
