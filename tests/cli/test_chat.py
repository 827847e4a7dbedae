from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests import builders
from tests.chat.samples import CHATML, LLAMA_3, MISTRAL, TOOL, TURNS
from tests.cli.runner import Run, tokcli, tokcli_process
from tests.cli.terminal import on_terminal
from tokcli.schemas import load_schema
from tokcli.tokenizer import load

ADD_BOS_OFF = ("--override-kv", "tokenizer.ggml.add_bos_token=bool:false")
TEMPLATE = "tokenizer.chat_template"
PLAIN_BOS = "{{- bos_token }}{{- messages[0].content }}"
# A template for every message that ends with an escape sequence, a bell and a byte order mark.
HOSTILE = "{{- bos_token }}{{- messages[0].content }}\x1b[31m\x07\ufeff"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Files whose vocabulary adds BOS, by the template in them."""
    folder = tmp_path_factory.mktemp("chat")
    templates = {"mistral": MISTRAL, "chatml": CHATML, "plain": PLAIN_BOS, "hostile": HOSTILE}
    return {
        name: builders.tiny_spm(folder / f"{name}.gguf", **{TEMPLATE: template})
        for name, template in templates.items()
    }


@pytest.fixture
def chat_json(tmp_path: Path) -> Path:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(TURNS), encoding="utf-8")
    return path


def as_json(*arguments: str | Path) -> dict[str, Any]:
    run = tokcli("chat", *arguments, "--format", "json")
    told: dict[str, Any] = json.loads(run.text)
    jsonschema.Draft202012Validator(load_schema("chat")).validate(told)
    assert run.status == (1 if told["bos"]["verdict"] == "wrong" else 0)
    return told


def test_a_double_bos_is_shown_and_explained(models: dict[str, Path]) -> None:
    run = tokcli("chat", "-m", models["mistral"], "the")

    assert run.status == 1
    assert run.stderr == ""
    assert run.text.splitlines() == [
        f"Template: tokenizer.chat_template of {models['mistral']}; 1 message",
        "Prompt: 14 tokens with add_special  «a special token»  «+one that the tokenizer adds»",
        "  «+<s>»«<s>» «[INST]» the [/INST]",
        "",
        "BOS: <s> (id 1); the prompt should begin with 1, since add_bos = true (default of SPM)",
        "  WRONG 2 with add_special (a raw prompt: llama-server /completion, llama-tokenize, "
        "llama-cpp-python llm(prompt))",
        "          1. the vocabulary: add_bos = true (default of SPM)",
        "          2. the template, line 1: the text <s>",
        "  right 1 without add_special (transformers apply_chat_template, llama-cpp-python "
        "create_chat_completion)",
        "          1. the template, line 1: the text <s>",
        "  right 1 in llama-server (/v1/chat/completions, and llama-cli)",
        "          takes the BOS off the rendering first",
        "          1. the vocabulary: add_bos = true (default of SPM)",
        "",
        "Findings:",
        "  warning: the template writes [/INST], which is no token of this vocabulary: it becomes "
        "7 pieces of text [marker-not-a-token]",
        "    fix: use the template this model was trained with, or a vocabulary that has the token",
        "",
        "Verdict: DOUBLE BOS with add_special: the vocabulary adds one and the template writes one",
        "  Fix: tokenize with add_special=False: the template writes <s> itself (line 1 of the "
        "template), or run llama.cpp with --override-kv tokenizer.ggml.add_bos_token=bool:false",
    ]


def test_the_fix_that_is_named_helps(models: dict[str, Path]) -> None:
    run = tokcli("chat", "-m", models["plain"], "the", *ADD_BOS_OFF)

    assert run.status == 0
    assert run.text.splitlines()[-1] == "Verdict: right, 1 BOS for every caller"


def test_no_bos_is_as_wrong_as_two(models: dict[str, Path]) -> None:
    chatml = tokcli("chat", "-m", models["chatml"], "the")
    alone = tokcli("chat", "-m", models["chatml"], "the", "--caller", "no_add_special")
    message = "NO BOS without add_special: the template writes none"

    assert chatml.status == 0
    assert "Verdict: right, 1 BOS with add_special and in llama-server" in chatml.text
    assert f"Note: {message}" in chatml.text
    assert alone.status == 1
    assert f"Verdict: {message}" in alone.text
    assert "Fix: tokenize with add_special=True" in alone.text


def test_a_vocabulary_without_bos_asks_for_none(tmp_path: Path) -> None:
    template = tmp_path / "t.jinja"
    template.write_text(CHATML, encoding="utf-8")
    model = builders.tiny_rwkv(tmp_path / "rwkv.gguf", bos_token_id=None)
    told = as_json("-m", model, "--template", template, "hello")

    assert told["bos"]["expected"] == 0
    assert set(told["bos"]["counts"].values()) == {0}


def test_json_says_who_added_each(models: dict[str, Path], chat_json: Path) -> None:
    told = as_json("-m", models["mistral"], "--messages", chat_json)
    bos = told["bos"]

    assert bos["counts"] == {"add_special": 2, "no_add_special": 1, "llama-server": 1}
    assert (bos["id"], bos["text"], bos["expected"], bos["verdict"]) == (1, "<s>", 1, "wrong")
    assert [caller["verdict"] for caller in bos["callers"]] == ["too-many", "right", "right"]
    assert [s["added_by"] for s in bos["callers"][0]["sources"]] == ["vocabulary", "template"]
    assert bos["callers"][2]["dropped"] == ["BOS"]
    assert told["rendered"] == "<s> [INST] 2+2? [/INST] 4</s> [INST]  And 3×3?  [/INST]"
    assert bytes.fromhex(told["rendered_bytes"]).decode() == told["rendered"]
    assert told["ids"] == load(models["mistral"]).tokenize(told["rendered"])
    assert told["count"] == len(told["ids"])
    assert told["messages"] == 3


def test_ids_are_on_one_line_of_the_json(models: dict[str, Path]) -> None:
    text = tokcli("chat", "-m", models["plain"], "the", "--format", "json").text
    assert '\n  "ids": [1, 1, 263],\n' in text


def test_the_tokens_of_each_caller(models: dict[str, Path]) -> None:
    def ids(caller: str) -> str:
        plain = models["plain"]
        return tokcli("chat", "-m", plain, "the", "--format", "ids", "--caller", caller).text

    assert ids("add_special") == "[1, 1, 263]\n"
    assert ids("no_add_special") == "[1, 263]\n"
    assert ids("llama-server") == "[1, 263]\n"


def test_the_prompt_alone_for_pipes(models: dict[str, Path]) -> None:
    run = tokcli("chat", "-m", models["hostile"], "é", "--format", "prompt")
    served = tokcli(
        "chat", "-m", models["hostile"], "é", "--format", "prompt", "--caller", "llama-server"
    )

    assert (
        run.stdout == HOSTILE.replace("{{- bos_token }}{{- messages[0].content }}", "<s>é").encode()
    )
    assert run.status == 1
    assert run.stderr.startswith("tokcli: warning: DOUBLE BOS with add_special: ")
    assert served.stdout == run.stdout[3:]
    assert (served.status, served.stderr) == (0, "")


def test_nothing_raw_reaches_a_reader(models: dict[str, Path]) -> None:
    run = tokcli("chat", "-m", models["hostile"], "a\x1b]0;b\x07")
    told = tokcli("chat", "-m", models["hostile"], "a", "--format", "json")

    assert "  «+<s>»«<s>»a\\x1b]0;b\\x07\\x1b[31m\\x07\\ufeff\n" in run.text
    assert "\x1b" not in run.text + told.text
    assert "\\u001b[31m" in told.text


def test_on_a_terminal_it_is_coloured_and_wrapped(models: dict[str, Path]) -> None:
    shown = on_terminal(60, "chat", "-m", models["hostile"], "the")

    assert "\x1b[31m\x07" not in shown
    assert "«" not in shown
    assert "\x1b[1;37;46m<s>\x1b[0m\x1b[1;37;45m<s>\x1b[0mthe" in shown
    assert "\n\n\x1b[1mBOS:" in shown
    assert "DOUBLE BOS with add_special: the vocabulary adds" in shown


def test_commands_are_not_broken_by_a_narrow_terminal(
    models: dict[str, Path], tmp_path: Path
) -> None:
    model = builders.tiny_spm(tmp_path / "m.gguf", bos_token_id=None, **{TEMPLATE: PLAIN_BOS})
    shown = on_terminal(40, "chat", "-m", models["mistral"], "the", "--color", "never")
    named = on_terminal(
        40, "chat", "-m", model, "the", "--override-kv", "tokenizer.ggml.bos_token_id=int:270",
        "--color", "never",
    )  # fmt: skip

    assert (
        "\n  Fix: tokenize with add_special=False: the template writes <s> itself (line 1 of the "
        "template), or run llama.cpp with --override-kv tokenizer.ggml.add_bos_token=bool:false\n"
    ) in shown
    assert (
        "\n    fix: gguf-new-metadata --special-token bos '<TOKEN>' IN.gguf OUT.gguf\n"
    ) in named
    # Everything else is wrapped.
    assert max(map(len, (line for line in shown.splitlines() if "ix:" not in line))) <= 40


def test_colour_can_be_asked_for_and_forbidden(models: dict[str, Path]) -> None:
    always = tokcli("chat", "-m", models["plain"], "the", "--color", "always").text
    forbidden = on_terminal(60, "chat", "-m", models["plain"], "the", "--color", "never")

    assert "\x1b[1;31mWRONG" in always
    assert "\x1b" not in forbidden
    assert "«+<s>»«<s>»the" in forbidden


def test_every_line_feed_is_seen(models: dict[str, Path]) -> None:
    run = tokcli("chat", "-m", models["plain"], "a\n\nb\n")
    assert run.text.splitlines()[2:5] == ["  «+<s>»«<s>»a\\n", "  \\n", "  b\\n"]


def test_what_the_tokenizer_adds_at_the_end_is_seen(tmp_path: Path) -> None:
    model = builders.tiny_spm(tmp_path / "m.gguf", add_eos_token=True, **{TEMPLATE: CHATML})
    run = tokcli("chat", "-m", model, "the", "--strict")

    assert "  «+</s>»\n" in run.text
    assert "[eos-after-prompt]" in run.text
    assert run.status == 1


def test_strict_heeds_all_findings(models: dict[str, Path]) -> None:
    spelled = ("chat", "-m", models["plain"], "the <|endoftext|>", *ADD_BOS_OFF)

    assert tokcli(*spelled).status == 0
    assert tokcli(*spelled, "--strict").status == 1
    assert "messages[0].content spells the control token <|endoftext|>" in tokcli(*spelled).text


def test_thousands_of_control_tokens_in_a_message_take_no_time(models: dict[str, Path]) -> None:
    started = time.process_time()
    told = as_json("-m", models["mistral"], "[INST]</s>" * 15_000)

    assert time.process_time() - started < 10  # 0.7 on a machine that is not busy
    spelled = [f for f in told["findings"] if f["code"] == "control-in-message"]
    assert [len(finding["evidence"]["bytes"]) for finding in spelled] == [15_000, 15_000]


def test_a_bos_in_a_message_is_the_messages(models: dict[str, Path]) -> None:
    told = as_json(
        "-m", models["chatml"], "--template", _template(models, "{{ messages[0].content }}"), "<s>a"
    )
    sources = told["bos"]["callers"][1]["sources"]

    assert [(source["added_by"], source["detail"]) for source in sources] == [
        ("message", "messages[0].content")
    ]


def _template(models: dict[str, Path], text: str) -> Path:
    path = models["plain"].with_suffix(".jinja")
    path.write_text(text, encoding="utf-8")
    return path


def test_named_templates_and_tools(tmp_path: Path) -> None:
    tool_use = "{{ tools | length }} tools"
    model = builders.tiny_spm(
        tmp_path / "m.gguf",
        **{TEMPLATE: "none", f"{TEMPLATE}.tool_use": tool_use, f"{TEMPLATE}.rag": "rag"},
    )
    tools = tmp_path / "tools.json"
    tools.write_text(json.dumps([TOOL, TOOL]), encoding="utf-8")

    def prompt(*arguments: str | Path) -> str:
        run = tokcli("chat", "-m", model, "hi", "--format", "prompt", *arguments)
        assert run.status == 0, run.stderr
        return run.text

    assert prompt() == "none"
    assert prompt("--template-name", "rag") == "rag"
    assert prompt("--tools", tools) == "2 tools"
    assert as_json("-m", model, "hi", "--tools", tools)["template"] == {
        "name": "tool_use",
        "key": f"{TEMPLATE}.tool_use",
    }
    unknown = tokcli("chat", "-m", model, "hi", "--template-name", "nope")
    assert unknown.status == 3
    assert "choose one of default, tool_use, rag" in unknown.stderr


def test_options_reach_the_template(models: dict[str, Path], tmp_path: Path) -> None:
    template = _template(models, "{{ add_generation_prompt }} {{ mode | default('unset') }}")
    body = tmp_path / "body.json"
    request = {
        "model": "m",
        "messages": TURNS,
        "add_generation_prompt": False,
        "chat_template_kwargs": {"mode": "theirs"},
    }
    body.write_text(json.dumps(request), encoding="utf-8")

    def prompt(*arguments: str | Path) -> str:
        given = ("chat", "-m", models["chatml"], "--template", template, *arguments)
        return tokcli(*given, "--format", "prompt").text

    noted = tokcli("chat", "-m", models["chatml"], "--template", template, "--messages", body)
    assert noted.stderr == "tokcli: note: these keys of the request are not used: model\n"
    assert prompt("hi") == "True unset"
    assert prompt("hi", "--no-generation-prompt") == "False unset"
    assert prompt("--messages", body) == "False theirs"
    assert prompt("--messages", body, "--add-generation-prompt") == "True theirs"
    assert prompt("--messages", body, "--chat-template-kwargs", '{"mode": "ours"}') == "False ours"


def test_messages_from_stdin(models: dict[str, Path], chat_json: Path) -> None:
    arguments = ("chat", "-m", models["mistral"], "--format", "prompt", "--messages")
    piped = tokcli(*arguments, "-", stdin=chat_json.read_bytes())

    assert piped.stdout == tokcli(*arguments, chat_json).stdout
    assert piped.text.startswith("<s> [INST] 2+2? [/INST] 4</s>")


def test_the_built_in_vocabulary_needs_a_template(models: dict[str, Path]) -> None:
    run = tokcli("chat", "Hi")
    given = as_json("--template", _template(models, LLAMA_3), "Hi")

    assert run.status == 3
    assert run.stderr == (
        "tokcli: error: the built-in GPT-2 vocabulary has no chat template: name a model with -m, "
        "or give a template with --template FILE\n"
    )
    assert given["bos"]["counts"] == {"add_special": 1, "no_add_special": 1, "llama-server": 1}
    assert given["rendered"].startswith("<|endoftext|><|start_header_id|>system")


def failed(*arguments: str | Path, stdin: bytes = b"") -> tuple[int, str]:
    run = tokcli("chat", *arguments, stdin=stdin)
    assert run.stdout == b""
    assert run.stderr.count("\n") == 1
    return run.status, run.stderr.removeprefix("tokcli: error: ").rstrip("\n")


def test_errors_say_what_where_and_what_to_do(models: dict[str, Path], tmp_path: Path) -> None:
    bare = builders.tiny_spm(tmp_path / "bare.gguf")
    model = ("-m", models["mistral"])

    assert failed("-m", bare, "Hi") == (
        3,
        "the file has no chat template (tokenizer.chat_template): give one with --template",
    )
    status, message = failed(*model, "--messages", "-", stdin=b'[{"role": "user",]')
    assert status == 2
    assert message.startswith("stdin: messages: not JSON: ")
    assert "line 1, column 18" in message
    assert failed(*model, "--messages", "-", stdin=b"[]") == (
        2,
        "stdin: messages: the list is empty: give at least one message",
    )
    assert failed(*model, "--messages", "absent.json") == (
        3,
        "cannot use absent.json: No such file or directory",
    )
    file = tmp_path / "odd.json"
    file.write_text('[{"role": "user", "content": [1]}]')
    status, message = failed(*model, "--messages", file)
    assert status == 2
    assert message.startswith(f"{file}: messages[0].content[0]: a number where a part was expected")
    roles = json.dumps([{"role": "assistant", "content": "a"}]).encode()
    status, message = failed(*model, "--messages", "-", stdin=roles)
    assert status == 3
    assert "roles must alternate user/assistant" in message
    assert failed(*model)[0] == 2
    assert failed(*model, "Hi", "--messages", "x.json")[0] == 2
    assert failed(*model, "Hi", "--template", "a", "--template-name", "b")[0] == 2
    assert failed(*model, "--messages", "-", "--tools", "-")[0] == 2
    assert failed(*model, "Hi", "--chat-template-kwargs", "[1]") == (
        2,
        "--chat-template-kwargs: a list where an object was expected",
    )


def other(command: str, *arguments: str | Path, stdin: bytes = b"") -> Run:
    return tokcli(command, *arguments, stdin=stdin)


def test_tokenize_takes_messages(models: dict[str, Path], chat_json: Path) -> None:
    given = ("-m", models["mistral"], "--messages", chat_json)
    ids = as_json(*given)["ids"]
    run = other("tokenize", *given, "--ids")

    assert json.loads(run.text) == ids
    assert f"tokcli: warning: {chat_json}: the prompt starts with two BOS tokens" in run.stderr
    assert "'tokcli chat' with the same options says who adds each BOS" in run.stderr
    assert other("tokenize", *given, "--ids", "--strict").status == 1
    assert json.loads(other("tokenize", *given, "--ids", "--no-bos").text) == ids[1:]
    assert other("tokenize", *given, "--count", "--max-tokens", "5").status == 1
    piped = other(
        "tokenize",
        "-m",
        models["mistral"],
        "--messages",
        "-",
        "--ids",
        stdin=chat_json.read_bytes(),
    )
    assert json.loads(piped.text) == ids


def test_both_parsers_of_tokenize_take_messages(models: dict[str, Path], chat_json: Path) -> None:
    given = ("tokenize", "-m", models["mistral"], "--messages", chat_json, "--ids", "--no-bos")

    assert tokcli_process(*given).stdout == tokcli(*given).stdout
    assert tokcli(*given).status == 0


def test_contents_that_are_lists_of_parts(models: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    path.write_text(json.dumps([{"role": "user", "content": parts}]), encoding="utf-8")
    given = ("-m", models["plain"], "--messages", path)
    told = as_json(*given)

    assert told["rendered"] == "<s>a\nb"
    assert [finding["code"] for finding in told["findings"]] == ["parts-joined"]
    for command in ("tokenize", "explain"):
        run = other(command, *given)
        assert "note: messages[0].content: a list of parts, and the template takes" in run.stderr
    parts.append({"type": "image_url", "image_url": "x"})
    path.write_text(json.dumps([{"role": "user", "content": parts}]), encoding="utf-8")
    refused = tokcli("chat", *given)
    assert refused.status == 3
    assert "messages[0].content[2]: a part of type 'image_url'" in refused.stderr


def test_escapes_in_a_rendering_are_left_alone(models: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([{"role": "user", "content": "a\\nb\nc"}]), encoding="utf-8")
    given = ("-m", models["plain"], "--messages", path)
    told = json.loads(other("tokenize", *given, "--format", "json").text)
    explained = json.loads(other("explain", *given, "--format", "json").text)

    pieces = b"".join(bytes.fromhex(token["bytes"]) for token in told["tokens"])
    assert pieces == b"<s><s> a\\nb\nc"
    assert told["settings"]["escape"] is False
    assert explained["input"]["text"] == "<s>a\\nb\nc"
    assert explained["settings"]["escape"] is False


def test_explain_takes_messages(models: dict[str, Path], chat_json: Path) -> None:
    given = ("-m", models["mistral"], "--messages", chat_json)
    told = json.loads(other("explain", *given, "--format", "json").text)

    assert [token["id"] for token in told["tokens"]] == as_json(*given)["ids"]
    assert told["input"]["text"].startswith("<s> [INST] 2+2?")
    assert other("explain", *given, "--template-name", "nope").status == 3


@pytest.mark.parametrize("command", ["tokenize", "explain"])
def test_messages_are_the_whole_input(command: str, models: dict[str, Path]) -> None:
    given = ("-m", models["mistral"])

    for more in (["text"], ["-p", "text"], ["-f", "x"], ["--stdin"], ["--hex"]):
        run = other(command, *given, "--messages", "chat.json", *more)
        assert run.status == 2
        assert "--messages is the whole input: leave out" in run.stderr
    run = other(command, *given, "text", "--template", "x")
    assert run.status == 2
    assert run.stderr == "tokcli: error: --template renders --messages, and none are given\n"


def _replace_template(model: Path, template: bytes, to: Path) -> None:
    """Copy a vocabulary without tensors, with this chat template."""
    data = model.read_bytes().replace(TEMPLATE.encode(), TEMPLATE.encode()[:-1] + b"X")
    count = int.from_bytes(data[16:24], "little")
    key = TEMPLATE.encode()
    entry = len(key).to_bytes(8, "little") + key + (8).to_bytes(4, "little")
    entry += len(template).to_bytes(8, "little") + template
    to.write_bytes(data[:16] + (count + 1).to_bytes(8, "little") + entry + data[24:])


@pytest.mark.parametrize(
    ("name", "adds"),
    [("ggml-vocab-llama-bpe", True), ("ggml-vocab-qwen2", False), ("mistral-v3-spm", True)],
)
def test_real_templates_in_real_vocabularies(
    conformance: Path, tmp_path: Path, name: str, adds: bool
) -> None:
    templates = sorted((conformance / "templates").glob("*.jinja"))
    bos_by_hand = 0
    for path in templates[::8]:
        model = tmp_path / "model.gguf"
        _replace_template(conformance / "vocabs" / f"{name}.gguf", path.read_bytes(), model)
        started = time.process_time()
        tokenizer = load(model)
        tokenizer.tokenize("Everything that is built lazily " * 20 + "gets built: 你好")
        loading = time.process_time() - started
        started = time.process_time()
        told = as_json("-m", model, "How are you?")
        judging = time.process_time() - started
        piece = tokenizer.piece(told["bos"]["id"]).decode()
        written = int(told["rendered"].startswith(piece))
        bos_by_hand += written

        assert told["bos"]["counts"] == {
            "add_special": adds + written,
            "no_add_special": written,
            "llama-server": max(adds, written),
        }, path.name
        assert told["bos"]["verdict"] == ("wrong" if adds and written else "right"), path.name
        assert judging - loading < 2, path.name  # half a second, on a machine that is not busy
    assert 0 < bos_by_hand < len(templates[::8])
