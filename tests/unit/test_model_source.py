from __future__ import annotations

import re

import pytest

from tokcli.cli.model_source import load_tokenizer, overrides_from, parse_overrides
from tokcli.errors import UsageError, VocabError


@pytest.mark.parametrize(
    ("arguments", "overrides"),
    [
        ([], {}),
        (["a.b=int:3"], {"a.b": 3}),
        (["a=int:-3", "a=int:4"], {"a": 4}),
        (["a=float:1.5", "b=bool:true", "c=bool:false"], {"a": 1.5, "b": True, "c": False}),
        (["a=str:"], {"a": ""}),
        (["a=str:x=y:z"], {"a": "x=y:z"}),
        (["a=int:1,b=str:x"], {"a": 1, "b": "x"}),
        # Commas inside double quotes, as in llama.cpp's parse_csv_row.
        (['"a=str:x,y",b=int:1'], {"a": "x,y", "b": 1}),
        (['"a=str:say ""hi"""'], {"a": 'say "hi"'}),
        (['a=str:5" pipe'], {"a": '5" pipe'}),
    ],
)
def test_overrides(arguments: list[str], overrides: dict[str, object]) -> None:
    assert parse_overrides(arguments) == overrides


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("a", "not of the form KEY=TYPE:VALUE"),
        ("a=1", "not of the form KEY=TYPE:VALUE"),
        ("=int:1", "not of the form KEY=TYPE:VALUE"),
        ("a=u32:1", "not of the form KEY=TYPE:VALUE"),
        ("a=int:1.5", "'1.5' is not an int"),
        ("a=float:x", "'x' is not a float"),
        ("a=bool:yes", "a bool is true or false"),
        ("a=str:" + "x" * 128, "the value is longer than 127 bytes"),
        ("k" * 128 + "=int:1", "the key is longer than 127 bytes"),
        ("a=int:1,", "not of the form KEY=TYPE:VALUE"),
    ],
)
def test_malformed_overrides_are_usage_errors(argument: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        parse_overrides([argument])


def test_overrides_and_pre_reach_the_tokenizer() -> None:
    tokenizer = load_tokenizer(None, ["tokenizer.ggml.add_bos_token=bool:true"], "llama-bpe")

    assert tokenizer.vocab.flag("add_bos")
    assert tokenizer.vocab.pre == "llama-bpe"


def test_pre_wins_over_an_override_of_its_key() -> None:
    assert load_tokenizer(None, ["tokenizer.ggml.pre=str:mpt"], "falcon").vocab.pre == "falcon"


def test_an_unknown_pre_tokenizer_by_override_is_the_files_fault() -> None:
    with pytest.raises(VocabError, match="unknown pre-tokenizer"):
        load_tokenizer(None, ["tokenizer.ggml.pre=str:nonsense"])


def test_overrides_of_both_options_hold_what_no_tokenizer_bears() -> None:
    assert overrides_from(None, None) == {}
    assert overrides_from(["a=int:1", "tokenizer.ggml.pre=str:mpt"], "nonsense") == {
        "a": 1,
        "tokenizer.ggml.pre": "nonsense",
    }
