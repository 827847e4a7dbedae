"""What the cases of tests/check/builders.py leave open about rules for chat templates."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.check.builders import CHATML, TEMPLATE, WITH_BOS, bpe, spm
from tests.check.test_details import by_rule
from tokcli.chat import budget
from tokcli.check import judged


def chat(template: str, **more: str) -> dict[str, Any]:
    """Keys that hold chat templates."""
    return {TEMPLATE: template, **{f"{TEMPLATE}.{name}": text for name, text in more.items()}}


def test_double_bos_where_the_key_can_go(tmp_path: Path) -> None:
    path = bpe(tmp_path / "b.gguf", add_bos_token=True, **chat(WITH_BOS))
    finding = by_rule(path)["TOK504"]
    assert finding.severity == "warning"
    assert finding.evidence[0].line == 1
    assert finding.repair.command is not None
    assert "--remove-metadata" in finding.repair.command
    assert by_rule(bpe(path, **chat(WITH_BOS))) == {}


def test_double_bos_that_llama_server_does_not_see_is_an_error(tmp_path: Path) -> None:
    path = spm(tmp_path / "s.gguf", **chat("{{ bos_token }}" + WITH_BOS))
    assert by_rule(path)["TOK504"].severity == "error"


def test_every_template_of_the_file_is_judged(tmp_path: Path) -> None:
    keys = chat(CHATML, rag="<|rag|>" + CHATML, tool_use="{% if %}")
    findings = by_rule(spm(tmp_path / "s.gguf", **keys))
    assert findings["TOK506"].evidence[0].key == f"{TEMPLATE}.rag"
    assert "'tool_use' fails" in findings["TOK502"].message


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("x" * ((1 << 17) + 1), "no more than 131072 are compiled"),
        ("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "it nests too deeply"),
    ],
    ids=["long", "deep"],
)
def test_templates_that_are_too_much_to_compile_fail(
    tmp_path: Path, template: str, said: str
) -> None:
    finding = by_rule(spm(tmp_path / "s.gguf", **chat(template)))["TOK502"]
    assert said in finding.message


ENDLESS = (
    "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}"
    "{% endfor %}{% endfor %}{% endfor %}"
)


@pytest.mark.parametrize(
    "template",
    [ENDLESS, "{% if messages | length > 1 %}" + ENDLESS + "{% endif %}" + CHATML],
    ids=["always", "for some messages"],
)
def test_a_template_without_an_end_is_stopped_soon_and_reported(
    template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judged, "MAX_SECONDS", 1.0)
    monkeypatch.setattr(budget, "MAX_STEPS", 10**12)  # a quick machine takes them all in less
    start = time.monotonic()
    findings = by_rule(spm(tmp_path / "s.gguf", **chat(template, rag=ENDLESS, tool_use=CHATML)))
    assert time.monotonic() - start < 5
    assert findings.keys() == {"TOK502"}
    assert findings["TOK502"].severity == "error"
    assert "line 1: refused, it takes more than" in findings["TOK502"].message


def test_a_template_that_floods_is_reported_and_not_tokenized(tmp_path: Path) -> None:
    start = time.process_time()
    finding = by_rule(spm(tmp_path / "s.gguf", **chat("{{ '<s>' * 5000000 }}")))["TOK502"]
    assert time.process_time() - start < 5
    assert finding.severity == "error"
    assert "makes 15000000 characters of 1 short message" in finding.message


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{% if messages %}{{ 1 | lost }}{% endif %}", "No filter named 'lost'"),
        ("{{ messages | map('lost') | list }}", "No filter named 'lost'"),
        ("{% if messages %}{{ 1 is lost }}{% endif %}", "No test named 'lost'"),
        ("{{ lost(messages) }}", "No function named 'lost'"),
        ("{% include 'lost' %}", "refused, it asks for another template: put that one's text"),
        ("{% import 'lost' as lost %}", "refused, it asks for another template"),
        (
            "{% for i in range(10 ** 9) %}{% endfor %}",
            "refused, it asks for a range of more than 100000 numbers",
        ),
    ],
)
def test_what_no_conversation_helps_is_an_error(template: str, said: str, tmp_path: Path) -> None:
    finding = by_rule(spm(tmp_path / "s.gguf", **chat(template)))["TOK502"]
    assert finding.severity == "error"
    assert f"the chat template fails: chat template, line 1: {said}" in finding.message


@pytest.mark.parametrize(
    "template",
    [
        "{{ raise_exception('never') }}",
        "{% for m in messages %}{{ raise_exception('never') }}{% endfor %}",
        "{{ nothing.nowhere }}",
    ],
)
def test_a_template_that_fails_on_everything_is_a_warning(template: str, tmp_path: Path) -> None:
    path = spm(tmp_path / "s.gguf", **chat(template))
    finding = by_rule(path)["TOK502"]
    assert finding.severity == "warning"
    assert "fails on every conversation that was tried: chat template, line 1" in finding.message
    assert finding.repair.advice == "mend the template"


@pytest.mark.parametrize(
    "wanted",
    [
        "messages | length == 2 and messages[0].role == 'system'",
        "messages[-1].role == 'assistant'",
        "tools",
        "documents",
        "messages[0].content is not string",
    ],
)
def test_templates_that_want_other_messages_are_let_be(wanted: str, tmp_path: Path) -> None:
    picky = "{% if not (" + wanted + ") %}{{ raise_exception('no!') }}{% endif %}"
    assert by_rule(spm(tmp_path / "s.gguf", **chat(picky))) == {}
