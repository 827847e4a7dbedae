"""What is different when stdout is a terminal: nothing raw from a file, a newline at the end."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping

import pytest

from tests.cli.runner import command_line, environ

if sys.platform == "win32":
    pytest.skip("needs POSIX terminals", allow_module_level=True)
else:
    import pty

SETTINGS = {"TERM": "xterm-256color", "COLUMNS": "100"}


def on_terminal(
    *arguments: str, stdin: bytes | None = b"", env: Mapping[str, str] | None = None
) -> tuple[str, int]:
    """Run tokcli with all streams on a terminal (stdin too when None); its output and status."""
    leader, follower = pty.openpty()
    with subprocess.Popen(
        command_line(*arguments),
        stdin=follower if stdin is None else subprocess.PIPE,
        stdout=follower,
        stderr=follower,
        env=environ({**SETTINGS, **(env or {})}),
    ) as process:
        os.close(follower)
        if process.stdin is not None:
            process.stdin.write(stdin or b"")
            process.stdin.close()
        output = b""
        while True:
            try:
                data = os.read(leader, 4096)
            except OSError:  # how Linux says that the other side is closed
                break
            if not data:
                break
            output += data
    os.close(leader)
    return output.decode().replace("\r\n", "\n"), process.returncode


def test_pieces_are_shown() -> None:
    assert on_terminal("tokenize", "-p", "a\\x1b[0m\\n") == (
        "    64 -> 'a'\n   215 -> '\\x1b'\n    58 -> '['\n    15 -> '0'\n    76 -> 'm'\n"
        "   198 -> '\\n'\n",
        0,
    )


@pytest.mark.parametrize("arguments", [["--pieces"], ["--stream"], []])
def test_detokenized_text_is_shown(arguments: list[str]) -> None:
    # "a", ESC, "[", line feed
    shown = "a\n\\x1b\n[\n\\n\n" if arguments == ["--pieces"] else "a\\x1b[\n\n"

    assert on_terminal("detokenize", *arguments, stdin=b"64 215 58 198") == (shown, 0)


def test_a_truncated_text_is_shown() -> None:
    assert on_terminal("tokenize", "--truncate", "2", "\\x1bab") == ("\\x1bab\n", 0)


def test_json_is_safe() -> None:
    output, status = on_terminal("tokenize", "--format", "jsonl", "\\x1b\\x7f")

    assert status == 0
    assert not {"\x1b", "\x7f"} & set(output)


@pytest.mark.parametrize(
    ("arguments", "env", "colored"),
    [
        ([], {}, True),
        (["--color", "never"], {}, False),
        ([], {"NO_COLOR": "1"}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
    ],
)
def test_tables_are_coloured(arguments: list[str], env: dict[str, str], colored: bool) -> None:
    output, status = on_terminal("tokenize", "--format", "table", "How", *arguments, env=env)

    assert status == 0
    assert "2437" in output
    assert ("\x1b[" in output) == colored


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("tokenize", "no text to tokenize; give TEXT, -p/--prompt, -f/--file, --stdin"),
        ("detokenize", "no ids to detokenize; give them, or -f/--file, or pipe them in"),
    ],
)
def test_a_terminal_is_not_waited_for(command: str, message: str) -> None:
    output, status = on_terminal(command, stdin=None)

    assert status == 2
    assert output.startswith(f"tokcli: error: {message}")
