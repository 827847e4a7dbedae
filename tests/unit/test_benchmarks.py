from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks import texts
from tests.benchmarks.runs import python_environment
from tests.benchmarks.table import Row, document


def test_the_script_runs_on_the_built_in_vocabulary(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_bytes("How are you? 日本語のテキスト\n".encode() * 40)
    tiny = "--repeat 1 --growth 0.001,0.002 --word 0.001 --ids 100".split()
    environment = {**python_environment(), "LLAMA_TOKENIZE": ""}
    command = [sys.executable, "-m", "tests.benchmarks", "--text", str(text), *tiny]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)

    assert done.returncode == 0, done.stderr.decode()
    table = done.stdout.decode()
    for part in ("### Start-up", "| gpt-2, base64 |", "| gpt-2, 0.002 MB |", "-j 2 beside -j 1"):
        assert part in table
    assert "results differ" not in table


@pytest.mark.parametrize("kind", texts.WORDS)
def test_words_have_the_size_asked_for_and_are_the_same_each_time(kind: str) -> None:
    made = texts.word(kind, 3000, b"")

    assert len(made) == 3000
    assert made == texts.word(kind, 3000, b"")
    assert len(made.split(b" ")) == (3001 if kind == "spaces" else 1)


def test_natural_text_goes_on_and_varies() -> None:
    text = b"the quick brown fox\njumps over the lazy dog\n" * 5
    made = texts.natural(text, 20_000)

    assert len(made) == 20_000
    assert made == texts.natural(text, 20_000)
    assert len(set(made.split())) > 20


def test_rows_say_whether_the_target_is_met() -> None:
    rows = [
        Row("a", "1 s", "2 s", 0.5, 0.4),
        Row("b", "1 s", "2 s", 2.0, 2.0, at_least=True),
        Row("c", "1 s"),
    ]

    assert document("Here", [("T", ("x", "y", "z"), rows)]).splitlines()[4:] == [
        "| case | x | y | z | target | result |",
        "|---|---:|---:|---:|---:|---|",
        "| a | 1 s | 2 s | 0.50 | ≤ 0.4 | **missed** |",
        "| b | 1 s | 2 s | 2.00 | ≥ 2 | met |",
        "| c | 1 s | - | - | - |  |",
    ]
