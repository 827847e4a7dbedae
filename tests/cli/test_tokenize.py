"""What `tokcli tokenize` prints: llama-tokenize's formats, its sources, its quirks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.builders import tiny_spm, tiny_ugm, tiny_wpm
from tests.cli.runner import tokcli, tokcli_process


@pytest.fixture
def prompt(tmp_path: Path) -> Path:
    path = tmp_path / "prompt.txt"
    path.write_bytes(b"How are\n")
    return path


def test_the_default_format_is_llama_tokenizes() -> None:
    run = tokcli("tokenize", "-p", "How are")

    assert run == (b"  2437 -> 'How'\n   389 -> ' are'\n", "", 0)


def test_a_piece_is_printed_up_to_its_first_nul() -> None:
    # Token 188 of GPT-2 is the NUL byte; llama-tokenize prints with printf("%s").
    assert tokcli("tokenize", "--hex", "6100").stdout == b"    64 -> 'a'\n   188 -> ''\n"


def test_bytes_that_are_no_character_are_printed_as_they_are() -> None:
    assert tokcli("tokenize", "é日").stdout == (
        b"  2634 -> '\xc3\xa9'\n 33768 -> '\xe6\x97'\n    98 -> '\xa5'\n"
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--ids"], b"[2437, 389]\n"),
        (["--format", "ids"], b"[2437, 389]\n"),
        (["--ids", "--format", "ids"], b"[2437, 389]\n"),
        (["--ids", "--show-count"], b"[2437, 389]\nTotal number of tokens: 2\n"),
        (["--count"], b"2\n"),
        (["--count", "--show-count"], b"2\n"),
        (["--format", "pieces"], b"How\n are\n"),
        (["--ids", "--no-bos", "--no-parse-special", "--log-disable"], b"[2437, 389]\n"),
    ],
)
def test_formats(arguments: list[str], expected: bytes) -> None:
    assert tokcli("tokenize", "How are", *arguments) == (expected, "", 0)


@pytest.mark.parametrize("format", ["llama", "ids", "pieces", "table"])
def test_no_tokens(format: str) -> None:
    expected = {"llama": "", "ids": "[]\n", "pieces": ""}
    run = tokcli("tokenize", "-p", "", "--format", format)

    assert run.status == 0
    assert run.text == expected.get(format, run.text)


def test_the_table_names_every_token() -> None:
    lines = tokcli("tokenize", "How\\x1b are", "--format", "table").text.splitlines()

    assert [line.split() for line in lines] == [
        ["start", "end", "id", "piece", "bytes", "type"],
        ["0", "3", "2437", "'How'", "486f77", "normal"],
        ["3", "4", "215", "'\\x1b'", "1b", "normal"],
        ["4", "8", "389", "'", "are'", "20617265", "normal"],
    ]


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (["How are\\n"], b""),
        (["-p", "How are\\n"], b""),
        (["--stdin"], b"How are\n"),
        ([], b"How are\n"),
        (["-f", "-"], b"How are\n"),
        (["-f", "prompt.txt"], b""),
        (["--file", "prompt.txt"], b"not read"),
        (["--hex", "486f77 206172\n650A"], b""),
        (["--hex"], b"486F7720617265 0a\n"),
    ],
)
def test_sources(
    arguments: list[str], stdin: bytes, prompt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(prompt.parent)

    assert tokcli("tokenize", "--ids", *arguments, stdin=stdin) == (b"[2437, 389, 198]\n", "", 0)


@pytest.mark.parametrize(
    ("arguments", "ids", "note"),
    [
        (
            ["--stdin", "-f", "prompt.txt", "-p", "a"],
            "[66]",
            "the text comes from --stdin; -f/--file and -p/--prompt are not used",
        ),
        (
            ["-p", "a", "-f", "prompt.txt"],
            "[2437, 389, 198]",
            "the text comes from -f/--file; -p/--prompt is not used",
        ),
        (["b", "-p", "a"], "[64]", "the text comes from -p/--prompt; TEXT is not used"),
    ],
)
def test_of_several_sources_one_is_used_and_said_so(
    arguments: list[str], ids: str, note: str, prompt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(prompt.parent)

    run = tokcli("tokenize", "--ids", *arguments, stdin=b"c")

    assert run == (f"{ids}\n".encode(), f"tokcli: note: {note}\n", 0)


def test_the_last_prompt_counts() -> None:
    assert tokcli("tokenize", "--ids", "-p", "a", "-p", "b").stdout == b"[65]\n"


def test_escapes_in_files_are_processed_and_announced(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(rb"How\n\q\\")

    run = tokcli("tokenize", "--ids", "-f", path)

    assert run.stdout == b"[2437, 198, 59, 80, 59]\n"
    assert run.stderr == (
        f"tokcli: note: {path}: 2 escape sequences were processed (\\n, \\t, \\xHH...), as "
        "llama-tokenize does in files and stdin too; --no-escape leaves them alone\n"
    )
    plain = tokcli("tokenize", "--ids", "-f", path, "--no-escape")
    assert plain == (b"[2437, 59, 77, 59, 80, 6852]\n", "", 0)


def test_escapes_in_arguments_need_no_announcement() -> None:
    assert tokcli("tokenize", "--ids", "-p", r"How\n").stderr == ""
    assert tokcli("tokenize", "--ids", stdin=rb"How\n").stderr.startswith(
        "tokcli: note: stdin: 1 escape sequence was processed"
    )


def test_hex_input_is_not_escaped() -> None:
    run = tokcli("tokenize", "--hex", r"5c6e", "--ids")

    assert run == (b"[59, 77]\n", "", 0)


@pytest.mark.parametrize(
    ("digits", "message"),
    [
        ("48zz", "--hex: 'z' at byte 2 is no hex digit"),
        ("486", "--hex: a byte is two hex digits, and one digit is left over"),
        ("4 8", "--hex: a byte is two hex digits, and one digit is left over"),
        ("é", "--hex: '\\xc3' at byte 0 is no hex digit"),
    ],
)
def test_what_is_no_hex_is_named(digits: str, message: str) -> None:
    assert tokcli("tokenize", "--hex", digits) == (b"", f"tokcli: error: {message}\n", 2)


def test_special_tokens_are_asked_for_as_llama_tokenize_asks(tmp_path: Path) -> None:
    spm = tiny_spm(tmp_path / "spm.gguf")
    first = tokcli("tokenize", "-m", spm, "-p", "ab")

    assert first.text.splitlines()[0] == "     1 -> '<s>'"
    assert tokcli("tokenize", "-m", spm, "-p", "ab", "--no-special").text == "".join(
        first.text.splitlines(keepends=True)[1:]
    )
    assert tokcli("tokenize", "-m", spm, "-p", "ab", "--add-special").stdout == first.stdout


def test_a_vocabulary_that_adds_eos_but_no_bos_is_announced(tmp_path: Path) -> None:
    ugm = tiny_ugm(tmp_path / "ugm.gguf", add_bos_token=False, add_eos_token=True)
    eos = "</s>"

    plain = tokcli("tokenize", "-m", ugm, "-p", "a")
    asked = tokcli("tokenize", "-m", ugm, "-p", "a", "--add-special")

    assert eos not in plain.text
    assert plain.stderr.startswith("tokcli: note: no EOS is added: like llama-tokenize")
    assert asked.text.splitlines()[-1].endswith(f"-> '{eos}'")
    assert asked.stderr == ""
    quiet = ["--no-special"], ["--log-disable"], ["--log-verbosity", "2"], ["--no-bos"]
    assert [tokcli("tokenize", "-m", ugm, "-p", "a", *args).stderr for args in quiet] == [""] * 4


def test_wpm_without_bos_is_announced(tmp_path: Path) -> None:
    wpm = tiny_wpm(tmp_path / "wpm.gguf", add_bos_token=False)

    assert "no BOS and SEP are added" in tokcli("tokenize", "-m", wpm, "-p", "a").stderr


def test_overrides_take_the_place_of_the_files_keys(tmp_path: Path) -> None:
    spm = tiny_spm(tmp_path / "spm.gguf")
    override = "tokenizer.ggml.add_bos_token=bool:false"

    assert "<s>" in tokcli("tokenize", "-m", spm, "-p", "a").text
    assert "<s>" not in tokcli("tokenize", "-m", spm, "-p", "a", "--override-kv", override).text


def test_an_override_of_another_type_is_left_out_with_a_warning(tmp_path: Path) -> None:
    spm = tiny_spm(tmp_path / "spm.gguf")
    wrong = ("--override-kv", "tokenizer.ggml.add_bos_token=int:0")
    run = tokcli("tokenize", "-m", spm, "-p", "a", *wrong)

    assert ("<s>" in run.text, run.status) == (True, 0)
    assert run.stderr.startswith(
        "tokcli: warning: --override-kv gives tokenizer.ggml.add_bos_token"
    )
    assert tokcli("tokenize", "-m", spm, "-p", "a", *wrong, "--log-disable").stderr == ""
    assert tokcli("tokenize", "-m", spm, "-p", "a", *wrong, "--strict").status == 1


def test_pre_names_another_pre_tokenizer() -> None:
    assert tokcli("tokenize", "12345", "--ids", "--pre", "qwen2").stdout == (
        b"[16, 17, 18, 19, 20]\n"
    )
    run = tokcli("tokenize", "12345", "--pre", "qwen")
    assert (run.status, run.stdout) == (2, b"")
    assert "--pre qwen: llama.cpp has no pre-tokenizer of that name; near it: qwen" in run.stderr


def test_arguments_are_bytes() -> None:
    run = tokcli_process("tokenize", "--ids", "-p", b"a\xff")

    assert (run.stdout, run.status) == (b"[64, 4210]\n", 0)
    assert run.stderr.count("\n") == 1
    assert "replaced-bytes" in run.stderr


def test_stdin_is_bytes() -> None:
    run = tokcli_process("tokenize", "--ids", "--stdin", stdin=b"\x00a\xff\r\n")

    assert (run.stdout, run.status) == (b"[188, 64, 4210, 201, 198]\n", 0)
    assert "first: byte 2 of the input, 0xff" in run.stderr


def test_the_real_program_prints_exact_bytes() -> None:
    run = tokcli_process("tokenize", "--stdin", stdin="é日\r\n".encode())

    assert run == (
        b"  2634 -> '\xc3\xa9'\n 33768 -> '\xe6\x97'\n    98 -> '\xa5'\n   201 -> '\r'\n"
        b"   198 -> '\n'\n",
        "",
        0,
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ids", "--count"], "--ids and --count ask for different outputs; choose one"),
        (["--ids", "--format", "json"], "--ids and --format json ask for different outputs"),
        (["--truncate", "1", "--count"], "--count and --truncate ask for different outputs"),
        (["--format", "xml"], "--format xml: not one of llama, ids, json, jsonl, table, pieces"),
        (["--add-special", "--no-bos"], "--add-special asks for what the vocabulary adds"),
        (["--max-tokens", "-1"], "--max-tokens -1: a number of tokens is 0 or more"),
        (["--lines", "--format", "llama"], "--lines gives one result a line, and --format llama"),
        (["--truncate", "1", "--max-tokens", "2"], "--truncate makes the text fit"),
        (["-f", "a", "-f", "b", "--truncate", "1"], "--truncate takes one input"),
        (["--override-kv", "a"], "--override-kv a: not of the form KEY=TYPE:VALUE"),
    ],
)
def test_what_cannot_be_meant_is_refused(arguments: list[str], message: str) -> None:
    run = tokcli("tokenize", "-p", "x", *arguments)

    assert (run.stdout, run.status) == (b"", 2)
    assert run.stderr.startswith("tokcli: error: ")
    assert message in run.stderr


def test_a_missing_file_is_status_3(tmp_path: Path) -> None:
    path = tmp_path / "missing"

    assert tokcli("tokenize", "-f", path) == (
        b"",
        f"tokcli: error: cannot use {path}: {os.strerror(2)}\n",
        3,
    )
