from __future__ import annotations

import json
import os
import shutil
import struct
import time
from pathlib import Path

import pytest

from tests import builders
from tests.cli.runner import tokcli
from tests.cli.terminal import on_terminal
from tests.vocabularies import BUILT_IN


def lines(*arguments: str | Path) -> list[list[str]]:
    run = tokcli("inspect", *arguments)
    assert run.status == 0, run.stderr
    return [line.split() for line in run.text.splitlines()]


def test_the_built_in_vocabulary() -> None:
    shown = lines()

    for line in (
        "path built-in GPT-2 vocabulary",
        "model gpt2 (BPE)",
        "pre gpt-2 (key tokenizer.ggml.pre)",
        "tokens 50257: 50256 normal, 1 control",
        "merges 50000",
        "end of generation 50256 '<|endoftext|>'",
        "add_bos false default of BPE",
        "clean_spaces true implied by pre-tokenizer 'gpt-2'",
        "BOS 50256 '<|endoftext|>' key tokenizer.ggml.bos_token_id",
        "EOT 50256 '<|endoftext|>' guessed from token text '<|endoftext|>'",
        "PAD none absent: no key, no default",
        "tokenizer.ggml.merges arr[str] 50000 items: 'Ġ t', 'Ġ a', 'h e', 'i n', ...",
    ):
        assert line.split() in shown
    assert ["general.architecture", "str", "gpt2"] not in shown
    assert ["general.architecture", "str", "gpt2"] in lines("--all")


def test_what_is_out_of_range_or_overridden_is_named(tmp_path: Path) -> None:
    path = builders.tiny_bpe(tmp_path / "b.gguf", eos_token_id=99_999)
    text = tokcli("inspect", "-m", path).text

    assert "tokenizer.ggml.eos_token_id = 99999 is out of range; default of BPE" in text
    assert "llama.cpp keeps the default (11)" in text
    assert "'<|fim_middle|>'  normal            normal,control" in text


def test_overrides_answer_what_if() -> None:
    what_if = ["--pre", "llama-bpe", "--override-kv", "tokenizer.ggml.add_bos_token=bool:true"]
    shown = lines(*what_if)

    assert "add_bos true key tokenizer.ggml.add_bos_token".split() in shown
    assert "ignore_merges true implied by pre-tokenizer 'llama-bpe'".split() in shown


def test_json() -> None:
    found = json.loads(tokcli("inspect", "--format", "json").text)

    assert found["file"]["version"] == 3
    assert found["error"] is None
    tokenizer = found["tokenizer"]
    assert (tokenizer["type"], tokenizer["pre"], tokenizer["merge_count"]) == (
        "BPE",
        "gpt-2",
        50000,
    )
    assert tokenizer["types"] == {"normal": 50256, "control": 1}
    assert tokenizer["special"]["EOT"] == {
        "id": 50256, "text": "<|endoftext|>", "source": "text",
        "detail": "token text '<|endoftext|>'",
    }  # fmt: skip
    assert tokenizer["settings"]["add_bos"] == {
        "value": False, "source": "type", "detail": "default of BPE", "remark": None,
    }  # fmt: skip
    keys = {row["key"]: row for row in found["keys"]}
    assert keys["tokenizer.ggml.merges"]["length"] == 50000
    assert keys["tokenizer.ggml.merges"]["truncated"] is True
    assert keys["tokenizer.ggml.merges"]["value"][:2] == ["Ġ t", "Ġ a"]
    assert keys["tokenizer.ggml.pre"] == {
        "key": "tokenizer.ggml.pre", "type": "str", "value": "gpt-2",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("tokenizer.ggml.pre", b"gpt-2"),
        ("ggml.pre", b"gpt-2"),
        ("pre", b"gpt-2"),
        ("bos_token_id", b"50256\n"),
    ],
)
def test_one_key_for_the_shell(key: str, value: bytes) -> None:
    run = tokcli("inspect", "--key", key)

    assert (run.stdout, run.stderr, run.status) == (value, "", 0)


def test_a_text_is_printed_byte_for_byte(tmp_path: Path) -> None:
    template = "{% if x %}\n\t é \x1b[31m{{ x }}{% endif %}"
    path = builders.tiny_spm(tmp_path / "s.gguf", **{"tokenizer.chat_template": template})

    assert tokcli("inspect", "-m", path, "--key", "chat_template").text == template
    as_json = tokcli("inspect", "-m", path, "--key", "chat_template", "--format", "json")
    assert json.loads(as_json.text) == template
    shown = on_terminal(80, "inspect", "-m", path, "--key", "chat_template")
    assert shown == template.replace("\x1b", r"\x1b").replace("\t", "\t") + "\n"


def test_an_array_is_an_item_a_line(tmp_path: Path) -> None:
    path = builders.write_vocab(
        tmp_path / "a.gguf",
        model="llama",
        tokens=["<unk>", "<s>", "</s>", "a\nb", "\\"],
        scores=[0.0, -0.1, 1e-5, -1000.0, 2.5],
        add_bos_token=True,
    )

    def shown(key: str) -> str:
        return tokcli("inspect", "-m", path, "--key", key).text

    assert shown("tokens") == "<unk>\n<s>\n</s>\na\\nb\n\\\\\n"
    assert shown("scores") == "0\n-0.1\n1e-05\n-1000\n2.5\n"
    assert shown("add_bos_token") == "true\n"


def test_a_key_that_is_not_there() -> None:
    run = tokcli("inspect", "--key", "tokenizer.ggml.prex")

    assert (run.stdout, run.status) == (b"", 1)
    assert run.stderr == (
        "tokcli: note: there is no key tokenizer.ggml.prex; near it: tokenizer.ggml.pre\n"
    )


def test_the_empty_key_is_quoted() -> None:
    run = tokcli("inspect", "--key", "")

    assert run.status == 1
    assert run.stderr.startswith("tokcli: note: there is no key ''; --all lists")


def test_a_broken_tokenizer_still_shows_its_keys(tmp_path: Path) -> None:
    path = builders.tiny_bpe(tmp_path / "b.gguf", merges=None)
    run = tokcli("inspect", "-m", path)
    found = tokcli("inspect", "-m", path, "--format", "json")

    assert run.status == 3
    assert "tokenizer.ggml.tokens" in run.text
    assert run.stderr.startswith("tokcli: error: key tokenizer.ggml.merges is missing")
    assert run.stderr.count("\n") == 1
    assert json.loads(found.text)["tokenizer"] is None
    assert "tokenizer.ggml.merges is missing" in json.loads(found.text)["error"]
    assert tokcli("inspect", "-m", path, "--key", "pre").text == "gpt-2"


def test_a_file_without_a_tokenizer(tmp_path: Path) -> None:
    path = builders.write_vocab(tmp_path / "n.gguf", model=None, tokens=None)  # type: ignore[arg-type]
    run = tokcli("inspect", "-m", path)

    assert run.status == 3
    assert ["general.architecture", "str", "llama"] in map(str.split, run.text.splitlines())
    assert "there is no tokenizer in this file" in run.stderr


def test_a_model_that_says_it_has_no_vocabulary(tmp_path: Path) -> None:
    run = tokcli("inspect", "-m", builders.tiny_none(tmp_path / "n.gguf"))

    assert run.status == 0
    assert "no_vocab (no vocab)" in run.text


def test_what_is_no_gguf_file(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(b"<!DOCTYPE html>")
    run = tokcli("inspect", "-m", path)

    assert (run.stdout, run.status) == (b"", 3)
    assert "not a GGUF file" in run.stderr


def test_a_multi_gigabyte_model_is_instant(tmp_path: Path) -> None:
    path = tmp_path / "big.gguf"
    shutil.copy(BUILT_IN, path)
    path.chmod(0o644)
    with path.open("r+b") as file:
        file.seek(8)
        file.write(struct.pack("<Q", 1000))
    try:
        os.truncate(path, 10 << 30)
    except OSError:
        pytest.skip("no sparse file of 10 GiB can be made here")
    started = time.perf_counter()
    shown = lines("-m", path)

    assert time.perf_counter() - started < 5
    assert "contents 19 keys, 1000 tensors".split() in shown


def test_control_characters_of_a_file_are_shown_visibly(tmp_path: Path) -> None:
    evil = "\x1b]0;title\x07 \u202e"
    path = builders.tiny_spm(
        tmp_path / "e.gguf",
        **{
            "general.name": evil,
            "tokenizer.chat_template": evil,
            "tokenizer.chat_template.\x1bx": "a",
        },
    )
    for arguments in ([], ["--all"], ["--format", "json"], ["--key", "chat_template"]):
        shown = on_terminal(80, "inspect", "--color", "never", "-m", path, *arguments)
        assert "title" in shown
        for char in evil.replace(" ", "").replace("]0;title", ""):
            assert char not in shown


def test_tables_fit_a_narrow_terminal(tmp_path: Path) -> None:
    shown = on_terminal(80, "inspect", "--color", "never", "-m", builders.tiny_wpm(tmp_path / "w"))

    assert max(map(len, shown.splitlines())) <= 80
    assert "bos_token_id" in shown


def test_every_real_vocabulary_can_be_inspected(conformance: Path) -> None:
    for path in sorted((conformance / "vocabs").glob("*.gguf")):
        found = json.loads(tokcli("inspect", "-m", path, "--format", "json").text)
        assert found["tokenizer"]["token_count"] == sum(found["tokenizer"]["types"].values())


def test_broken_files_are_inspected_as_far_as_possible(conformance: Path) -> None:
    expected = json.loads((conformance / "odd" / "expected.json").read_text())
    for name, entry in expected.items():
        run = tokcli("inspect", "-m", conformance / "odd" / name)
        if entry["outcome"] == "loads":
            assert run.status == 0, name
        elif entry["outcome"] == "refused":
            assert run.status == 3, name
        assert run.stderr.count("\n") == (run.status != 0), name
