from __future__ import annotations

import subprocess
import sys
from datetime import datetime
from typing import Any

import pytest

from tests.chat.samples import CHATML, LLAMA_3, MISTRAL, TOOL, TURNS, USER
from tokcli.chat.render import render, render_chat
from tokcli.errors import TemplateError, TemplateRefusalError


def put_out(template: str, **variables: Any) -> str:
    return render_chat(template, USER, variables=variables)


def test_chatml() -> None:
    assert render_chat(CHATML, TURNS) == (
        "<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\n4<|im_end|>\n"
        "<|im_start|>user\n And 3×3? <|im_end|>\n<|im_start|>assistant\n"
    )


def test_no_generation_prompt() -> None:
    assert render_chat(CHATML, USER, add_generation_prompt=False) == (
        "<|im_start|>user\nHi<|im_end|>\n"
    )


def test_llama_3_with_a_pinned_clock() -> None:
    text = render_chat(
        LLAMA_3,
        TURNS[2:],
        variables={"bos_token": "<|begin_of_text|>"},
        clock=lambda: datetime(2026, 11, 30),
    )
    assert text == (
        "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nToday: 30 Nov 2026"
        "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nAnd 3×3?<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n"
    )


def test_mistral() -> None:
    assert render_chat(MISTRAL, TURNS, variables={"eos_token": "</s>"}) == (
        "<s> [INST] 2+2? [/INST] 4</s> [INST]  And 3×3?  [/INST]"
    )


def test_the_template_raises_with_its_own_message_and_line() -> None:
    with pytest.raises(TemplateError) as caught:
        render_chat(MISTRAL, [*USER, *USER])
    assert "roles must alternate user/assistant" in str(caught.value)
    assert "line 4" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "oddity"),
    [
        ({}, "messages[2] has no content"),
        ({"content": None}, "messages[2] has no content"),
        ({"content": 5}, "the content of messages[2] is a number"),
        ({"content": {"a": 1}}, "the content of messages[2] is an object"),
    ],
)
def test_the_message_is_named_and_what_is_odd_about_it(
    content: dict[str, Any], oddity: str
) -> None:
    with pytest.raises(TemplateError) as caught:
        render_chat(CHATML, [*USER, *USER, {"role": "assistant", **content}, *USER])
    assert str(caught.value).startswith("chat template, line 2, at messages[2]: ")
    assert str(caught.value).endswith(f"; {oddity}")


@pytest.mark.parametrize(
    ("template", "place"),
    [
        (MISTRAL, "line 4, at messages[1]: roles must"),
        ("{% for m in messages[1:] %}{{ raise_exception('no') }}{% endfor %}", "at messages[1]"),
        (
            "{% macro say(m) %}{{ raise_exception('no') if loop is not defined }}{% endmacro %}"
            "{% for m in messages | reverse %}{{ say(m) }}{% endfor %}",
            "at messages[2]: no",
        ),
        (
            "{% set first = messages[0] %}{% for m in messages %}"
            "{{ raise_exception('no') if loop.last }}{% endfor %}",
            "at messages[2]: no",
        ),
        ("{{ raise_exception('no') if messages | length > 1 }}", "line 1: no"),
        ("{% for m in messages %}{% endfor %}{{ raise_exception('no') }}", "line 1: no"),
    ],
)
def test_the_message_at_which_the_template_gives_up(template: str, place: str) -> None:
    with pytest.raises(TemplateRefusalError) as caught:
        render_chat(template, [*USER, *USER, *USER])
    assert place in str(caught.value)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ tools is none }}", "True"),
        ("{{ documents is none }}", "True"),
        ("{{ bos_token is defined }}", "False"),
        ("{{ {'a': '<é&\"'} | tojson }}", '{"a": "<é&\\""}'),
        ("{{ 'é' | tojson(ensure_ascii=True) }}", '"\\u00e9"'),
        ("{{ {'b': 1, 'a': 2} | tojson(sort_keys=true) }}", '{"a": 2, "b": 1}'),
        ("{{ [1, 2] | tojson(separators=(',', ':')) }}", "[1,2]"),
        ("{{ [1] | tojson(indent=2) }}", "[\n  1\n]"),
        ("{% for i in range(9) %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% endfor %}", "01"),
        ("{% for i in (1, 2) %}{% if i > 1 %}{% continue %}{% endif %}{{ i }}{% endfor %}", "1"),
        ("{% generation %}{{ messages[0].content }}{% endgeneration %}", "Hi"),
        ("{% set x = 1 %}{% generation %}{% set x = 2 %}{% endgeneration %}{{ x }}", "1"),
        ("{% set n = namespace() %}{% for i in 'a' %}{% set n.n = 5 %}{% endfor %}{{ n.n }}", "5"),
        ("{{ dict(a=1) }}", "{'a': 1}"),
        ("{% if true %}\n  x\n  {% endif %}\ny", "  x\ny"),
        ("{{ loop is defined }}|{{ missing }}|{{ messages[7] is defined }}", "False||False"),
        ("{% for i in 'ab' %}{{ loop.index / loop.length }} {% endfor %}", "0.5 1.0 "),
        ("{% for m in [[1], []] recursive %}{{ m if m is integer else loop(m) }}{% endfor %}", "1"),
        ("{{ messages[0:1] | length }}{{ 'abc'[::-1] }}", "1cba"),
        ("{{ 'a' ~ 1 ~ none }}", "a1None"),
        ("{{ '%s-%d' % ('a', 100000) }}{{ '{:>3}{}'.format(1, 123456) }}", "a-100000  1123456"),
    ],
)  # fmt: skip
def test_helpers(template: str, expected: str) -> None:
    assert put_out(template) == expected


def test_tools_and_documents_reach_the_template() -> None:
    template = "{{ tools[0].function.name }} {{ documents[0].title }}"
    variables = {"documents": [{"title": "t"}]}
    assert render_chat(template, USER, [TOOL], variables=variables) == "f t"
    assert render_chat("{{ tools | length }}", USER, []) == "0"


def test_null_values_of_a_message_are_left_out() -> None:
    message = {"role": "assistant", "content": None}
    assert render_chat("{{ 'content' in messages[0] }}", [message]) == "False"


def test_reasoning_is_known_under_each_of_its_names() -> None:
    template = "{{ messages[0].thinking }} {{ messages[0].reasoning_content }}"
    assert render_chat(template, [{"role": "assistant", "reasoning": "so"}]) == "so so"


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ("Hi", "messages: a list of objects is needed, not str"),
        ({"role": "user"}, "messages: a list of objects is needed, not dict"),
        (None, "messages: a list of objects is needed, not NoneType"),
        ([], "messages: the list is empty"),
        (["Hi"], "messages[0]: an object is needed, not str"),
        ([{"role": "user", "content": b"x"}], "messages[0].content: bytes is not JSON data"),
    ],
)
def test_messages_of_another_shape(messages: Any, said: str) -> None:
    with pytest.raises(TemplateError) as caught:
        render_chat(CHATML, messages)
    assert said in str(caught.value)


def test_messages_that_hold_themselves() -> None:
    message: dict[str, Any] = {"role": "user"}
    message["content"] = [message]
    with pytest.raises(TemplateError, match="nested more than 200 deep"):
        render_chat(CHATML, [message])


def test_the_caller_s_messages_are_left_alone() -> None:
    messages = [{"role": "user", "content": None, "reasoning": "r"}]
    render_chat("{{ messages }}", messages)
    assert messages == [{"role": "user", "content": None, "reasoning": "r"}]


def test_lone_surrogates_pass_through() -> None:
    message = {"role": "user", "content": "\udcff"}
    assert render_chat("\udc80{{ messages[0].content }}", [message]) == "\udc80\udcff"


def test_pieces_name_the_lines_of_the_template() -> None:
    rendering = render("a\n{{- messages | length }}\n{{- tools }}", USER)
    assert rendering.text == "a1None"
    assert [rendering.line_at(offset) for offset in (0, 1, 2, 5, 6)] == [1, 2, 3, 3, None]


def test_jinja2_is_imported_only_for_a_rendering() -> None:
    code = "import sys, tokcli.chat.verdict, tokcli.chat.template; print('jinja2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
