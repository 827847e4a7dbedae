"""The README says what is true: each of its commands prints what it shows."""

from __future__ import annotations

import doctest
import re
import shutil
from pathlib import Path

import pytest

from tests.cli.runner import ROOT
from tests.docs.console import BASH, commands, matches, run_commands
from tokcli.cli.app import COMMANDS

README = ROOT / "README.md"


@pytest.mark.skipif(BASH is None, reason="needs bash")
def test_every_command_prints_what_the_readme_shows(tmp_path: Path) -> None:
    todo = commands(README.read_text(encoding="utf-8"))
    if shutil.which("jq") is None:
        todo = [command for command in todo if "| jq " not in command.text]
    outputs = run_commands(todo, tmp_path)
    wrong = [
        f"README.md:{command.line}: $ {command.text}\n{output}"
        for command, output in zip(todo, outputs, strict=True)
        if not matches(command.expected, output)
    ]

    assert len(todo) > 10
    assert not wrong, "\n".join(["these print something else:", *wrong])


def test_the_python_examples_give_what_the_readme_shows() -> None:
    blocks = re.findall(r"^```pycon\n(.*?)^```$", README.read_text("utf-8"), re.M | re.DOTALL)
    runner = doctest.DocTestRunner()
    parser = doctest.DocTestParser()
    for block in blocks:
        runner.run(parser.get_doctest(block, {}, "README.md", str(README), 0))

    assert runner.summarize().attempted > 3
    assert runner.summarize().failed == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_readme(command: str) -> None:
    assert f"tokcli {command}" in README.read_text(encoding="utf-8")


def test_the_files_that_the_readme_names_exist() -> None:
    text = README.read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)

    assert [link for link in links if not (ROOT / link).exists()] == []
