"""The command lines that findings print, run."""

from __future__ import annotations

import builtins
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from gguf.scripts import gguf_convert_endian, gguf_new_metadata

from tests.check.builders import CASES, CHATML
from tests.check.test_rules import found
from tokcli.check.finding import Finding, Repair
from tokcli.gguf_metadata import read_metadata
from tokcli.render.check_text import command_line

TOOLS = {"gguf-new-metadata": gguf_new_metadata, "gguf-convert-endian": gguf_convert_endian}
# What the reader puts in for a placeholder.
TOKENS = {
    "TOK401": "</s>",
    "TOK402": "<|im_end|>",
    "TOK403": "</s>",
    "TOK404": "[SEP]",
    "TOK405": "<s>",
    "TOK407": "[UNK]",
    "TOK509": "<|endoftext|>",
    "TOK511": "<s>",
}
# Files without a command: their arrays are wrong, or nothing is.
WITHOUT = {
    *("TOK104 TOK105 TOK107 TOK108 TOK110 TOK115 TOK116 TOK117 TOK118 TOK119 TOK199".split()),
    *(id for id in CASES if id[:4] in ("TOK2", "TOK3")),
    *("TOK506 TOK507 TOK512 TOK513 TOK514 TOK510 TOK515".split()),
}


def tripped(rule_id: str, path: Path) -> list[Finding]:
    return [finding for finding in found(path, CASES[rule_id]) if finding.rule_id == rule_id]


def run(command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", list(command))
    monkeypatch.setattr(builtins, "input", lambda _: "YES")
    TOOLS[command[0]].main()


@pytest.mark.parametrize("rule_id", sorted(CASES.keys() - WITHOUT))
def test_the_command_mends_the_file(
    rule_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = CASES[rule_id].trips(tmp_path / "model.gguf")
    finding = tripped(rule_id, path)[-1]
    assert finding.repair.command is not None
    template = tmp_path / "fixed.jinja"
    template.write_text(CHATML)
    values = {
        "NAME": "gpt-2",
        "TOKEN": TOKENS.get(rule_id, ""),
        "TEMPLATE.jinja": str(template),
    }
    assert set(finding.repair.placeholders) <= set(values)
    command = tuple(values.get(word, word) for word in finding.repair.command)
    run(command, monkeypatch)

    mended = Path(command[-1] if command[0] == "gguf-new-metadata" else command[1])
    assert mended.parent == tmp_path
    assert tripped(rule_id, mended) == []


@pytest.mark.parametrize("rule_id", sorted(WITHOUT))
def test_no_command_is_made_up(rule_id: str, tmp_path: Path) -> None:
    (finding, *_) = tripped(rule_id, CASES[rule_id].trips(tmp_path / "model.gguf"))

    assert finding.repair.command is None


def test_as_it_is_typed_into_a_shell(tmp_path: Path) -> None:
    path = CASES["TOK102"].trips(tmp_path / "my model.gguf")
    (finding,) = tripped("TOK102", path)
    command = finding.repair.command
    assert command is not None
    assert command[1:3] == ("--pre-tokenizer", "llama-bpe")
    script = Path(sys.executable).parent / command[0]
    if not script.exists():
        pytest.skip("gguf's scripts are not beside this Python")
    subprocess.run([script, *command[1:]], check=True, capture_output=True)

    mended = tmp_path / "my model-fixed.gguf"
    assert read_metadata(mended).text("tokenizer.ggml.pre") == "llama-bpe"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain.gguf", "plain.gguf"),
        ("my 'own'.gguf", "'my '\"'\"'own'\"'\"'.gguf'"),
        ("a\x1b1\n'\\\udcff\u200b日 .gguf", r"$'a\0331\n\'\\\377\342\200\213日 .gguf'"),
    ],
)
def test_names_can_be_pasted_into_a_shell(name: str, shown: str) -> None:
    repair = Repair("", ("gguf-new-metadata", name))
    line = command_line(Finding("TOK102", "missing-pre", "error", "", (), repair))

    assert line == f"gguf-new-metadata {shown}"
    bash = shutil.which("bash")
    if bash is not None and os.name == "posix":
        read = subprocess.run([bash, "-c", f"printf %s {shown}"], capture_output=True)
        assert read.stdout == os.fsencode(name)
