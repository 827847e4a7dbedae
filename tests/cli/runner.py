"""Runs tokcli for tests: in this process, which is quick, or in one of its own, which is real."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from typer.testing import CliRunner

from tokcli.cli.app import app

ROOT = Path(__file__).resolve().parent.parent.parent
# What a terminal or a user's settings would change.
UNSET = (
    "TOKCLI_MODEL",
    "NO_COLOR",
    "FORCE_COLOR",
    "COLORTERM",
    "COLUMNS",
    "PYTHONUNBUFFERED",
)


class Run(NamedTuple):
    """What a run left: `stdout` is exact bytes."""

    stdout: bytes
    stderr: str
    status: int

    @property
    def text(self) -> str:
        """Stdout, which must be UTF-8."""
        return self.stdout.decode()


def tokcli(
    *arguments: str | os.PathLike[str],
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
) -> Run:
    """Run a command through Typer in this process; what is no mistake of the user is raised."""
    environment: dict[str, str | None] = dict.fromkeys(UNSET)
    environment.update(env or {})
    result = CliRunner().invoke(
        app,
        [os.fspath(argument) for argument in arguments],
        input=stdin,
        env=environment,
        prog_name="tokcli",
        catch_exceptions=False,
    )
    return Run(result.stdout_bytes, result.stderr, result.exit_code)


def tokcli_process(
    *arguments: str | bytes | os.PathLike[str],
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Run:
    """Run `python -m tokcli` as a process of its own."""
    done = subprocess.run(
        command_line(*arguments), input=stdin, capture_output=True, env=environ(env), cwd=cwd
    )
    return Run(done.stdout, done.stderr.decode("utf-8", "backslashreplace"), done.returncode)


def command_line(*arguments: str | bytes | os.PathLike[str]) -> list[str | bytes]:
    """What starts tokcli with these arguments."""
    return [sys.executable, "-m", "tokcli", *(os.fspath(argument) for argument in arguments)]


def environ(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for a process of its own, without what a user may have set."""
    kept = {name: value for name, value in os.environ.items() if name not in UNSET}
    path = os.pathsep.join(filter(None, (str(ROOT), kept.get("PYTHONPATH", ""))))
    return {**kept, "PYTHONPATH": path, "TERM": "dumb", **(extra or {})}
