"""Writing many lines to stdout, soon and fast."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterable
from itertools import islice

__all__ = ["write_bytes", "write_lines", "write_pieces"]

# The first lines leave at once, so that `| head` need not wait; then large blocks are cheaper.
FIRST_BLOCK = 64
BLOCK = 4096
# The same for pieces of one text, in characters.
PIECES = 1 << 16


def write_lines(lines: Iterable[str]) -> int:
    """Write each line to stdout as UTF-8 (lone surrogates as the bytes they stand for), ended by a
    line feed; returns how many there were."""
    lines = iter(lines)
    count = 0
    size = FIRST_BLOCK
    while block := list(islice(lines, size)):
        text = "\n".join(block) + "\n"
        write_bytes(text.encode("utf-8", "surrogateescape"))
        count += len(block)
        size = BLOCK
    return count


def write_pieces(pieces: Iterable[str]) -> None:
    """Write a text that comes in pieces, each of a few lines at most, to stdout as UTF-8, ended by
    a line feed."""
    block: list[str] = []
    size = 0
    for piece in pieces:
        block.append(piece)
        size += len(piece)
        if size >= PIECES:
            write_bytes("".join(block).encode())
            block.clear()
            size = 0
    write_bytes(("".join(block) + "\n").encode())


def write_bytes(data: bytes) -> None:
    """Write bytes to stdout as they are, and flush. Raises OSError where there is no stdout."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "stdout is closed")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
