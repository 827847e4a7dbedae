from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tokcli as engine
from tests import builders
from tests.cli.runner import command_line, environ, tokcli
from tests.cli.terminal import on_terminal
from tokcli.text.byte_escapes import unescape

COLUMNS = "id piece bytes raw score type attributes roles".split()


def tsv(*arguments: str | Path) -> list[dict[str, str]]:
    run = tokcli("dump-vocab", "--format", "tsv", *arguments)
    assert run.status == 0, run.stderr
    header, *lines = run.text.removesuffix("\n").split("\n")
    assert header.split("\t") == COLUMNS
    return [dict(zip(COLUMNS, line.split("\t"), strict=True)) for line in lines]


def jsonl(*arguments: str | Path) -> list[dict[str, Any]]:
    run = tokcli("dump-vocab", "--format", "jsonl", *arguments)
    assert run.status == 0, run.stderr
    return [json.loads(line) for line in run.text.removesuffix("\n").split("\n")]


def test_the_table_of_the_built_in_vocabulary() -> None:
    run = tokcli("dump-vocab", "--id", "389,198,50256")

    assert (run.status, run.stderr) == (0, "")
    assert [line.split() for line in run.text.splitlines()] == [
        ["id", "piece", "bytes", "raw", "type", "attributes", "roles"],
        ["389", "'", "are'", "20617265", "Ġare", "normal"],
        ["198", "'\\n'", "0a", "Ċ", "normal"],
        ["50256", "'<|endoftext|>'", "3c7c656e646f66746578747c3e", "<|endoftext|>", "control",
         "BOS,EOS,EOT,EOG"],
    ]  # fmt: skip


def test_tsv_of_one_token() -> None:
    run = tokcli("dump-vocab", "--format", "tsv", "--text", " are")

    assert run.text == (
        "id\tpiece\tbytes\traw\tscore\ttype\tattributes\troles\n"
        "389\t are\t20617265\tĠare\t0\tnormal\tnormal\t\n"
    )


def test_json_of_one_token() -> None:
    row = {
        "id": 389, "piece": " are", "bytes": "20617265", "raw": "Ġare", "raw_bytes": "c4a0617265",
        "score": 0, "type": "normal", "attributes": ["normal"], "roles": [],
    }  # fmt: skip

    assert jsonl("--id", "389") == [row]
    assert json.loads(tokcli("dump-vocab", "--format", "json", "--id", "389").text) == [row]


def test_every_token_of_every_type_is_exact(tiny_vocabularies: dict[str, Path]) -> None:
    for name, path in tiny_vocabularies.items():
        tok = engine.load(path)
        rows = list(zip(tsv("-m", path), jsonl("-m", path), strict=True))
        assert len(rows) == len(tok.vocab), name
        for id, (line, found) in enumerate(rows):
            piece, raw = tok.piece(id), tok.vocab.raw_texts[id]
            assert int(line["id"]) == found["id"] == id
            assert unescape(line["piece"]) == bytes.fromhex(line["bytes"]) == piece
            assert unescape(line["raw"]) == raw
            assert bytes.fromhex(found["bytes"]) == piece
            assert bytes.fromhex(found["raw_bytes"]) == raw
            assert found["piece"] == _text(piece)
            assert found["raw"] == _text(raw)
            assert line["roles"] == ",".join(found["roles"])


def _text(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def test_json_and_jsonl_say_the_same(tiny_vocabularies: dict[str, Path]) -> None:
    path = tiny_vocabularies["plamo2"]
    run = tokcli("dump-vocab", "--format", "json", "-m", path)

    assert json.loads(run.text) == jsonl("-m", path)
    # A score of minus infinity, which JSON has no number for.
    assert [row["score"] for row in jsonl("-m", path, "--text", "never")] == ["-inf"]


def test_an_empty_array_is_still_json() -> None:
    run = tokcli("dump-vocab", "--format", "json", "--text", "no such token")

    assert (run.text, run.status) == ("[]\n", 1)
    assert run.stderr == "tokcli: note: no token passes these filters\n"


# What spm_export_vocab of sentencepiece 0.2.3 prints for such a model.
SPM_VOCAB = "<unk>\t0\n<s>\t0\n</s>\t0\n▁a\t-1.5\n<0x0A>\t-1e+06\n\\\t-2.09868\nb\t1.23457e-07\n"
SPM_SYMS = "<unk>\t0\n<s>\t1\n</s>\t2\n▁a\t3\n<0x0A>\t4\n\\\t5\nb\t6\n"


@pytest.mark.parametrize(("format", "text"), [("spm-vocab", SPM_VOCAB), ("spm-syms", SPM_SYMS)])
def test_writes_what_sentencepiece_writes(tmp_path: Path, format: str, text: str) -> None:
    path = builders.write_vocab(
        tmp_path / "s.gguf",
        model="llama",
        tokens=["<unk>", "<s>", "</s>", "▁a", "<0x0A>", "\\", "b"],
        types=[2, 3, 3, 1, 6, 1, 1],
        scores=[0.0, 0.0, 0.0, -1.5, -1e6, -2.0986785888671875, 1.2345678e-07],
    )

    assert tokcli("dump-vocab", "-m", path, "--format", format).text == text


@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        (["--id", "5,0-2"], [5, 0, 1, 2]),
        (["--id", "50255-"], [50255, 50256]),
        (["--type", "control"], [50256]),
        (["--type", "3,byte"], [50256]),
        (["--special"], [50256]),
        (["--match", "^ are$"], [389]),
        (["--match", "^Ġare$"], [389]),
        (["--match", r"^\p{Greek}$", "--limit", "2"], [17394, 26180]),
        (["--text", "Ġare"], [389]),
        (["--id", "0-400", "--match", "^ a", "--limit", "2"], [257, 281]),
    ],
)
def test_filters(arguments: list[str], ids: list[int]) -> None:
    assert [row["id"] for row in jsonl(*arguments)] == ids


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--id", "50257"], "--id: token id 50257 does not exist (0 to 50256)"),
        (["--id", "x"], "--id: 'x' is no number and no range"),
        (["--type", "odd"], "--type: 'odd' is no token type"),
        (["--match", "("], "--match: '(' is no regular expression"),
        (["--format", "xml"], "'xml' is not one of table, tsv, json, jsonl, spm-vocab, spm-syms"),
        (["--limit", "-1"], "--limit"),
    ],
)
def test_usage_errors(arguments: list[str], message: str) -> None:
    run = tokcli("dump-vocab", *arguments)

    assert (run.status, run.stdout) == (2, b"")
    assert message in run.stderr
    assert run.stderr.count("\n") == 1


def test_nothing_to_show_because_of_the_limit_is_fine() -> None:
    assert tokcli("dump-vocab", "--format", "tsv", "--limit", "0").status == 0


def test_piped_lines_are_neither_wrapped_nor_coloured(tmp_path: Path) -> None:
    path = builders.write_vocab(
        tmp_path / "l.gguf",
        model="rwkv",
        tokens=["<s>", "x" * 500, "[red]a[/red]"],
        types=[3, 1, 1],
    )
    lines = tokcli("dump-vocab", "-m", path).text.splitlines()

    assert len(lines) == 4
    assert f"'{'x' * 500}'" in lines[2]
    assert "'[red]a[/red]'" in lines[3]
    assert "\x1b[" in tokcli("dump-vocab", "--color", "always", "-m", path).text


def test_a_terminal_shows_tokens_as_text_and_obeys_none(tmp_path: Path) -> None:
    path = builders.write_vocab(
        tmp_path / "t.gguf",
        model="llama",
        tokens=["<unk>", "<s>", "</s>", "[/INST]", "[red]x", "\x1b[31mred", "\x9b31m", "日本"],
        types=[2, 3, 3, 1, 1, 1, 1, 1],
    )
    shown = on_terminal(80, "dump-vocab", "--color", "never", "-m", path)

    assert "'[/INST]'" in shown
    assert "'[red]x'" in shown
    assert r"'\x1b[31mred'" in shown
    assert r"'\xc2\x9b31m'" in shown
    assert "\x1b" not in shown
    assert "\x9b" not in shown
    for format in ("json", "jsonl", "tsv"):
        shown = on_terminal(80, "dump-vocab", "--format", format, "-m", path)
        assert "\x1b" not in shown
        assert "\x9b" not in shown


def test_head_gets_its_lines_and_the_rest_ends_quietly() -> None:
    with subprocess.Popen(
        command_line("dump-vocab", "--format", "tsv"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ(),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"id\t")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_real_vocabularies_are_exact(conformance: Path) -> None:
    for path in sorted((conformance / "vocabs").glob("*.gguf")):
        tok = engine.load(path)
        ids = ",".join(map(str, range(0, len(tok.vocab), 211)))
        for line in tsv("-m", path, "--id", ids):
            id = int(line["id"])
            assert bytes.fromhex(line["bytes"]) == unescape(line["piece"]) == tok.piece(id)
            assert unescape(line["raw"]) == tok.vocab.raw_texts[id]


def test_works_where_stdout_is_not_utf_8() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tokcli", "dump-vocab", "--text", " are"],
        capture_output=True,
        env=environ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}),
        cwd=os.getcwd(),
    )

    assert done.returncode == 0
    assert "Ġare".encode() in done.stdout
