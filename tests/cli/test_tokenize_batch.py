"""Several inputs in one run of `tokcli tokenize`: files, lines, totals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import tiny_spm
from tests.cli.runner import Run, tokcli


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a.txt").write_bytes(b"How are\n\nHow")
    (tmp_path / "b.txt").write_bytes(b"are How\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def both(*arguments: str) -> Run:
    return tokcli("tokenize", "-f", "a.txt", "-f", "b.txt", *arguments)


@pytest.mark.usefixtures("folder")
def test_counts_of_files_as_wc_gives_them() -> None:
    assert both("--count").text == "5 a.txt\n3 b.txt\n8 total\n"


@pytest.mark.usefixtures("folder")
def test_each_file_has_its_list() -> None:
    ids = "[2437, 389, 198, 198, 2437]\n[533, 1374, 198]\n"

    assert both("--ids").text == ids
    assert both("--ids", "--show-count").text == f"{ids}Total number of tokens: 8\n"


@pytest.mark.usefixtures("folder")
def test_each_file_has_its_block() -> None:
    assert both("--format", "pieces").text == (
        "==> a.txt: 5 tokens <==\nHow\n are\n\\n\n\\n\nHow\n\n"
        "==> b.txt: 3 tokens <==\nare\n How\n\\n\n\n"
        "Total number of tokens: 8\n"
    )
    table = both("--format", "table").text.splitlines()
    assert [line for line in table if line[:1] in ("=", "T")] == [
        "==> a.txt: 5 tokens <==", "==> b.txt: 3 tokens <==", "Total number of tokens: 8"
    ]  # fmt: skip


@pytest.mark.usefixtures("folder")
def test_each_line_has_its_line() -> None:
    run = both("--lines")

    # The empty line is an input; the line feed at the end of a file begins none.
    assert run.text == "[2437, 389]\n[]\n[2437]\n[533, 1374]\n"
    assert both("--lines", "--count").text == "2\n0\n1\n2\n"
    assert both("--lines", "--format", "pieces").text == "How\t are\n\nHow\nare\t How\n"
    assert tokcli("tokenize", "--lines", stdin=b"How\r\n").text == "[2437, 201]\n"


def test_escapes_do_not_make_lines() -> None:
    assert tokcli("tokenize", "--lines", r"How\n\nHow").text == "[2437, 198, 198, 2437]\n"


def test_each_line_may_be_hex() -> None:
    assert tokcli("tokenize", "--lines", "--hex", stdin=b"61\n62 63\n").text == "[64]\n[15630]\n"


@pytest.mark.usefixtures("folder")
def test_json_of_several_inputs_says_which() -> None:
    document = json.loads(both("--format", "json").text)
    objects = [json.loads(line) for line in both("--format", "jsonl").text.splitlines()]

    assert document["total"] == 8
    assert document["inputs"] == objects
    assert [(item["file"], item["count"]) for item in objects] == [("a.txt", 5), ("b.txt", 3)]
    lines = [json.loads(line) for line in both("--lines", "--format", "jsonl").text.splitlines()]
    assert [(item["file"], item["line"]) for item in lines] == [
        ("a.txt", 1), ("a.txt", 2), ("a.txt", 3), ("b.txt", 1)
    ]  # fmt: skip


def test_json_of_no_input_is_well_formed() -> None:
    assert json.loads(tokcli("tokenize", "--lines", "--format", "json", "").text) == {
        "inputs": [],
        "total": 0,
    }


@pytest.mark.usefixtures("folder")
def test_a_budget_holds_for_each_input() -> None:
    fine = both("--count", "--max-tokens", "5")
    over = both("--count", "--max-tokens", "4")

    assert (fine.status, fine.stderr) == (0, "")
    assert over.status == 1
    assert over.stdout == fine.stdout
    assert over.stderr == ("tokcli: error: a.txt: 5 tokens, 1 over the limit of --max-tokens 4\n")


def test_a_warning_is_told_once_and_counted(tmp_path: Path) -> None:
    spm = tiny_spm(tmp_path / "spm.gguf")
    run = tokcli("tokenize", "-m", spm, "--lines", "--strict", stdin=b"<s>a\na\n<s>b\n<s>\n")

    assert run.status == 1
    first, last = run.stderr.splitlines()
    assert first.startswith("tokcli: warning: stdin:1: the prompt starts with two BOS tokens")
    assert first.endswith(" [double-bos]")
    assert last == "tokcli: warning: 2 more inputs have this warning [double-bos]"


def test_stdin_is_read_once(folder: Path) -> None:
    run = tokcli("tokenize", "--ids", "-f", "-", "-f", "b.txt", stdin=b"How")

    assert run.text == "[2437]\n[533, 1374, 198]\n"
