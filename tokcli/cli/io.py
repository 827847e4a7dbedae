"""Bytes in and bytes out: prompts from arguments, files and stdin, results to stdout."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from tokcli.errors import UsageError
from tokcli.render.terminal import is_terminal

__all__ = ["Input", "from_hex", "read_file", "read_stdin", "split_lines", "stdout_bytes"]


class Input(NamedTuple):
    """One thing to work on: its bytes, the file they came from ("-": stdin, None: an argument) and,
    where lines are inputs of their own, the line's number from 1."""

    data: bytes
    file: str | None = None
    line: int | None = None

    @property
    def label(self) -> str:
        """How messages name it: "prompt.txt", "prompt.txt:3", or "" for an argument."""
        name = "stdin" if self.file == "-" else self.file or ""
        if self.line is None:
            return name
        return f"{name}:{self.line}" if name else f"line {self.line}"


def stdin_is_piped() -> bool:
    """Whether stdin is a pipe or a file, so that reading it will not wait for a human."""
    return sys.stdin is not None and not is_terminal(sys.stdin)


def read_stdin() -> bytes:
    """Everything on stdin."""
    return stdin_bytes().read()


def stdin_bytes() -> BinaryIO:
    """Stdin as bytes. Raises OSError where there is none."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, "stdin is closed")
    return sys.stdin.buffer


def stdout_bytes() -> BinaryIO:
    """Stdout as bytes. Raises OSError where there is none."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "stdout is closed")
    return sys.stdout.buffer


def read_file(path: str) -> bytes:
    """The bytes of a file, or of stdin for "-". Raises OSError."""
    if path == "-":
        return read_stdin()
    with open(path, "rb") as file:
        return file.read()


def argument_bytes(text: str) -> bytes:
    """The bytes that stood on the command line."""
    return os.fsencode(text)


def split_lines(whole: Input) -> Iterator[Input]:
    """One Input a line, without its newline; after the last newline there is no further line."""
    lines = whole.data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines, 1):
        yield Input(line, whole.file, number)


def from_hex(source: Input) -> Input:
    """The input whose bytes `source` spells as hex digits, white space between bytes allowed.

    Raises UsageError that names the first byte that does not belong.
    """
    digits = source.data
    try:
        return source._replace(data=bytes.fromhex(digits.decode("ascii")))
    except ValueError:
        pass
    where = f"{source.label}: " if source.label else ""
    for position, byte in enumerate(digits):
        if byte not in b"0123456789abcdefABCDEF \t\n\v\f\r":
            shown = ascii(chr(byte))
            raise UsageError(f"{where}--hex: {shown} at byte {position} is no hex digit") from None
    raise UsageError(
        f"{where}--hex: a byte is two hex digits, and one digit is left over"
    ) from None
