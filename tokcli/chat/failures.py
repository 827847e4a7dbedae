"""Says in one line what went wrong in a chat template: on which of its lines, at which message."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from tokcli.chat.visible import visible
from tokcli.errors import TemplateDefectError, TemplateError, TemplateRefusalError

if TYPE_CHECKING:
    from jinja2 import Template

    from tokcli.chat.sandbox import ChatEnvironment

__all__ = ["Run", "template_error"]

# Jinja2's name for a variable of a template: the deeper in loops, the higher the number.
_VARIABLE = re.compile(r"l_(\d+)_")
# What Jinja2 says of names in a branch only when it is taken, and tokcli of functions.
_UNKNOWN = re.compile("No (filter|test|function) named ")
_KINDS: dict[type, str] = {dict: "an object", list: "a list", tuple: "a list", bool: "a boolean"}


class Run(NamedTuple):
    """A rendering that failed: the compiled template, its environment, and the very messages that
    it was handed."""

    template: Template
    environment: ChatEnvironment
    messages: Sequence[dict[str, Any]]


def template_error(exc: Exception, run: Run | None = None) -> TemplateError:
    """The error to raise for `exc`, which a rendering raised, or the compiler where there is no
    `run`: a TemplateRefusalError where the template raised it on purpose, a TemplateDefectError
    where the messages do not matter."""
    from jinja2 import exceptions

    from tokcli.chat.budget import LimitError

    said = visible(str(exc)) or type(exc).__name__
    line = getattr(exc, "lineno", None) if isinstance(exc, exceptions.TemplateError) else None
    if run is not None:
        line = _line(exc.__traceback__, run)
    where = "chat template" if line is None else f"chat template, line {line}"
    if isinstance(exc, (LimitError, exceptions.SecurityError)):
        return TemplateDefectError(f"{where}: refused, {said}")
    if isinstance(exc, exceptions.TemplateSyntaxError):
        return TemplateDefectError(f"{where}: cannot be parsed: {said.rstrip('.')}")
    if isinstance(exc, SyntaxError):  # of the Python code it became, whose lines mean nothing
        return TemplateDefectError(f"{where}: cannot be compiled: {visible(exc.msg)}")
    if isinstance(exc, RecursionError):
        return TemplateDefectError(f"{where}: refused, it nests or calls itself too deeply")
    if isinstance(exc, MemoryError):
        return TemplateDefectError(f"{where}: there is not enough memory for what it makes")
    if type(exc) is exceptions.TemplateRuntimeError and _UNKNOWN.match(said):
        return TemplateDefectError(f"{where}: {said.rstrip('.')}")
    at, oddity = "", ""
    index = None if run is None else _message(exc.__traceback__, run)
    if run is not None and index is not None:
        at = f", at messages[{index}]"
        oddity = _oddity(index, run.messages[index])
    if type(exc) is exceptions.TemplateError:
        return TemplateRefusalError(
            f"{where}{at}: {said} (the template itself raised this: change the messages)"
        )
    return TemplateError(f"{where}{at}: {said}{oddity}")


def _frames(traceback: TracebackType | None, run: Run) -> Iterator[tuple[FrameType, int]]:
    """The frames of the template, and the line of its code that each was at, outermost first."""
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_code.co_filename == "<template>" and (
            frame.f_globals.get("environment") is run.environment
        ):
            yield frame, traceback.tb_lineno
        traceback = traceback.tb_next


def _line(traceback: TracebackType | None, run: Run) -> int | None:
    line = None
    for _, number in _frames(traceback, run):
        line = run.template.get_corresponding_lineno(number)
    return line


def _message(traceback: TracebackType | None, run: Run) -> int | None:
    """The message that the innermost loop or macro was about, where a variable holds it."""
    indexes = {id(message): index for index, message in enumerate(run.messages)}
    found = None
    for frame, _ in _frames(traceback, run):
        held = [
            (int(match[1]), indexes[id(value)])
            for name, value in frame.f_locals.items()
            if (match := _VARIABLE.match(name)) and id(value) in indexes
        ]
        found = max(held)[1] if held else found
    return found


def _oddity(index: int, message: dict[str, Any]) -> str:
    """What about the message's content may have been too much for the template."""
    if "content" not in message:
        return f"; messages[{index}] has no content"
    content = message["content"]
    if isinstance(content, str):
        return ""
    return f"; the content of messages[{index}] is {_KINDS.get(type(content), 'a number')}"
