from __future__ import annotations

import re

import pytest

from tokcli.cli.overrides import parse_overrides, read_overrides
from tokcli.errors import UsageError, VocabError
from tokcli.gguf_metadata import INT32, UINT32, Entry, read_metadata
from tokcli.tokenizer import Tokenizer, builtin_path

ADD_BOS = "tokenizer.ggml.add_bos_token"
BOS = "tokenizer.ggml.bos_token_id"


@pytest.mark.parametrize(
    ("arguments", "overrides"),
    [
        ([], []),
        (["a.b=int:3"], [("a.b", 3)]),
        (["a=int:-3", "a=int:4"], [("a", -3), ("a", 4)]),
        (["a=float:1.5", "b=bool:true", "c=bool:false"], [("a", 1.5), ("b", True), ("c", False)]),
        (["a=str:"], [("a", "")]),
        (["a=str:x=y:z"], [("a", "x=y:z")]),
        (["a=int:1,b=str:x"], [("a", 1), ("b", "x")]),
        # Commas inside double quotes, as in llama.cpp's parse_csv_row.
        (['"a=str:x,y",b=int:1'], [("a", "x,y"), ("b", 1)]),
        (['"a=str:say ""hi"""'], [("a", 'say "hi"')]),
        (['a=str:5" pipe'], [("a", '5" pipe')]),
    ],
)
def test_overrides(arguments: list[str], overrides: list[tuple[str, object]]) -> None:
    assert parse_overrides(arguments) == overrides


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("a", "not of the form KEY=TYPE:VALUE"),
        ("a=1", "not of the form KEY=TYPE:VALUE"),
        ("=int:1", "not of the form KEY=TYPE:VALUE"),
        ("a=u32:1", "not of the form KEY=TYPE:VALUE"),
        ("a=int:1_0", "'1_0' is not an int"),
        ("a=int:１", "'１' is not an int"),
        ("a=float:1_0", "'1_0' is not a float"),
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


def u32(value: int) -> Entry:
    return Entry(UINT32, None, value)


def heeded(*arguments: str, pre: str | None = None) -> tuple[dict[str, object], list[str]]:
    warnings: list[str] = []
    return read_overrides(arguments, pre, warnings.append), warnings


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        (f"{BOS}=int:3", u32(3)),
        # Cut to 32 bits, from a number of 64 at most.
        (f"{BOS}=int:-1", u32(0xFFFFFFFF)),
        (f"{BOS}=int:4294967298", u32(2)),
        (f"{BOS}=int:99999999999999999999", u32(0xFFFFFFFF)),
        (f"{ADD_BOS}=bool:true", True),
        ("tokenizer.ggml.pre=str:mpt", "mpt"),
        # No vocabulary depends on it.
        ("a.b=int:-1", -1),
        ("a.b=int:99999999999999999999", 2**63 - 1),
    ],
)
def test_what_llama_cpp_heeds(argument: str, value: object) -> None:
    assert heeded(argument) == ({argument.partition("=")[0]: value}, [])


@pytest.mark.parametrize(
    ("argument", "given", "wanted"),
    [
        (f"{ADD_BOS}=int:1", "int", "bool"),
        (f"{ADD_BOS}=str:true", "str", "bool"),
        (f"{BOS}=float:1", "float", "int"),
        (f"{BOS}=bool:true", "bool", "int"),
        ("tokenizer.ggml.model=int:1", "int", "str"),
        ("general.name=bool:true", "bool", "str"),
        ("tokenizer.ggml.tokens=str:a", "str", "none"),
    ],
)
def test_another_type_leaves_what_the_file_says(argument: str, given: str, wanted: str) -> None:
    assert heeded(argument) == (
        {},
        [
            f"--override-kv gives {argument.partition('=')[0]} a value of type {given}, and "
            f"llama.cpp takes {wanted} there: what the file says stays"
        ],
    )


def test_the_first_of_several_counts() -> None:
    assert heeded("a=int:1", "a=int:2,b=int:3") == (
        {"a": 1, "b": 3},
        ["--override-kv gives a more than once; llama.cpp heeds the first"],
    )
    # So it does where it cannot use the first.
    assert heeded(f"{ADD_BOS}=int:1,{ADD_BOS}=bool:true")[0] == {}


def test_pre_wins_over_an_override_of_its_key() -> None:
    for override in ("str:mpt", "int:3"):
        assert heeded(f"tokenizer.ggml.pre={override}", pre="falcon") == (
            {"tokenizer.ggml.pre": "falcon"},
            ["--override-kv gives tokenizer.ggml.pre, and so does --pre, which counts"],
        )


def test_a_number_counts_whatever_type_the_file_has() -> None:
    signed = read_metadata(builtin_path()).with_overrides({BOS: Entry(INT32, None, 1)})
    with pytest.raises(VocabError, match=r"bos_token_id has type i32"):
        Tokenizer(signed)

    overrides, _ = heeded(f"{BOS}=int:2")
    assert Tokenizer(signed.with_overrides(overrides)).vocab.special_id("bos") == 2
    # Out of range, as -1 is in 32 bits: the default of BPE stays.
    overrides, _ = heeded(f"{BOS}=int:-1")
    assert Tokenizer(signed.with_overrides(overrides)).vocab.special_id("bos") == 11


def test_overrides_of_both_options_hold_what_no_tokenizer_bears() -> None:
    warnings: list[str] = []

    assert read_overrides(None, None, warnings.append) == {}
    assert read_overrides(
        ["a=int:1", "tokenizer.ggml.pre=str:mpt"], "nonsense", warnings.append
    ) == {"a": 1, "tokenizer.ggml.pre": "nonsense"}
