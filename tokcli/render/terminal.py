"""What may be sent to a terminal: visible control characters, and colour where it is wanted."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TextIO

from tokcli.text.byte_escapes import SPECIAL_CHARACTERS

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["is_terminal", "make_console", "visible", "wants_color"]

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
# Piped output is not wrapped: no line of ours is this long.
_UNLIMITED = 1_000_000
# On a narrower terminal lines are this long, and the terminal folds them.
_LEAST_WIDTH = 20


def visible(data: bytes | str, *, keep: str = "", backslash: bool = False) -> str:
    r"""`data` as text that is safe on a terminal and shows everything.

    Control and invisible characters become \n, \t, \x1b, \u200b and so on; bytes that are not
    UTF-8 become \xNN (lone surrogates of a str stand for such bytes).

    keep: control characters to leave alone, "\n\t" for text of several lines.
    backslash: double backslashes, so that no text looks like an escaped one.

    >>> visible(b"caf\xc3\xa9\x1b[31m\xff")
    'café\\x1b[31m\\xff'
    """
    if isinstance(data, str):
        data = data.encode("utf-8", _surrogates(data))
    if backslash:
        data = data.replace(b"\\", b"\\\\")
    text = data.decode("utf-8", "backslashreplace")
    return _unsafe().sub(lambda match: _escape(match[0], keep), text)


@cache
def _unsafe() -> re.Pattern[str]:
    return re.compile(f"[{SPECIAL_CHARACTERS}\ud800-\udfff]")


def _surrogates(text: str) -> str:
    """The error handler that encodes any lone surrogates in `text`."""
    bytes_only = all("\udc80" <= char <= "\udcff" for char in text if "\ud800" <= char <= "\udfff")
    return "surrogateescape" if bytes_only else "backslashreplace"


def _escape(char: str, keep: str) -> str:
    if char in keep:
        return char
    if char in _NAMED:
        return _NAMED[char]
    code = ord(char)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def is_terminal(stream: TextIO | None = None) -> bool:
    """Whether `stream` (stdout when None) is a terminal."""
    stream = sys.stdout if stream is None else stream
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def wants_color(
    color: str = "auto",
    stream: TextIO | None = None,
    environment: Mapping[str, str] | None = None,
) -> bool:
    """Whether to colour what goes to `stream` (stdout when None).

    color: "always", "never", or "auto": NO_COLOR says no, else FORCE_COLOR says yes, else a
    terminal gets colour unless it is a dumb one. Empty variables count as unset.
    """
    if color != "auto":
        return color == "always"
    environment = os.environ if environment is None else environment
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    return is_terminal(stream) and environment.get("TERM") != "dumb"


def make_console(
    color: str = "auto", stream: TextIO | None = None, *, width: int | None = None
) -> Console:
    """A rich Console on `stream` (stdout when None) that never interprets what it prints.

    Markup, emoji codes, highlighting and (for pipes) wrapping are off. Show pieces through
    `visible`, as rich.text.Text or plain str.

    width: columns; by default the terminal's, at least 20, and unlimited for a pipe.
    """
    from rich.console import Console

    class PassingConsole(Console):
        """Lets BrokenPipeError through, for which rich would end the process with status 1."""

        def on_broken_pipe(self) -> None:
            raise

    stream = sys.stdout if stream is None else stream
    if isinstance(stream, io.TextIOWrapper):
        # What the terminal's encoding lacks is shown escaped rather than refused.
        stream.reconfigure(errors="backslashreplace")
    colored = wants_color(color, stream)
    if width is None and not is_terminal(stream):
        width = _UNLIMITED
    settings: dict[str, Any] = {
        "file": stream,
        "width": width,
        "markup": False,
        "emoji": False,
        "highlight": False,
        "legacy_windows": False,
        "force_terminal": colored or None,
        "force_jupyter": False,
        "no_color": False,
        "color_system": "auto" if colored else None,
    }
    console = PassingConsole(**settings)
    if colored and console.color_system is None:
        # Colour was asked for, and TERM says nothing about it.
        console = PassingConsole(**{**settings, "color_system": "standard"})
    if width is None and console.width < _LEAST_WIDTH:
        console.width = _LEAST_WIDTH
    return console
