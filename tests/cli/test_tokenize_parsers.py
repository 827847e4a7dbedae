"""The two parsers of `tokcli tokenize` mean the same by every command line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.runner import tokcli
from tokcli.cli import fast, tokenize_run
from tokcli.cli.app import app
from tokcli.cli.tokenize_options import FORMATS, OPTIONS, TokenizeRequest

NAMES = [name for option in OPTIONS for name in option.names]
VALUES = [
    "",
    "-",
    "--",
    "--ids",
    "-p",
    "x y",
    "1",
    "007",
    "-3",
    "1.5",
    "json",
    "auto",
    "никто",
    "é",
]


@pytest.fixture(scope="module")
def asked() -> Iterator[list[TokenizeRequest]]:
    """What run_request was called with, in place of running it."""
    requests: list[TokenizeRequest] = []

    def remember(request: TokenizeRequest) -> int:
        requests.append(request)
        return 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokenize_run, "run_request", remember)
        yield requests


def through_typer(asked: list[TokenizeRequest], argv: list[str]) -> TokenizeRequest | None:
    """The request Typer makes of `argv`, or None where it prints something instead."""
    asked.clear()
    tokcli("tokenize", *argv)
    return asked[0] if asked else None


def test_the_table_lists_the_options_of_the_command() -> None:
    group: Any = typer.main.get_command(app)
    command = group.get_command(None, "tokenize")
    options = {}
    for parameter in command.params:
        if parameter.param_type_name != "option" or parameter.name == "help":
            continue
        if parameter.is_flag:
            kinds = [(parameter.opts, "on"), (parameter.secondary_opts, "off")]
        elif parameter.multiple:
            kinds = [(parameter.opts, "values")]
        else:
            number = parameter.name in ("max_tokens", "truncate", "log_verbosity", "jobs")
            kinds = [(parameter.opts, "number" if number else "value")]
        options.update({name: (parameter.name, kind) for names, kind in kinds for name in names})

    assert {name: (o.field, o.kind) for o in OPTIONS for name in o.names} == options


def test_the_command_passes_every_option_on(asked: list[TokenizeRequest]) -> None:
    samples = {"value": ["auto"], "values": ["a"], "number": ["5"], "on": [], "off": []}
    for option in OPTIONS:
        for name in option.names:
            argv = [name, *samples[option.kind]]
            request = through_typer(asked, argv)

            assert request == fast.parse(argv)
            assert request is not None
            default = TokenizeRequest()._asdict()[option.field]
            same = (option.kind == "on" and default is True) or option.names == ("--color",)
            assert (request._asdict()[option.field] == default) == same


@given(st.lists(st.sampled_from(NAMES) | st.sampled_from([*VALUES, *FORMATS]), max_size=6))
def test_what_the_fast_parser_takes_typer_takes_for_the_same(
    asked: list[TokenizeRequest], argv: list[str]
) -> None:
    request = fast.parse(argv)

    if request is not None:
        assert through_typer(asked, argv) == request


@pytest.mark.parametrize(
    "argv",
    [
        ["-h"],
        ["--help"],
        ["--bogus"],
        ["--prompt=x"],
        ["-px"],
        ["-p"],
        ["a", "b"],
        ["--", "-x"],
        ["--max-tokens", "-1"],
        ["--max-tokens", "1_0"],
        ["--max-tokens", "٣"],
        ["--color", "red"],
        ["--no-escape=1"],
        ["-lv3"],
    ],
)
def test_what_is_not_plain_is_left_to_typer(argv: list[str]) -> None:
    assert fast.parse(argv) is None


@pytest.mark.parametrize("value", ["model.gguf", "", None])
def test_both_take_the_model_from_the_environment(
    asked: list[TokenizeRequest], value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if value is None:
        monkeypatch.delenv("TOKCLI_MODEL", raising=False)
    else:
        monkeypatch.setenv("TOKCLI_MODEL", value)
    asked.clear()
    tokcli("tokenize", "x", env={} if value is None else {"TOKCLI_MODEL": value})

    assert asked == [TokenizeRequest(text="x", model=value or None)]
    assert fast.parse(["x"]) == asked[0]
