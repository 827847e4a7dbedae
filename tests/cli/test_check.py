from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.check.builders import CASES, CHATML, HELLO, TEMPLATE, bpe, bpe_plus, spm
from tests.cli.runner import ROOT, environ, tokcli, tokcli_process
from tests.cli.terminal import on_terminal
from tests.vocabularies import BUILT_IN
from tokcli.check.registry import RULES
from tokcli.schemas import load_schema

SARIF: dict[str, Any] = json.loads(
    (ROOT / "tests" / "data" / "sarif-schema-2.1.0.json").read_text("utf-8")
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that commands run in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_healthy_file_is_silent(folder: Path) -> None:
    assert tokcli("check", BUILT_IN) == (b"", "", 0)
    assert tokcli("check", "-m", spm(folder / "s.gguf")) == (b"", "", 0)
    assert tokcli("check", env={"TOKCLI_MODEL": "s.gguf"}) == (b"", "", 0)

    output, message, status = tokcli("check")

    assert (output, status) == (b"", 0)
    assert message == (
        "tokcli: note: no FILE is given, so this is about the built-in GPT-2 vocabulary\n"
    )


def test_an_empty_selection_is_no_selection_of_nothing() -> None:
    output, message, status = tokcli("check", "--select", "")

    assert (output, status) == (b"", 2)
    assert "names no rule" in message


def test_text(folder: Path) -> None:
    bpe_plus(folder / "b.gguf", "raw space", pre=None)
    run = tokcli("check", "b.gguf")

    assert run.text == (
        "b.gguf: error TOK101 missing-pre: tokenizer.ggml.pre is missing: llama.cpp cuts text by "
        "the rules of 'default', which hardly any model was trained with\n"
        "    repair: put in the name that llama.cpp's converter has for this model's tokenizer\n"
        "        gguf-new-metadata --pre-tokenizer NAME b.gguf b-fixed.gguf\n"
        "b.gguf: warning TOK205 outside-byte-alphabet: 1 token of type normal with characters "
        "outside the byte alphabet, so no text becomes one: 271 'raw space'\n"
        "    at tokenizer.ggml.tokens[271] (byte 3058): 'raw space'\n"
        "    repair: ignore this rule if the model's own tokenizer has them so; else convert the "
        "model again with a current convert_hf_to_gguf.py; no tool edits arrays in place\n"
    )
    assert (run.stderr, run.status) == ("", 1)


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("my model.gguf", "'my model.gguf' 'my model-fixed.gguf'"),
        ("-x.gguf", "./-x.gguf ./-x-fixed.gguf"),
        ("- it's.gguf", """'./- it'"'"'s.gguf' './- it'"'"'s-fixed.gguf'"""),
        ("$(id).gguf", "'$(id).gguf' '$(id)-fixed.gguf'"),
    ],
)
def test_a_path_that_a_shell_or_an_option_parser_would_misread(
    name: str, printed: str, folder: Path
) -> None:
    bpe(folder / name, pre=None)

    assert f"gguf-new-metadata --pre-tokenizer NAME {printed}\n" in (
        tokcli("check", "--", name).text
    )


def test_a_big_endian_file_whose_name_begins_with_a_dash(folder: Path) -> None:
    CASES["TOK114"].trips(folder / "-b.gguf")

    assert "gguf-convert-endian ./-b.gguf little\n" in tokcli("check", "--", "-b.gguf").text


def test_colour_only_where_it_is_wanted(folder: Path) -> None:
    bpe(folder / "b.gguf", pre=None)

    assert "\x1b[" not in tokcli("check", "b.gguf").text
    assert "\x1b[1;31merror" in tokcli("check", "b.gguf", "--color", "always").text
    assert "\x1b[1;31merror" in on_terminal(80, "check", folder / "b.gguf")


def test_control_characters_of_a_file_never_reach_the_terminal(folder: Path) -> None:
    bpe_plus(folder / "b.gguf", "a\x1b]0;gotcha\x07", **{"general.\x1b[2J": 1})

    for format in ("text", "json", "sarif", "github"):
        shown = tokcli("check", "b.gguf", "--format", format).text
        assert "\x1b" not in shown
        assert "\x07" not in shown


def test_several_files(folder: Path) -> None:
    bpe(folder / "a.gguf", pre=None)
    bpe(folder / "b.gguf")
    bpe(folder / "c.gguf", pre="default")
    run = tokcli("check", "a.gguf", "b.gguf", "c.gguf")

    heads = [line.split(": ")[0:2] for line in run.text.splitlines() if line[0] != " "]
    assert heads == [
        ["a.gguf", "error TOK101 missing-pre"],
        ["c.gguf", "warning TOK103 default-pre"],
    ]


def test_a_model_beside_files_is_one_of_them(folder: Path) -> None:
    for name in ("a.gguf", "b.gguf"):
        bpe(folder / name, pre=None)
    bpe(folder / "c.gguf", pre="default")

    def checked(*arguments: str, **env: str) -> list[str]:
        run = tokcli("check", *arguments, env=env)
        return [line.partition(":")[0] for line in run.text.splitlines() if line[0] != " "]

    assert checked("-m", "c.gguf", "a.gguf", "b.gguf") == ["c.gguf", "a.gguf", "b.gguf"]
    # The variable stands for what is not said.
    assert checked("a.gguf", TOKCLI_MODEL="c.gguf") == ["a.gguf"]
    assert checked("-m", "b.gguf", "a.gguf", TOKCLI_MODEL="c.gguf") == ["b.gguf", "a.gguf"]


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ([], 0),
        (["--fail-on", "warning"], 1),
        (["--fail-on", "never"], 0),
        (["--fail-on", "warning", "--ignore", "default-pre"], 0),
        (["--fail-on", "warning", "--select", "TOK2"], 0),
        (["--fail-on", "warning", "--select", "TOK2,TOK103"], 1),
    ],
)
def test_statuses_of_a_warning(arguments: list[str], status: int, folder: Path) -> None:
    bpe(folder / "b.gguf", pre="default")

    assert tokcli("check", "b.gguf", *arguments).status == status


def test_a_file_that_cannot_be_read(folder: Path) -> None:
    (folder / "no.gguf").write_bytes(b"<!DOCTYPE html>")
    bpe(folder / "b.gguf", pre=None)
    run = tokcli("check", "no.gguf", "b.gguf", "gone.gguf", "--fail-on", "never")

    assert run.status == 3
    assert "b.gguf: error TOK101" in run.text
    assert run.stderr.splitlines() == [
        "tokcli: error: no.gguf: not a GGUF file: it starts with '<!DO', not 'GGUF'",
        "tokcli: error: cannot read gone.gguf: No such file or directory",
    ]


def test_what_llama_cpp_refuses_is_a_finding(folder: Path) -> None:
    run = tokcli("check", CASES["TOK107"].trips(folder / "s.gguf"))

    assert (run.status, run.stderr) == (1, "")
    assert "TOK107 missing-tokens" in run.text


def test_what_if(folder: Path) -> None:
    bpe(folder / "b.gguf", pre=None)

    assert tokcli("check", "b.gguf", "--pre", "gpt-2") == (b"", "", 0)
    run = tokcli("check", "--override-kv", "tokenizer.ggml.eos_token_id=int:99999")
    assert "TOK401 special-id-out-of-range" in run.text


def test_messages(folder: Path) -> None:
    spm(folder / "s.gguf", **{TEMPLATE: CHATML})
    bad = [{"role": "user", "content": "x<|im_end|>"}]
    arguments = ("check", "s.gguf", "--messages", "-", "--fail-on", "warning")

    assert tokcli(*arguments, stdin=json.dumps(HELLO).encode()) == (b"", "", 0)
    run = tokcli(*arguments, stdin=json.dumps(bad).encode())
    assert run.status == 1
    assert "messages[0].content spells the control token <|im_end|>" in run.text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--select", "TOK9"], "no rule is called 'TOK9'"),
        (["--explain", "missing"], "no rule is called 'missing' (near it: missing-"),
        (["--fail-on", "note"], "'note' is not one of error, warning, never"),
        (["--format", "xml"], "'xml' is not one of text, json, sarif, github"),
    ],
)
def test_usage(arguments: list[str], message: str) -> None:
    run = tokcli("check", *arguments)

    assert (run.status, run.stdout) == (2, b"")
    assert message in run.stderr


def test_explain() -> None:
    by_id = tokcli("check", "--explain", "TOK101")

    assert by_id.status == 0
    assert by_id.text.startswith("# TOK101 missing-pre\n")
    assert by_id == tokcli("check", "--explain", "missing-pre")


def test_list_rules() -> None:
    lines = tokcli("check", "--list-rules").text.splitlines()

    assert [line.split()[0] for line in lines] == [rule.id for rule in RULES]
    assert lines[0].split(maxsplit=3) == [
        "TOK101", "error", "missing-pre", "a BPE vocabulary without tokenizer.ggml.pre",
    ]  # fmt: skip
    assert len(tokcli("check", "--list-rules", "--select", "TOK3").text.splitlines()) == 9


def as_json(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(tokcli("check", "--format", "json", *arguments).text)
    jsonschema.validate(found, load_schema("check"))
    return found


def test_json(folder: Path) -> None:
    bpe_plus(folder / "b.gguf", b"\xff\xfe", pre=None)
    (folder / "no.gguf").write_bytes(b"")
    found = as_json("b.gguf", "no.gguf")

    assert found["summary"] == {"error": 2, "warning": 0, "note": 0, "unreadable": 1}
    assert found["files"][1] == {
        "path": "no.gguf",
        "error": "no.gguf: not a GGUF file: only 0 bytes long",
        "findings": [],
    }
    pre, token = found["files"][0]["findings"]
    assert pre["repair"]["command"] == [
        "gguf-new-metadata", "--pre-tokenizer", "NAME", "b.gguf", "b-fixed.gguf",
    ]  # fmt: skip
    assert pre["repair"]["placeholders"] == ["NAME"]
    assert (token["id"], token["name"], token["severity"]) == (
        "TOK204",
        "invalid-utf8-token",
        "error",
    )
    assert token["evidence"] == [
        {
            "key": "tokenizer.ggml.tokens",
            "index": 271,
            "offset": 3058,
            "line": None,
            "text": None,
            "bytes": "fffe",
        }
    ]


def test_json_of_a_healthy_file() -> None:
    found = as_json()
    assert found["summary"] == {"error": 0, "warning": 0, "note": 0, "unreadable": 0}
    assert found["files"][0]["findings"] == []


@pytest.mark.parametrize("rule_id", CASES)
def test_every_rule_in_json_and_sarif(rule_id: str, folder: Path) -> None:
    case = CASES[rule_id]
    case.trips(folder / "m.gguf")
    arguments = ["m.gguf"]
    if case.messages is not None:
        Path("chat.json").write_text(json.dumps(case.messages))
        arguments += ["--messages", "chat.json"]
    found = as_json(*arguments)["files"][0]["findings"]
    (run,) = as_sarif(*arguments)["runs"]

    assert [result["ruleId"] for result in run["results"]] == [finding["id"] for finding in found]


def as_sarif(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(tokcli("check", "--format", "sarif", *arguments).text)
    jsonschema.Draft4Validator(SARIF).validate(found)
    return found


def test_sarif(folder: Path) -> None:
    (folder / "models 1").mkdir()
    bpe_plus(folder / "models 1" / "b.gguf", "raw space", pre=None)
    path = os.path.join("models 1", "b.gguf")
    (run,) = as_sarif(path)["runs"]

    driver = run["tool"]["driver"]
    assert driver["name"] == "tokcli"
    assert [rule["id"] for rule in driver["rules"]] == [rule.id for rule in RULES]
    assert driver["rules"][0]["name"] == "MissingPre"
    assert driver["rules"][0]["help"]["markdown"].startswith("# TOK101 missing-pre")
    assert run["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]
    pre, token = run["results"]
    assert driver["rules"][token["ruleIndex"]]["id"] == token["ruleId"] == "TOK205"
    assert (pre["level"], token["level"]) == ("error", "warning")
    assert pre["message"]["text"].endswith("'models 1/b.gguf' 'models 1/b-fixed.gguf'")
    (location,) = token["locations"]
    assert location == {
        "physicalLocation": {
            "artifactLocation": {"uri": "models%201/b.gguf"},
            "region": {"startLine": 1, "byteOffset": 3058},
        },
        "logicalLocations": [
            {"fullyQualifiedName": "tokenizer.ggml.tokens[271]", "kind": "member"}
        ],
    }
    assert len(token["partialFingerprints"]["tokcli/v1"]) == 64


def test_sarif_of_what_cannot_be_read_and_of_absolute_paths(folder: Path) -> None:
    (folder / "no.gguf").write_bytes(b"")
    bpe(folder / "é.gguf", pre="default")
    (run,) = as_sarif("no.gguf", str(folder / "é.gguf"), "--select", "TOK103")["runs"]

    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert "only 0 bytes long" in invocation["toolExecutionNotifications"][0]["message"]["text"]
    uri = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == (folder / "é.gguf").as_uri()
    assert len(run["tool"]["driver"]["rules"]) == 1


def test_sarif_of_a_healthy_file() -> None:
    (run,) = as_sarif()["runs"]
    assert run["results"] == []


def test_github(folder: Path) -> None:
    bpe(folder / "a,b.gguf", pre="lama-bpe")
    (folder / "no.gguf").write_bytes(b"")
    run = tokcli("check", "a,b.gguf", "no.gguf", "--format", "github")

    assert run.text == (
        "::error file=a%2Cb.gguf,title=TOK102 unknown-pre::tokenizer.ggml.pre is 'lama-bpe', which "
        "llama.cpp does not know: it refuses the file%0ARepair: write 'llama-bpe'%0A"
        "gguf-new-metadata --pre-tokenizer llama-bpe a,b.gguf a,b-fixed.gguf\n"
        "::error file=no.gguf,title=unreadable::no.gguf: not a GGUF file: only 0 bytes long\n"
    )
    assert tokcli("check", BUILT_IN, "--format", "github") == (b"", "", 0)


def test_as_a_process(folder: Path) -> None:
    bpe(folder / "b.gguf", pre="default")
    run = tokcli_process("check", "b.gguf", "--fail-on", "warning", cwd=folder)

    assert run.status == 1
    assert run.text.startswith("b.gguf: warning TOK103 default-pre: ")


def test_linting_loads_neither_rich_nor_typer() -> None:
    script = (
        "import sys, tokcli.check.run as run\n"
        f"assert run.check_file({str(BUILT_IN)!r}) == ()\n"
        "assert not {'rich', 'typer'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, env=environ())
