from __future__ import annotations

from pathlib import Path

import gguf
import pytest

from tests.chat.fakes import BYTE, CONTROL, NORMAL, UNKNOWN, fake_tokenizer, metadata
from tokcli.chat.template import ChatTemplates, template_variables
from tokcli.errors import TemplateError
from tokcli.gguf_metadata import read_metadata

KEY = "tokenizer.chat_template"


def test_one_template() -> None:
    templates = ChatTemplates.from_metadata(metadata({KEY: "é{{ x }}"}))
    assert templates.names == ("default",)
    assert templates.choose().source == "é{{ x }}"
    assert templates.choose().key == KEY


def test_a_template_ends_at_a_nul() -> None:
    assert ChatTemplates.from_metadata(metadata({KEY: "a\0b"})).choose().source == "a"


def test_templates_as_gguf_py_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_chat_template(
        [
            {"name": "tool_use", "template": "T"},
            {"name": "default", "template": "D"},
            {"name": "r-a-g", "template": "R"},
        ]
    )
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    templates = ChatTemplates.from_metadata(read_metadata(path))
    assert templates.names[0] == "default"
    assert set(templates.names) == {"default", "tool_use", "r_a_g"}
    assert templates.missing == ()
    assert templates.choose().source == "D"
    assert templates.choose(with_tools=True).source == "T"
    assert templates.choose("default", with_tools=True).source == "D"
    assert templates.choose("r_a_g").key == f"{KEY}.r_a_g"


def test_the_only_template_is_chosen_whatever_its_name() -> None:
    templates = ChatTemplates.from_metadata(metadata({f"{KEY}.rag": "R"}))
    assert templates.choose().source == "R"


def test_a_listed_name_without_a_template_is_missing() -> None:
    values = {KEY: "D", "tokenizer.chat_templates": ["rag", "tool_use"], f"{KEY}.rag": "R"}
    assert ChatTemplates.from_metadata(metadata(values)).missing == ("tool_use",)


def test_bytes_that_are_not_utf_8_stay_what_they_are() -> None:
    templates = ChatTemplates.from_metadata(metadata({KEY: b"\xff"}))
    assert templates.choose().source == "\udcff"


@pytest.mark.parametrize(
    ("values", "name", "said"),
    [
        ({}, None, "the file has no chat template"),
        ({KEY: "D"}, "rag", "no template 'rag': choose one of default"),
        ({f"{KEY}.a": "A", f"{KEY}.b": "B"}, None, "no default chat template: choose one of a, b"),
        ({KEY: ["D"]}, None, "is a str, and this is arr[str]"),
    ],
)
def test_a_template_that_is_not_there(
    values: dict[str, object], name: str | None, said: str
) -> None:
    with pytest.raises(TemplateError) as caught:
        ChatTemplates.from_metadata(metadata(values)).choose(name)
    assert said in str(caught.value)


def test_variables_are_the_texts_of_special_tokens() -> None:
    tokenizer = fake_tokenizer(
        ["<unk>", "<s>", "</s>", "<pad>", "a"],
        [UNKNOWN, CONTROL, CONTROL, CONTROL, NORMAL],
        padding_token_id=3,
    )
    assert template_variables(tokenizer) == {
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "pad_token": "<pad>",
    }


def test_a_vocabulary_without_bos_has_an_empty_bos_token() -> None:
    tokenizer = fake_tokenizer(["a", "<0x41>"], [NORMAL, BYTE])
    assert template_variables(tokenizer)["eos_token"] == ""
