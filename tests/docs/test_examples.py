"""Everything in examples/ runs: walk-throughs print what they show, scripts end with status 0."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.runner import ROOT, environ
from tests.docs.console import BASH, commands, matches, run_commands, shell_environment

EXAMPLES = sorted(path for path in (ROOT / "examples").iterdir() if path.is_file())


def test_there_are_examples_of_known_kinds() -> None:
    assert {path.suffix for path in EXAMPLES} <= {".md", ".sh", ".py", ".json"}
    assert any(path.suffix == ".md" for path in EXAMPLES)


@pytest.mark.skipif(BASH is None, reason="needs bash")
@pytest.mark.parametrize(
    "path", [path for path in EXAMPLES if path.suffix == ".md"], ids=lambda path: path.name
)
def test_a_walk_through_prints_what_it_shows(path: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    todo = commands(path.read_text(encoding="utf-8"))
    outputs = run_commands(todo, tmp_path)
    wrong = [
        f"{path.name}:{command.line}: $ {command.text}\n{output}"
        for command, output in zip(todo, outputs, strict=True)
        if not matches(command.expected, output)
    ]

    assert todo
    assert not wrong, "\n".join(["these print something else:", *wrong])


@pytest.mark.skipif(BASH is None, reason="needs bash")
@pytest.mark.parametrize(
    "path", [path for path in EXAMPLES if path.suffix in (".sh", ".py")], ids=lambda path: path.name
)
def test_a_script_runs(path: Path, tmp_path: Path) -> None:
    program = BASH if path.suffix == ".sh" else sys.executable
    environment = environ(shell_environment(tmp_path))
    done = subprocess.run(
        [str(program), str(path)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment,
        cwd=tmp_path,
    )

    assert (done.returncode, done.stderr.decode()) == (0, "")
    assert done.stdout != b""
