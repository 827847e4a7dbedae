from __future__ import annotations

import json
from typing import Any

import pytest

from tests.chat.samples import TOOL
from tokcli.chat.messages import load_messages, load_tools
from tokcli.errors import UsageError

ONE = [{"role": "user", "content": "Hi"}]


def test_a_list() -> None:
    conversation = load_messages(json.dumps(ONE).encode())
    assert conversation.messages == ONE
    assert conversation.tools is None
    assert conversation.add_generation_prompt is None
    assert conversation.variables == {}


def test_a_request_body() -> None:
    body = {
        "model": "m",
        "messages": ONE,
        "tools": [TOOL],
        "temperature": 0.5,
        "add_generation_prompt": False,
        "documents": [{"title": "t"}],
        "chat_template_kwargs": {"enable_thinking": False},
    }
    conversation = load_messages(json.dumps(body).encode())
    assert conversation.messages == ONE
    assert conversation.tools == [TOOL]
    assert conversation.add_generation_prompt is False
    assert conversation.variables == {"documents": [{"title": "t"}], "enable_thinking": False}
    assert conversation.ignored == ("model", "temperature")


def test_tools_null_is_not_an_empty_list() -> None:
    assert load_messages(b'{"messages": [{"role": "user"}], "tools": null}').tools is None
    assert load_messages(b'{"messages": [{"role": "user"}], "tools": []}').tools == []


def test_a_byte_order_mark_is_fine() -> None:
    assert load_messages(b'\xef\xbb\xbf[{"role": "user"}]').messages == [{"role": "user"}]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "not JSON: Expecting value (line 1, column 1, byte 0)"),
        (b'[\n {"role": }]', "not JSON: Expecting value (line 2, column 11, byte 12)"),
        ('["é" x]'.encode(), "(line 1, column 6, byte 6)"),
        (b'\xef\xbb\xbf["a" x]', "(line 1, column 6, byte 8)"),
        (b'["\xff"]', "byte 2 (0xff) is not UTF-8"),
        (b"[NaN]", "NaN is not a JSON value"),
        (b"[" * 200_000, "nested too deeply"),
        (b"7", "a number where a list was expected"),
        (b'"Hi"', "a text where a list was expected"),
        (b"null", "null where a list was expected"),
        (b"[]", "messages: the list is empty"),
        (b'["Hi"]', "messages[0]: a text where an object was expected"),
        (b'[{"content": "Hi"}]', "messages[0]: no 'role'"),
        (b'[{"role": "user"}, {"role": 7}]', "messages[1].role: a number where a text was"),
        (b'{"role": "user", "content": "Hi"}', "put the message into a list"),
        (b'{"prompt": "Hi"}', "no key 'messages'"),
        (b'{"messages": {}}', "messages: an object where a list was expected"),
        (b'{"messages": [{"role": "user"}], "tools": {}}', "tools: an object where a list"),
        (b'{"messages": [{"role": "user"}], "tools": [1]}', "tools[0]: a number where an object"),
        (b'{"messages": [{"role": "user"}], "add_generation_prompt": 1}', "not true or false"),
        (b'{"messages": [{"role": "user"}], "chat_template_kwargs": 1}', "chat_template_kwargs: a"),
        (
            b'{"messages": [{"role": "user", "content": "a\\ud83d"}]}',
            "messages[0].content has half of a surrogate pair",
        ),
        (b'[{"role": "user", "content": 5}]', "messages[0].content: a number where a text, or a"),
        (b'[{"role": "user", "content": {}}]', "messages[0].content: an object where a text, or"),
        (b'[{"role": "user", "content": false}]', "messages[0].content: false where a text, or"),
        (b'[{"role": "user", "content": [1]}]', "messages[0].content[0]: a number where a part"),
        (b'[{"role": "user", "content": ["a"]}]', "messages[0].content[0]: a text where a part"),
        (b'[{"role": "user", "content": [{}]}]', "messages[0].content[0]: a part without a 'type'"),
        (
            b'[{"role": "user", "content": [{"type": "text"}]}]',
            "messages[0].content[0]: a part of text without its words",
        ),
        (
            b'[{"role": "user", "n": ' + b"7" * 5000 + b"}]",
            "messages: not JSON: a number of 5000 digits is too long",
        ),
        (
            b'[{"role": "user", "content": "a\\ud83d"}]',
            "messages[0].content has half of a surrogate pair, \\ud83d, at character 1",
        ),
    ],
)
def test_what_is_wrong_and_where(data: bytes, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_messages(data)
    assert said in str(caught.value)
    assert "messages: messages" not in str(caught.value)


def test_a_whole_surrogate_pair_is_a_character() -> None:
    data = b'[{"role": "user", "content": "\\ud83d\\ude00"}]'
    assert load_messages(data).messages[0]["content"] == "😀"


@pytest.mark.parametrize(
    "tools",
    [
        [],
        [TOOL],
        [TOOL["function"]],
        [{"type": "web_search"}, {"type": "function", "function": {"name": "f"}, "strict": True}],
    ],
)
def test_lists_of_tools(tools: list[dict[str, Any]]) -> None:
    assert load_tools(json.dumps(tools).encode()) == tools
    assert load_tools(json.dumps({"tools": tools}).encode()) == tools


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        (ONE, "tools[0]: a message where a tool was expected: give a list [{"),
        ([TOOL, {"type": "function"}], "tools[1]: no function with a name"),
        ([{"function": "f"}], "tools[0]: no function with a name"),
        ([{"parameters": {}}], "tools[0]: no function with a name"),
        ({"messages": ONE}, "tools: an object where a list was expected: give a list"),
        (["f"], "tools[0]: a text where an object was expected: give a list"),
    ],
)
def test_what_is_no_list_of_tools(tools: object, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_tools(json.dumps(tools).encode())
    assert said in str(caught.value)
