"""Which characters of a rendering came from the messages, and from which of them.

A text that spells a control token is wrapped in two private-use characters, numbered by where it
stands, and the template is rendered once more. Where taking them out gives the first rendering
back, the wrapped spans say exactly whose the tokens are; a template that looks at its messages
too closely for that (startswith, a length) is searched for them instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tokcli.chat.markers import MARKER
from tokcli.chat.messages import Conversation
from tokcli.errors import TemplateError

__all__ = ["Origin", "OriginFinder"]

FIRST_MARK, LAST_MARK = 0xF0000, 0xFFFFD
_MARK = re.compile(f"[{chr(FIRST_MARK)}-{chr(LAST_MARK)}]")
Renderer = Callable[[Conversation], str]


@dataclass(frozen=True, slots=True)
class Origin:
    """Characters `start` to `end` of the rendering come from `path` ("messages[1].content").

    `exact` is false where they were found by searching.
    """

    start: int
    end: int
    path: str
    text: str
    exact: bool


class OriginFinder:
    """Finds what of a rendering the conversation spelled.

    `control_texts` are the token texts to look for, next to everything that MARKER matches.
    """

    def __init__(self, control_texts: Iterable[bytes]) -> None:
        self._control_texts = control_texts

    def find(self, conversation: Conversation, text: str, render: Renderer) -> list[Origin]:
        """The origins in `text`, which is `render(conversation)`, in order."""
        body = [conversation.messages, conversation.tools, dict(conversation.variables)]
        strings: list[str] = []
        _walk(body, strings)
        pattern = self._pattern(strings)
        if pattern is None:
            return []
        marker = _Marker(pattern)
        marked = Conversation(
            marker.value(conversation.messages, "messages"),
            marker.value(conversation.tools, "tools"),
            conversation.add_generation_prompt,
            marker.value(dict(conversation.variables), ""),
        )
        try:
            rendered = render(marked)
        except TemplateError:
            rendered = ""
        if _MARK.sub("", rendered) == text:
            return _unmark(rendered, marker.paths)
        return _search(text, marker.spelled)

    def _pattern(self, strings: list[str]) -> re.Pattern[str] | None:
        joined = "\0".join(strings)
        # Bytes are searched first: a vocabulary has thousands of texts, and few occur.
        data = joined.encode("utf-8", "surrogatepass")
        found = {
            text.decode("utf-8", "surrogateescape")
            for text in self._control_texts
            if text and text in data
        }
        found.update(MARKER.findall(joined))
        if not found:
            return None
        longest_first = sorted(found, key=len, reverse=True)
        return re.compile("|".join(re.escape(text) for text in longest_first))


class _Marker:
    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern
        self.paths: list[str] = []
        self.spelled: list[tuple[str, str, str]] = []  # path, whole string, what it spells

    def value(self, value: Any, path: str) -> Any:
        if isinstance(value, str):
            return self._pattern.sub(lambda match: self._wrap(match[0], value, path), value)
        if isinstance(value, list):
            return [self.value(item, f"{path}[{index}]") for index, item in enumerate(value)]
        if isinstance(value, dict):
            dot = "." if path else ""
            return {key: self.value(item, f"{path}{dot}{key}") for key, item in value.items()}
        return value

    def _wrap(self, spelling: str, whole: str, path: str) -> str:
        number = FIRST_MARK + 2 * len(self.paths)
        if number + 1 > LAST_MARK:  # 32 thousand of them make the point
            return spelling
        self.paths.append(path)
        self.spelled.append((path, whole, spelling))
        return f"{chr(number)}{spelling}{chr(number + 1)}"


def _walk(value: Any, strings: list[str]) -> None:
    if isinstance(value, str):
        strings.append(value)
    elif isinstance(value, list):
        for item in value:
            _walk(item, strings)
    elif isinstance(value, dict):
        for item in value.values():
            _walk(item, strings)


def _unmark(rendered: str, paths: list[str]) -> list[Origin]:
    origins: list[Origin] = []
    opened: dict[int, int] = {}
    texts: list[str] = []
    last = 0
    for removed, match in enumerate(_MARK.finditer(rendered)):
        texts.append(rendered[last : match.start()])
        last = match.end()
        position = match.start() - removed
        number, closes = divmod(ord(match[0]) - FIRST_MARK, 2)
        if not closes:
            opened[number] = position
        elif number in opened and number < len(paths):
            start = opened.pop(number)
            origins.append(Origin(start, position, paths[number], "", True))
    plain = "".join([*texts, rendered[last:]])
    return [Origin(o.start, o.end, o.path, plain[o.start : o.end], True) for o in origins]


def _search(text: str, spelled: list[tuple[str, str, str]]) -> list[Origin]:
    """Look for each whole string, trimmed, in the order they stand in the conversation."""
    origins: list[Origin] = []
    position, previous = 0, ""
    start = -1
    for path, whole, spelling in spelled:
        trimmed = whole.strip()
        if path != previous:
            start = text.find(trimmed, position)
            position = start + len(trimmed) if start >= 0 else position
            previous, inside = path, 0
        if start < 0:
            continue
        inside = trimmed.find(spelling, inside)
        if inside >= 0:
            at = start + inside
            origins.append(Origin(at, at + len(spelling), path, spelling, False))
            inside += len(spelling)
    return sorted(origins, key=lambda origin: origin.start)
