"""Options that several commands share, as Annotated aliases for their signatures."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Color", "Debug", "Model", "OverrideKv", "Pre", "check_choice"]

DEBUG_KEY = "tokcli.debug"
COLORS = ("auto", "always", "never")


def check_choice(value: str, choices: tuple[str, ...]) -> str:
    """Return `value` if it is one of `choices`, else raise the usage error that lists them."""
    if value not in choices:
        raise typer.BadParameter(f"'{value}' is not one of {', '.join(choices)}")
    return value


def _color(value: str) -> str:
    return check_choice(value, COLORS)


def _remember_debug(context: typer.Context, value: bool) -> bool:
    if value:
        context.meta[DEBUG_KEY] = True
    return value


Model = Annotated[
    str | None,
    typer.Option(
        "-m",
        "--model",
        metavar="PATH",
        envvar="TOKCLI_MODEL",
        help="GGUF file; of a split model, the first shard. Default: the built-in GPT-2 "
        "vocabulary.",
        show_default=False,
    ),
]

OverrideKv = Annotated[
    list[str] | None,
    typer.Option(
        "--override-kv",
        metavar="KEY=TYPE:VALUE",
        help="Use another value for a metadata key (type: int, float, bool, str); repeatable, or "
        "separated by commas.",
        show_default=False,
    ),
]

Pre = Annotated[
    str | None,
    typer.Option(
        "--pre",
        metavar="NAME",
        help="Use another pre-tokenizer: short for --override-kv tokenizer.ggml.pre=str:NAME.",
        show_default=False,
    ),
]

Color = Annotated[
    str,
    typer.Option(
        "--color",
        metavar="|".join(COLORS),
        callback=_color,
        help="Colour on stdout; auto heeds NO_COLOR and FORCE_COLOR.",
    ),
]

Debug = Annotated[
    bool,
    typer.Option(
        "--debug",
        is_eager=True,
        callback=_remember_debug,
        help="Show the traceback of an error.",
    ),
]
