"""Runs what documents show of a shell, and compares what it prints.

A block of ```console holds commands (`$ ...`, continued by a backslash) and what they print, stdout
and stderr as a terminal shows them together. A line `...` stands for any lines. All blocks of a
document run in one shell and one folder, so later ones see files and variables of earlier ones.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.cli.runner import environ

__all__ = ["BASH", "Command", "commands", "matches", "run_commands", "shell_environment"]

BASH = shutil.which("bash")
MARK = "--8<-- end of command --8<--"
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Command(NamedTuple):
    """A command, what the document says it prints, and the line it stands on."""

    text: str
    expected: str
    line: int


def commands(document: str) -> list[Command]:
    """The commands in the console blocks of a Markdown document."""
    found: list[Command] = []
    for block in _BLOCK.finditer(document):
        line = document.count("\n", 0, block.start()) + 1
        text: list[str] = []
        output: list[str] = []
        start = line
        for content in block[1].splitlines():
            line += 1
            if text and text[-1].endswith("\\"):
                text.append(content)
            elif content.startswith("$ "):
                if text:
                    found.append(_command(text, output, start))
                text, output, start = [content[2:]], [], line
            else:
                output.append(content)
        found.append(_command(text, output, start))
    return found


def _command(text: list[str], output: list[str], line: int) -> Command:
    return Command("\n".join(text), "".join(f"{row}\n" for row in output), line)


def run_commands(todo: list[Command], folder: Path) -> list[str]:
    """Run all commands in one bash in `folder`; returns what each printed."""
    assert BASH is not None
    script = "".join(
        f"{command.text}\nstatus=$?; echo; echo '{MARK}'; (exit $status)\n" for command in todo
    )
    done = subprocess.run(
        [BASH, "-c", script],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=shell_environment(folder),
        cwd=folder,
    )
    outputs = done.stdout.decode().split(f"\n{MARK}\n")
    return outputs[:-1]


def shell_environment(folder: Path) -> dict[str, str]:
    """An environment in which `tokcli` and `python` are the ones under test."""
    programs = folder.parent / f"{folder.name}-programs"
    programs.mkdir(exist_ok=True)
    for name, arguments in (("tokcli", "-m tokcli"), ("python", "")):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
        program.chmod(0o755)
    return environ({"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"})


def matches(expected: str, actual: str) -> bool:
    """Whether `actual` is `expected`, `...` lines standing for any lines; a line feed at the end
    that only the document has does not count."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"[ ]*\n"
        for line in expected.splitlines()
    )
    ended = actual if not actual or actual.endswith("\n") else actual + "\n"
    return re.fullmatch(pattern, ended) is not None
