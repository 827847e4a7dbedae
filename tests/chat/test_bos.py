"""The verdict on BOS: who writes how many, for whom, and what to do."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chat.fakes import CONTROL, NORMAL, UNKNOWN, FakeTokenizer, fake_tokenizer
from tests.chat.samples import CHATML, LLAMA_3, MISTRAL, USER
from tokcli.chat.messages import Conversation
from tokcli.chat.verdict import Verdict, judge

TOKENS = ["<unk>", "<s>", "</s>", "[INST]", "[/INST]", "<|im_start|>", "<|im_end|>", "a"]
TYPES = [UNKNOWN, CONTROL, CONTROL, CONTROL, CONTROL, CONTROL, CONTROL, NORMAL]


def tokenizer(**keys: object) -> FakeTokenizer:
    return fake_tokenizer(TOKENS, TYPES, **keys)


def verdict(template: str, content: str = "Hi", *, messages: Any = None, **keys: object) -> Verdict:
    messages = messages or [{"role": "user", "content": content}]
    return judge(tokenizer(**keys), template, Conversation(messages))


def counts(judged: Verdict) -> tuple[int, ...]:
    return tuple(caller.count for caller in judged.callers)


def right(judged: Verdict) -> tuple[bool, ...]:
    return tuple(caller.right for caller in judged.callers)


@pytest.mark.parametrize("template", [MISTRAL, LLAMA_3], ids=["text", "variable"])
def test_the_template_and_the_vocabulary_both_write_one(template: str) -> None:
    judged = verdict(template, add_bos_token=True)
    assert counts(judged) == (2, 1, 1)
    assert right(judged) == (False, True, True)
    assert judged.expected == 1
    assert judged.asked_by == "add_bos = true (key tokenizer.ggml.add_bos_token)"
    assert not judged.ok
    assert judged.caller("llama-server").dropped == ("BOS",)
    added = [source.added_by for source in judged.caller("add_special").sources]
    assert added == ["vocabulary", "template"]
    assert [s.added_by for s in judged.caller("llama-server").sources] == ["vocabulary"]
    assert judged.ids[:2] == (1, 1)


def test_where_the_template_writes_it() -> None:
    source = verdict(LLAMA_3).caller("no_add_special").sources[0]
    assert (source.detail, source.byte, source.line, source.template_line) == (
        "{{ bos_token }}", 0, 1, 2,
    )  # fmt: skip
    source = verdict("{#- a comment #}\n" + MISTRAL).caller("no_add_special").sources[0]
    assert (source.detail, source.template_line) == ("the text <s>", 2)


def test_a_bos_inside_a_macro_is_found_where_it_is_written() -> None:
    template = "{% macro m() %}\n{{ '<s>' }}\n{%- endmacro %}\n{{- m() }}Hi"
    source = verdict(template).caller("no_add_special").sources[0]
    assert source.template_line == 2


def test_the_fix_for_two() -> None:
    fix = verdict(LLAMA_3, add_bos_token=True).caller("add_special").fix
    assert fix is not None
    assert "add_special=False" in fix
    assert "line 2 of the template" in fix
    assert "tokenizer.ggml.add_bos_token=bool:false" in fix


def test_nobody_writes_one_though_the_vocabulary_asks_for_it() -> None:
    judged = verdict(CHATML, add_bos_token=True)
    assert counts(judged) == (1, 0, 1)
    assert right(judged) == (True, False, True)
    assert judged.ok
    fix = judged.caller("no_add_special").fix
    assert fix is not None
    assert "add_special=True" in fix


def test_a_vocabulary_that_adds_none_leaves_it_to_the_template() -> None:
    judged = verdict(MISTRAL, add_bos_token=False)
    assert counts(judged) == (1, 1, 1)
    assert right(judged) == (True, True, True)
    assert judged.expected == 1
    assert judged.asked_by.startswith("add_bos = false (key tokenizer.ggml.add_bos_token)")
    judged = verdict(CHATML, add_bos_token=False)
    assert counts(judged) == (0, 0, 0)
    assert judged.expected == 0
    assert judged.ok


def test_llama_server_drops_only_one() -> None:
    judged = verdict("{{ bos_token }}<s>Hi", add_bos_token=True)
    assert counts(judged) == (3, 2, 2)
    assert right(judged) == (False, False, False)
    served = judged.caller("llama-server")
    assert [source.added_by for source in served.sources] == ["vocabulary", "template"]
    assert served.sources[1].byte == 3
    assert served.fix == "let the template write <s> once, or not at all (line 1 of the template)"


def test_two_by_the_template_alone() -> None:
    judged = verdict("<s><s>Hi", add_bos_token=False)
    assert counts(judged) == (2, 2, 2)
    assert judged.expected == 1
    assert right(judged) == (False, False, False)


def test_a_bos_that_a_message_spells() -> None:
    judged = verdict("{{ messages[0].content }}", "<s>Hi", add_bos_token=True)
    assert counts(judged) == (2, 1, 1)
    source = judged.caller("add_special").sources[1]
    assert (source.added_by, source.detail) == ("message", "messages[0].content")
    assert judged.caller("add_special").fix == "take <s> out of messages[0].content"
    judged = verdict("{{ messages[0].content }}", "<s>Hi", add_bos_token=False)
    assert judged.expected == 0
    assert right(judged) == (False, False, False)


def test_the_default_of_the_type_is_named() -> None:
    assert "SPM" in verdict(CHATML).asked_by


def test_a_vocabulary_without_bos() -> None:
    fake = fake_tokenizer(["a", "b"], [NORMAL, NORMAL], model="gemma4", merges=["a b"])
    fake.vocab.settings = {**fake.vocab.settings, "add_bos": fake.vocab.settings["add_eos"]}
    judged = judge(fake, CHATML, Conversation(USER))
    assert judged.bos_id is None
    assert counts(judged) == (0, 0, 0)
    assert judged.ok
    assert judged.asked_by == "the vocabulary has no BOS token"


def test_llama_server_drops_the_eos_as_well() -> None:
    judged = verdict("<s>Hi</s>", add_bos_token=True, add_eos_token=True)
    assert judged.caller("llama-server").dropped == ("BOS", "EOS")


def test_a_surrogate_stands_for_a_byte_of_the_template() -> None:
    assert verdict("\udcffHi", add_bos_token=True).ids == (1, 1255, 1072, 1105)
