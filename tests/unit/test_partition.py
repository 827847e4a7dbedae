from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.asking import small, texts, with_bytes
from tests.gguf_files import CONTROL, NORMAL, UNKNOWN, USER_DEFINED
from tokcli.partition import Partitioner, SpecialFragment, TextFragment
from tokcli.tokenizer import Tokenizer

TOKENS = {
    "<unk>": UNKNOWN, "<s>": CONTROL, "</s>": CONTROL, "<|endoftext|>": CONTROL,
    "{u}": USER_DEFINED, "{u}{u}": USER_DEFINED, "u}x": USER_DEFINED, "<mask>": USER_DEFINED,
    "  ": USER_DEFINED, "▁": NORMAL, "a": NORMAL,
}  # fmt: skip


def tiny(folder: Path, **fields: Any) -> Tokenizer:
    tokens, types = with_bytes(list(TOKENS), list(TOKENS.values()))
    return small(folder, "llama", tokens, types=types, add_space_prefix=False, **fields)


def cut(tokenizer: Tokenizer, data: str, parse_special: bool = True) -> list[str]:
    """The fragments as their bytes, special ones in parentheses."""
    raw = data.encode()
    result = []
    for fragment in Partitioner(tokenizer.vocab).partition(raw, parse_special):
        part = raw[fragment.start : fragment.end].decode()
        result.append(f"({part})" if isinstance(fragment, SpecialFragment) else part)
    return result


@pytest.mark.parametrize(
    ("text", "with_special", "without"),
    [
        ("", [], []),
        ("a", ["a"], ["a"]),
        ("<s>a</s>", ["(<s>)", "a", "(</s>)"], ["<s>a</s>"]),
        ("<unk>", ["(<unk>)"], ["<unk>"]),
        ("a{u}a", ["a", "({u})", "a"], ["a", "({u})", "a"]),
        # The longest text first, wherever it stands.
        ("{u}{u}{u}", ["({u}{u})", "({u})"], ["({u}{u})", "({u})"]),
        ("{u}x", ["({u})", "x"], ["({u})", "x"]),
        ("   ", ["(  )", " "], ["(  )", " "]),
        ("<s><s>", ["(<s>)", "(<s>)"], ["<s><s>"]),
        ("<s", ["<s"], ["<s"]),
    ],
)
def test_fragments(tmp_path: Path, text: str, with_special: list[str], without: list[str]) -> None:
    tokenizer = tiny(tmp_path)

    assert cut(tokenizer, text) == with_special
    assert cut(tokenizer, text, parse_special=False) == without


def test_the_ids_follow(tmp_path: Path) -> None:
    tokenizer = tiny(tmp_path)

    assert texts(tokenizer, "<s>a{u}{u}", parse_special=True) == ["<s>", "a", "{u}{u}"]
    # "u}x" and "{u}" are of equal length; the lower id is searched first.
    assert texts(tokenizer, "{u}x") == ["{u}", "<0x78>"]


def test_rstrip_by_name(tmp_path: Path) -> None:
    tokenizer = tiny(tmp_path, **{"general.name": "Phi-3 mini"})

    # Every special token eats the white space behind it, but not these three, and </s> does.
    assert texts(tokenizer, "{u} \n\ta", parse_special=True) == ["{u}", "a"]
    assert texts(tokenizer, "</s> a", parse_special=True) == ["</s>", "a"]
    assert texts(tokenizer, "<s> a", parse_special=True) == ["<s>", "▁", "a"]
    assert texts(tokenizer, "<|endoftext|> a", parse_special=True) == ["<|endoftext|>", "▁", "a"]
    # C's isspace looks at bytes: a no-break space is none.
    assert texts(tokenizer, "{u}\u00a0", parse_special=True) == ["{u}", "<0xC2>", "<0xA0>"]


def test_lstrip_by_pre_tokenizer(tmp_path: Path) -> None:
    tokenizer = tiny(tmp_path, pre="jina-v2-de")

    assert texts(tokenizer, "a \n<mask> a", parse_special=True) == ["a", "<mask>", "▁", "a"]
    assert texts(tokenizer, " <mask>", parse_special=True) == ["<mask>"]
    # The white space before it is spent on the token before.
    assert texts(tokenizer, "  <mask>", parse_special=True) == ["<mask>"]


def test_stripped_space_is_in_the_fragment(tmp_path: Path) -> None:
    tokenizer = tiny(tmp_path, pre="jina-v2-de")
    mask = tokenizer.vocab.token_to_id[b"<mask>"]

    fragments = Partitioner(tokenizer.vocab).partition(b"a \n<mask>", True)

    assert fragments == [TextFragment(0, 1), SpecialFragment(3, 9, mask, 1, 9)]


def test_spelled_lists_what_parse_special_would_take(tmp_path: Path) -> None:
    tokenizer = tiny(tmp_path)

    found = Partitioner(tokenizer.vocab).spelled(b"<s>{u}<unk>")

    assert [fragment[:2] for fragment in found] == [(0, 3), (6, 11)]


def test_many_special_tokens_are_found(tmp_path: Path) -> None:
    special = [f"<extra_{number}>" for number in range(300)]
    tokens, types = with_bytes(special, [CONTROL] * 300)
    tokenizer = small(tmp_path, "llama", tokens, types=types, add_space_prefix=False)

    for number in (0, 7, 70, 299):
        assert tokenizer.tokenize(f"<extra_{number}>", add_special=False) == [number]
    assert tokenizer.tokenize("<extra_1><extra_29>", add_special=False) == [1, 29]
