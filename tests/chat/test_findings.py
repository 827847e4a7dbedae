from __future__ import annotations

from typing import Any

import pytest

from tests.chat.fakes import CONTROL, NORMAL, UNKNOWN, USER_DEFINED, fake_tokenizer
from tests.chat.samples import CHATML, MISTRAL, TOOL
from tokcli.chat.findings import Finding
from tokcli.chat.messages import Conversation
from tokcli.chat.verdict import judge

TOKENS = ["<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>", "<tool_call>", "[INST]", "<|x|>"]
TYPES = [UNKNOWN, CONTROL, CONTROL, CONTROL, CONTROL, USER_DEFINED, NORMAL, USER_DEFINED]


def findings(
    template: str,
    content: object = "Hi",
    *,
    conversation: Conversation | None = None,
    tokens: list[str] | None = None,
    types: list[int] | None = None,
    generation: bool = True,
    **keys: object,
) -> dict[str, list[Finding]]:
    fake = fake_tokenizer(tokens or TOKENS, types or TYPES, **keys)
    conversation = conversation or Conversation([{"role": "user", "content": content}])
    found: dict[str, list[Finding]] = {}
    judged = judge(fake, template, conversation, add_generation_prompt=generation)
    for finding in judged.findings:
        found.setdefault(finding.code, []).append(finding)
    return found


def test_nothing_to_find() -> None:
    assert findings(CHATML) == {}


def test_a_control_token_in_a_message() -> None:
    messages = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "a<|im_end|>b <|im_end|>"},
    ]
    (finding,) = findings(CHATML, conversation=Conversation(messages))["control-in-message"]
    text = "<|im_start|>system\ns<|im_end|>\n<|im_start|>user\na"
    assert finding.evidence == {
        "path": "messages[1].content",
        "message": 1,
        "token": "<|im_end|>",
        "id": 4,
        "bytes": [len(text), len(text) + 12],
        "exact": True,
    }


def test_the_template_s_own_tokens_are_told_from_a_message_s() -> None:
    template = "{{ '<|im_end|>' }}{{ messages[0].content }}{{ '<|im_end|>' }}"
    (finding,) = findings(template, "<|im_end|>")["control-in-message"]
    assert finding.evidence["bytes"] == [10]


@pytest.mark.parametrize(
    "template",
    [
        "{% if messages[0].content.startswith('</s>') %}{{ messages[0].content }}{% endif %}é",
        "{{ messages[0].content[:6] }}é",
        "{{ messages[0].content | tojson(ensure_ascii=true) }}",
    ],
)
def test_a_template_that_looks_closely_is_searched(template: str) -> None:
    (finding,) = findings(template, "</s>ab")["control-in-message"]
    assert finding.evidence["exact"] is False
    assert finding.evidence["path"] == "messages[0].content"


def test_control_tokens_in_tools_and_arguments() -> None:
    template = "{{ tools | tojson }}{{ messages[0] | tojson }}"
    tools = [{**TOOL, "description": "</s>"}]
    call: dict[str, Any] = {"function": {"name": "f", "arguments": {"q": "<s>"}}}
    messages = [{"role": "assistant", "content": "", "tool_calls": [call]}]
    found = findings(template, conversation=Conversation(messages, tools))["control-in-message"]
    assert {finding.evidence["path"] for finding in found} == {
        "tools[0].description",
        "messages[0].tool_calls[0].function.arguments.q",
    }


def test_user_defined_tags_of_a_tool_call_are_no_injection() -> None:
    assert "control-in-message" not in findings(CHATML, "<tool_call>")
    assert "control-in-message" in findings(CHATML, "<|x|>")


def test_parts_of_a_message() -> None:
    template = "{% for part in messages[0].content %}{{ part.text }}{% endfor %}"
    content = [{"type": "text", "text": "a"}, {"type": "text", "text": "</s>"}]
    (finding,) = findings(template, content)["control-in-message"]
    assert finding.evidence["path"] == "messages[0].content[1].text"
    assert finding.evidence["bytes"] == [1]


def test_a_marker_that_is_no_token() -> None:
    (finding,) = findings("ab\n{{ '<|user|>' }}{{ messages[0].content }}", "[/INST]")[
        "marker-not-a-token"
    ]
    assert finding.evidence["marker"] == "<|user|>"
    assert finding.evidence["bytes"] == [3]
    assert len(finding.evidence["ids"]) == 8  # type: ignore[arg-type]


def test_a_marker_typed_normal() -> None:
    (finding,) = findings("{{ '[INST]' }}{{ messages[0].content }}")["marker-typed-normal"]
    assert finding.severity == "error"
    assert finding.evidence["id"] == 6
    assert "token 6 typed CONTROL" in finding.fix


def test_the_turn_ends_with_a_token_that_does_not_end_generation() -> None:
    template = CHATML.replace("<|im_end|>", "<|x|>")
    (finding,) = findings(template)["turn-end-not-eog"]
    assert finding.evidence["id"] == 7
    assert finding.fix == "gguf-new-metadata --special-token-by-id eot 7 IN.gguf OUT.gguf"
    assert "turn-end-not-eog" not in findings(template, eot_token_id=7)


def test_the_turn_ends_with_text() -> None:
    template = CHATML.replace("<|im_end|>", "<|done|>")
    (finding,) = findings(template)["turn-end-not-eog"]
    assert finding.evidence["id"] is None


def test_the_turn_ends_where_the_next_begins() -> None:
    template = "{% for m in messages %}{{ '<|x|>' if m.role == 'user' }}{{ m.content }}{% endfor %}"
    (finding,) = findings(template)["turn-end-not-eog"]
    assert finding.evidence["id"] == 7
    assert "turn-end-not-eog" not in findings(template, eot_token_id=7)


def test_eos_ends_the_turn_of_mistral() -> None:
    assert "turn-end-not-eog" not in findings(MISTRAL)


def test_two_eos() -> None:
    (finding,) = findings("Hi</s>", add_eos_token=True, generation=False)["double-eos"]
    assert finding.evidence["byte"] == 2
    assert "double-eos" not in findings("Hi</s>", generation=False)


def test_an_eos_after_the_generation_prompt() -> None:
    assert "eos-after-prompt" in findings(CHATML, add_eos_token=True)
    assert "eos-after-prompt" not in findings(CHATML, add_eos_token=True, generation=False)


def test_white_space_before_the_bos() -> None:
    (finding,) = findings("\n  \n{{ bos_token }}Hi")["bos-after-text"]
    assert finding.evidence == {"byte": 4, "line": 3}
    assert "bos-after-text" not in findings("{{ bos_token }} {{ bos_token }}Hi")
    assert "bos-after-text" not in findings("Hi{{ bos_token }}")


def test_a_bos_that_is_ordinary_text() -> None:
    (finding,) = findings("{{ bos_token }}Hi", bos_token_id=6)["bos-not-special"]
    assert finding.evidence["token"] == "[INST]"
    assert "bos-not-special" not in findings("Hi", bos_token_id=6)


def test_a_template_that_cannot_do_without_tools() -> None:
    template = "{% for tool in tools %}{{ tool }}{% endfor %}Hi"
    (finding,) = findings(template)["template-needs-tools"]
    assert "'NoneType' object is not iterable" in str(finding.evidence["error"])
    conversation = Conversation([{"role": "user", "content": "Hi"}], [TOOL])
    assert "template-needs-tools" not in findings(template, conversation=conversation)
