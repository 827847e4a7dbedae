"""JSON, budgets and warnings of `tokcli tokenize`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import tiny_bpe, tiny_spm
from tests.cli.runner import tokcli


def test_json_of_a_text() -> None:
    run = tokcli("tokenize", "--format", "json", "How日")

    assert json.loads(run.text) == {
        "model": "built-in GPT-2",
        "settings": {
            "add_special": False,
            "parse_special": True,
            "escape": True,
            "type": "BPE",
            "pre": "gpt-2",
        },
        "count": 3,
        "tokens": [
            {"id": 2437, "piece": "How", "bytes": "486f77", "type": "normal", "start": 0, "end": 3},
            {"id": 33768, "piece": None, "bytes": "e697", "type": "normal", "start": 3, "end": 5},
            {"id": 98, "piece": None, "bytes": "a5", "type": "normal", "start": 5, "end": 6},
        ],
        "warnings": [],
    }
    jsonl = tokcli("tokenize", "--format", "jsonl", "How日")
    assert jsonl.text.count("\n") == 1
    assert json.loads(jsonl.text) == json.loads(run.text)


def test_json_of_special_tokens(tmp_path: Path) -> None:
    spm = tiny_spm(tmp_path / "spm.gguf")
    run = tokcli("tokenize", "--format", "json", "-m", spm, "-p", "<s>a\\n", "--no-parse-special")

    document = json.loads(run.text)
    assert document["model"] == str(spm)
    assert document["settings"]["add_special"] is True
    assert document["tokens"][0] == {
        "id": 1, "piece": "<s>", "bytes": "3c733e", "type": "control", "start": None, "end": None
    }  # fmt: skip
    assert [warning["code"] for warning in document["warnings"]] == ["special-as-text"]
    # Offsets are into the text after its escapes were processed.
    assert document["tokens"][-1]["end"] == 5


def test_json_sends_nothing_raw_to_a_terminal() -> None:
    text = tokcli("tokenize", "--format", "jsonl", "a\x1b[31m\x7f\u009b\u202e\u2028").text

    assert [char for char in text[:-1] if not char.isprintable()] == []
    pieces = [token["bytes"] for token in json.loads(text)["tokens"]]
    assert bytes.fromhex("".join(pieces)).decode() == "a\x1b[31m\x7f\u009b\u202e\u2028"


@pytest.mark.parametrize(
    ("text", "limit", "finding"),
    [
        ("How are", "2", None),
        ("How are", "1", "2 tokens, 1 over the limit of --max-tokens 1"),
        ("How are", "0", "2 tokens, 2 over the limit of --max-tokens 0"),
        ("How", "0", "1 token, 1 over the limit of --max-tokens 0"),
    ],
)
def test_a_budget(text: str, limit: str, finding: str | None) -> None:
    run = tokcli("tokenize", text, "--ids", "--max-tokens", limit)

    assert json.loads(run.text) == [2437, 389][: len(text.split())]
    assert run.status == (0 if finding is None else 1)
    assert run.stderr == ("" if finding is None else f"tokcli: error: {finding}\n")


@pytest.mark.parametrize("option", ["--no-bos", "--no-special"])
def test_a_missing_bos_names_what_leaves_it_out(option: str) -> None:
    adds_bos = ("--override-kv", "tokenizer.ggml.add_bos_token=bool:true")
    run = tokcli("tokenize", "How", "--ids", "--strict", *adds_bos, option)

    assert run.status == 1
    assert "leave out --no-bos and --no-special, or begin the text with it" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "stdout"),
    [
        (["How are you", "--truncate", "2"], b"How are"),
        (["How are you", "--truncate", "9"], b"How are you"),
        (["How are you", "--truncate", "0"], b""),
        (["日", "--truncate", "1"], b""),
        (["日", "--truncate", "2"], "日".encode()),
        (["a\\nb", "--truncate", "2"], b"a\n"),
        (["--hex", "ff0061", "--truncate", "2", "--log-disable"], b"\xff\x00"),
    ],
)
def test_truncate_prints_a_prefix(arguments: list[str], stdout: bytes) -> None:
    assert tokcli("tokenize", *arguments) == (stdout, "", 0)


def test_truncate_by_line() -> None:
    run = tokcli("tokenize", "--lines", "--truncate", "1", stdin=b"How are\n\nare you\n")

    assert run.stdout == b"How\n\nare\n"


def test_truncate_counts_what_is_added(tmp_path: Path) -> None:
    spm = tiny_spm(tmp_path / "spm.gguf")

    run = tokcli("tokenize", "-m", spm, "-p", "ab", "--truncate", "0")

    assert run.status == 2
    assert "the special tokens alone are 1" in run.stderr
    assert tokcli("tokenize", "-m", spm, "-p", "ab", "--truncate", "1").stdout == b""


def test_truncate_warns_about_what_it_prints(tmp_path: Path) -> None:
    spm = tiny_spm(tmp_path / "spm.gguf")
    run = tokcli("tokenize", "-m", spm, "-p", "<s>ab ab", "--truncate", "3", "--strict")

    assert run.status == 1
    assert "[double-bos]" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["-p", "<s>ab"], "double-bos"),
        (["-p", "ab", "--no-bos"], "no-bos"),
        (["-p", "<s>ab", "--no-parse-special"], "special-as-text"),
    ],
)
def test_warnings_and_strict(arguments: list[str], code: str, tmp_path: Path) -> None:
    spm = tiny_spm(tmp_path / "spm.gguf")

    plain = tokcli("tokenize", "-m", spm, *arguments)
    strict = tokcli("tokenize", "-m", spm, *arguments, "--strict")
    silent = tokcli("tokenize", "-m", spm, *arguments, "--strict", "--log-disable")

    assert plain.status == 0
    assert plain.stderr.startswith("tokcli: warning: ")
    assert plain.stderr.endswith(f"[{code}]\n")
    assert (strict.stdout, strict.stderr, strict.status) == (plain.stdout, plain.stderr, 1)
    assert (silent.stdout, silent.stderr, silent.status) == (plain.stdout, "", 1)


def test_a_double_eos_is_warned_about(tmp_path: Path) -> None:
    spm = tiny_spm(tmp_path / "spm.gguf", add_eos_token=True)

    assert "[double-eos]" in tokcli("tokenize", "-m", spm, "-p", "ab</s>").stderr


def test_a_missing_pre_tokenizer_is_warned_about(tmp_path: Path) -> None:
    bpe = tiny_bpe(tmp_path / "bpe.gguf", pre=None)

    run = tokcli("tokenize", "-m", bpe, "--lines", stdin=b"a\nb\n")

    assert run.stderr.count("[missing-pre]") == 1
    assert tokcli("tokenize", "-m", bpe, "-p", "a", "--pre", "gpt-2", "--strict").status == 0


def test_a_fine_prompt_passes_strict() -> None:
    assert tokcli("tokenize", "How are", "--strict").status == 0
