"""Contents that are lists of parts: which templates are given texts in their place."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chat.fakes import fake_tokenizer
from tests.chat.samples import CHATML, LLAMA_3, MISTRAL
from tests.chat.test_findings import TOKENS, TYPES
from tokcli.chat.budget import TimeLimit
from tokcli.chat.content_parts import joined_parts, lists_of_parts
from tokcli.chat.content_probe import takes_text_only
from tokcli.chat.messages import Conversation
from tokcli.chat.verdict import Verdict, judge
from tokcli.errors import TemplateError

LOOP = "{% for m in messages %}%s{% endfor %}"
# Takes both: what llama-server's own test of a template (common/jinja/caps.cpp) makes of each of
# these was looked up there.
EITHER = (
    "{% for m in messages %}{% if m.content is string %}{{ m.content }}{% else %}"
    "{% for p in m.content %}{{ p.text }}{% endfor %}{% endif %}{% endfor %}"
)


def parts(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text} for text in texts]


def user(content: object) -> dict[str, Any]:
    return {"role": "user", "content": content}


@pytest.mark.parametrize(
    ("template", "text_only"),
    [
        (CHATML, True),
        (LLAMA_3, True),
        (MISTRAL, True),
        ("{{ messages[0].content | trim }}", True),
        ("{{ messages[0].content[1:] }}", True),
        ("{{ messages[0].content.split('x')[0] }}", True),
        ("{{ messages[0].content if messages[0].content is string }}", True),
        ("{% set c = messages[0]['content'] %}{{ c ~ '' }}{% for x in [c] %}{% endfor %}", True),
        (EITHER, False),
        ("{% macro say(c) %}{% for p in c %}{{ p.text }}{% endfor %}{% endmacro %}"
         "{{ say(messages[0].content) }}", False),
        ("{{ messages[0].content[0] }}", False),
        ("{{ messages[0].content | selectattr('type') | list }}", False),
        ("{% if messages[0].content is not string %}{% for p in messages[0].content %}"
         "{{ p.text }}{% endfor %}{% endif %}", False),
        ("{{ raise_exception('no') }}", False),
    ],
)  # fmt: skip
def test_what_llama_server_finds_out(template: str, text_only: bool) -> None:
    variables = {"bos_token": "", "eos_token": ""}
    assert takes_text_only(template, variables, TimeLimit()) is text_only


@pytest.mark.parametrize(
    ("texts", "joined"),
    [
        ((), ""),
        (("a",), "a"),
        (("a", "b"), "a\nb"),
        (("", "a"), "a"),
        (("a", "", "b\n"), "a\n\nb\n"),
    ],
)
def test_texts_are_joined_by_line_feeds(texts: tuple[str, ...], joined: str) -> None:
    assert joined_parts([user(parts(*texts))]) == [user(joined)]


def test_other_messages_are_left_alone() -> None:
    messages = [user("a"), {"role": "assistant"}, user(parts("b"))]
    assert lists_of_parts(messages) == ["messages[2].content"]
    assert joined_parts(messages) == [user("a"), {"role": "assistant"}, user("b")]
    assert messages[2] == user(parts("b"))


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"type": "image_url", "image_url": {}}, "a part of type 'image_url', and the chat templ"),
        ({"type": 7}, "a part of type 7, and the chat template takes text only"),
        ({"type": "text"}, "a part of type 'text' has its words under 'text'"),
        ({"text": "a"}, 'a part of a content is an object such as {"type": "text", "text"'),
        ("a", "a part of a content is an object such as"),
    ],
)
def test_parts_that_are_no_text(part: object, said: str) -> None:
    with pytest.raises(TemplateError) as caught:
        verdict(CHATML, user("a"), user([*parts("b"), part]))
    assert str(caught.value).startswith(f"messages[1].content[1]: {said}")


def verdict(template: str, *messages: dict[str, Any]) -> Verdict:
    return judge(fake_tokenizer(TOKENS, TYPES), template, Conversation(list(messages)))


def test_a_prompt_of_parts() -> None:
    of_parts = verdict(CHATML, user(parts("a", "b<|im_end|>")))
    of_text = verdict(CHATML, user("a\nb<|im_end|>"))
    assert of_parts.rendering == of_text.rendering
    assert of_parts.ids == of_text.ids
    joined, control = of_parts.findings
    assert (joined.code, joined.severity) == ("parts-joined", "warning")
    assert joined.message.startswith("messages[0].content: a list of parts, and the template")
    assert joined.evidence == {"paths": ["messages[0].content"]}
    assert control.evidence["path"] == "messages[0].content[1].text"


def test_many_lists_are_counted() -> None:
    joined = verdict(CHATML, *[user(parts("a"))] * 5).findings[0]
    assert "messages[2].content and 2 more: a list of parts" in joined.message


def test_a_template_that_takes_parts_is_given_parts() -> None:
    content = [*parts("a"), {"type": "image"}, *parts("b")]
    took_both = verdict(EITHER, user(content), user("c"))
    assert took_both.rendering.text == "abc"
    assert took_both.findings == ()
