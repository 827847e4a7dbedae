from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.builders import tiny_spm
from tests.cli.runner import command_line, environ, tokcli, tokcli_process


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (["2437", "389"], b""),
        (["[2437, 389]"], b""),
        (["2437,", "389"], b""),
        ([], b"2437 389"),
        ([], b"2437\n389\n"),
        ([], b"[2437, 389]\n"),
        (["-f", "-"], b"2437 389"),
        (["-f", "ids.txt"], b"1"),
        (["--stream"], b"[2437, 389]\n"),
        (["--stream", "2437", "389"], b""),
        (["--stream", "-f", "ids.txt"], b""),
    ],
)
def test_sources(
    arguments: list[str], stdin: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ids.txt").write_bytes(b"[2437, 389]\n")
    monkeypatch.chdir(tmp_path)

    assert tokcli("detokenize", *arguments, stdin=stdin) == (b"How are", "", 0)


@pytest.mark.parametrize("format", ["ids", "json", "jsonl"])
@pytest.mark.parametrize("stream", [[], ["--stream"]])
def test_the_formats_of_tokenize_are_read(format: str, stream: list[str]) -> None:
    text = "How are\nyou 日本 ' x\x1b".encode()
    tokens = tokcli("tokenize", "--format", format, "--stdin", stdin=text).stdout

    # GPT-2 built in: clean_spaces is on, and takes the spaces around the apostrophe.
    assert tokcli("detokenize", *stream, stdin=tokens).stdout == text.replace(b" ' ", b"'")


@pytest.mark.parametrize("stream", [[], ["--stream"]])
def test_several_results_of_tokenize_are_read(stream: list[str]) -> None:
    lines = b"How\nare\n"
    for format in ("ids", "jsonl", "json"):
        tokens = tokcli("tokenize", "--lines", "--format", format, stdin=lines).stdout

        assert tokcli("detokenize", *stream, stdin=tokens).stdout == b"Howare"


@pytest.mark.parametrize("format", ["ids", "jsonl", "json"])
def test_lines_are_texts_of_their_own(format: str) -> None:
    lines = b"How are\n\nare\n"
    tokens = tokcli("tokenize", "--lines", "--format", format, stdin=lines).stdout

    assert tokcli("detokenize", "--lines", stdin=tokens).stdout == b"How are\n\nare\n"


def test_pieces_are_a_line_each() -> None:
    assert tokcli("detokenize", "--pieces", "2437", "389", "198", "33768", "59").text == (
        "How\n are\n\\n\n\\xe6\\x97\n\\\\\n"
    )


def test_special_tokens(tmp_path: Path) -> None:
    spm = tiny_spm(tmp_path / "spm.gguf")
    ids = tokcli("tokenize", "-m", spm, "-p", "<s>ab", "--ids").text

    def detokenize(*arguments: str) -> bytes:
        return tokcli("detokenize", "-m", spm, *arguments, stdin=ids.encode()).stdout

    assert detokenize() == b"<s><s> ab"
    assert detokenize("--remove-special") == b"<s> ab"
    assert detokenize("--no-unparse-special") == b" ab"
    for arguments in ([], ["--remove-special"], ["--no-unparse-special"]):
        assert detokenize("--stream", *arguments) == detokenize(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["1", "-5"], "-5"),
        (["0x1f"], "item 1, '0x1f', is no token id: a decimal number from 0"),
        (["1", "1.5"], "item 2, '1.5', is no token id: a decimal number from 0"),
        (["1", "junk"], "item 2, 'junk', is no token id: a decimal number from 0"),
        (["50257"], "item 1: token id 50257 is outside the vocabulary (ids 0 to 50256)"),
        (["--pieces", "64", "50257"], "item 2: token id 50257 is outside the vocabulary"),
        (["--stream", "64", "50257"], "item 2: token id 50257 is outside the vocabulary"),
        (["1", "-f", "x"], "ids are given both as arguments and by -f/--file; choose one"),
        (["1", "--pieces", "--lines"], "choose one"),
        (["1", "--pieces", "--remove-special"], "--pieces prints every id"),
    ],
)
def test_what_is_no_id_is_a_usage_error_that_names_it(arguments: list[str], message: str) -> None:
    run = tokcli("detokenize", *arguments)

    assert (run.stdout, run.status) == (b"", 2)
    assert run.stderr.startswith("tokcli: error: ")
    assert message in run.stderr
    assert run.stderr.count("\n") == 1


def test_bytes_that_are_no_text_are_no_ids() -> None:
    assert "'\\xff\\x1b', is no token id" in tokcli("detokenize", stdin=b"\xff\x1b").stderr


@pytest.mark.parametrize("stream", [[], ["--stream"]])
def test_a_round_trip_gives_back_every_byte(stream: list[str]) -> None:
    text = bytes(range(128)) + "é 日本 . ' 's 😀\r\n".encode()
    clean = ["--override-kv", "tokenizer.ggml.clean_spaces=bool:false"]
    tokens = tokcli_process("tokenize", "--stdin", "--no-escape", "--ids", *clean, stdin=text)

    assert tokcli_process("detokenize", *stream, *clean, stdin=tokens.stdout).stdout == text


def test_streaming_prints_before_stdin_ends() -> None:
    with subprocess.Popen(
        command_line("detokenize", "--stream"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environ(),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for ids, text in ((b"[2437,", b"How"), (b" 389, 337", b" are"), (b"68,", b" ")):
            process.stdin.write(ids)
            process.stdin.flush()
            if text != b" ":
                assert process.stdout.read(len(text)) == text
        # The two ids of one character: nothing of it comes before the second.
        process.stdin.write(b"98,")
        process.stdin.flush()
        assert process.stdout.read(3) == "日".encode()
        process.stdin.write(b"]")
        process.stdin.close()
        assert process.stdout.read() == b""
    assert process.returncode == 0


def test_two_files_are_refused_rather_than_one_dropped(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("2437")
    output, message, status = tokcli(
        "detokenize", "-f", str(tmp_path / "a"), "-f", str(tmp_path / "b")
    )

    assert (output, status) == (b"", 2)
    assert "more than once" in message


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ("x", "item 2, 'x', is no token id"),
        ("50257", "item 2: token id 50257 is outside the vocabulary"),
    ],
)
def test_lines_before_a_fault_are_printed_and_its_place_is_named(
    item: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "ids"
    path.write_text(f"64\n65 {item}\n66\n")
    run = tokcli("detokenize", "--lines", "-f", path)

    assert (run.stdout, run.status) == (b"a\n", 2)
    assert f"{path}: line 2: {said}" in run.stderr


def test_the_stream_names_the_item_outside_the_vocabulary() -> None:
    run = tokcli("detokenize", "--stream", stdin=b"64 65\n50257")

    assert (run.stdout, run.status) == (b"ab", 2)
    assert "item 3: token id 50257 is outside the vocabulary" in run.stderr
