"""The files in examples/ci, run as a CI would."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.check.builders import CHATML, HELLO, TEMPLATE, bpe, spm
from tests.cli.runner import ROOT, environ
from tests.vocabularies import BUILT_IN

yaml: Any = pytest.importorskip("yaml", reason="PyYAML, which the gguf package brings")

CI = ROOT / "examples" / "ci"
WORKFLOW = CI / "tokenizer.yml"
needs_shell = pytest.mark.skipif(shutil.which("sh") is None, reason="there is no POSIX shell")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment with a command tokcli."""
    command = tmp_path / "bin" / "tokcli"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tokcli "$@"\n')
    command.chmod(0o755)
    return environ({"PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"})


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """What the workflow expects to find."""
    for name in ("models", "prompts"):
        (tmp_path / name).mkdir()
    spm(tmp_path / "models" / "model.gguf", **{TEMPLATE: CHATML})
    (tmp_path / "prompts" / "system.txt").write_text("the heart in the rain\n")
    (tmp_path / "prompts" / "chat.json").write_text(json.dumps(HELLO))
    return tmp_path


def guard(environment: dict[str, str], *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", CI / "guard.sh", *arguments], env=environment, capture_output=True, encoding="utf-8"
    )


@needs_shell
def test_the_guard_is_content(environment: dict[str, str], tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Hello there, how are you?\n")
    run = guard(environment, "8", BUILT_IN, prompt)

    assert (run.stdout, run.stderr, run.returncode) == ("8\n", "", 0)


@needs_shell
def test_the_guard_counts_too_many(environment: dict[str, str], tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Hello there, how are you?\n")
    run = guard(environment, "7", BUILT_IN, prompt)

    assert run.returncode == 1
    assert "8 tokens, 1 over the limit" in run.stderr


@needs_shell
def test_the_guard_finds_a_broken_model(environment: dict[str, str], tmp_path: Path) -> None:
    model = bpe(tmp_path / "model.gguf", pre=None)
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("a")
    run = guard(environment, "100", model, prompt)

    assert run.returncode == 1
    assert "error TOK101 missing-pre" in run.stdout


@needs_shell
def test_the_guard_wants_to_know_what_to_guard(environment: dict[str, str]) -> None:
    run = guard(environment, "100")

    assert (run.returncode, run.stderr) == (2, "usage: guard.sh BUDGET MODEL PROMPT...\n")


def steps() -> list[dict[str, Any]]:
    workflow = yaml.safe_load(WORKFLOW.read_text("utf-8"))
    # YAML 1.1 reads the key "on" as a boolean.
    assert set(workflow) == {"name", True, "permissions", "env", "jobs"}
    (job,) = workflow["jobs"].values()
    assert job["runs-on"] == "ubuntu-latest"
    found: list[dict[str, Any]] = job["steps"]
    assert all(("run" in step) != ("uses" in step) for step in found)
    return found


def run_step(
    step: dict[str, Any], repository: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-ec", step["run"]],
        cwd=repository,
        env={**environment, "TOKCLI_MODEL": "models/model.gguf"},
        capture_output=True,
        encoding="utf-8",
    )


@needs_shell
def test_the_workflow_passes_a_healthy_model(environment: dict[str, str], repository: Path) -> None:
    commands = [step for step in steps() if "run" in step]
    assert commands.pop(0)["run"] == "pip install tokcli"
    assert len(commands) == 4
    for step in commands:
        run = run_step(step, repository, environment)
        assert run.returncode == 0, (step, run.stdout, run.stderr)
    log = json.loads((repository / "tokenizer.sarif").read_text("utf-8"))
    assert log["runs"][0]["results"] == []


@needs_shell
def test_the_workflow_fails_a_broken_model_and_a_long_prompt(
    environment: dict[str, str], repository: Path
) -> None:
    spm(repository / "models" / "model.gguf", scores=None)
    (repository / "prompts" / "system.txt").write_text("the heart in the rain\n" * 200)
    _, lint, chat, budget, scan = (step for step in steps() if "run" in step)

    run = run_step(lint, repository, environment)
    assert run.returncode == 1
    assert run.stdout.startswith("::error file=models/model.gguf,title=TOK307 missing-scores::")
    assert "no-template" in run_step(chat, repository, environment).stdout
    assert run_step(budget, repository, environment).returncode == 1
    assert run_step(scan, repository, environment).returncode == 0
    log = json.loads((repository / "tokenizer.sarif").read_text("utf-8"))
    assert [result["ruleId"] for result in log["runs"][0]["results"]] == ["TOK307"]


def test_the_workflow_uploads_what_it_wrote() -> None:
    *_, write, upload = steps()

    assert write["if"] == upload["if"] == "always()"
    assert write["run"].endswith(f"> {upload['with']['sarif_file']}")
