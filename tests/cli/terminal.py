"""Runs tokcli on a terminal of a given width, and returns what the terminal was sent."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.cli.runner import command_line, environ

__all__ = ["on_terminal"]


def on_terminal(width: int, *arguments: str | os.PathLike[str]) -> str:
    """What `tokcli ARGUMENTS` sends to a terminal `width` columns wide, line ends as \\n; the test
    is skipped where there are no pseudo-terminals."""
    if sys.platform == "win32":
        pytest.skip("there are no pseudo-terminals")
    import fcntl
    import struct
    import termios

    leader, follower = os.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    process = subprocess.Popen(
        command_line(*arguments),
        stdin=follower,
        stdout=follower,
        stderr=subprocess.DEVNULL,
        env=environ({"TERM": "xterm"}),
    )
    os.close(follower)
    received = b""
    try:
        while block := os.read(leader, 65536):
            received += block
    except OSError:
        pass  # Linux reports the end of a terminal as an error.
    finally:
        os.close(leader)
        process.wait()
    return received.decode().replace("\r\n", "\n")
