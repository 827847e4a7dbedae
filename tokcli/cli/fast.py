"""Parses plain `tokcli tokenize` command lines without Typer, whose import takes longer than a
short prompt.

Whatever is not entirely plain (help, --option=value, mistakes) is left to Typer.
"""

from __future__ import annotations

from typing import Any

from tokcli.cli.tokenize_options import OPTIONS, TokenizeRequest

__all__ = ["parse", "run"]


def run(argv: list[str]) -> int | None:
    """Run `tokcli tokenize` with these arguments and return the exit status, or None where they
    are not plain."""
    request = parse(argv)
    if request is None:
        return None
    from tokcli.cli.guard import guarded
    from tokcli.cli.tokenize_run import run_request

    return guarded(lambda: run_request(request), debug=lambda: request.debug)


def parse(argv: list[str]) -> TokenizeRequest | None:
    """The request that these arguments make, or None where Typer should decide."""
    options = {name: option for option in OPTIONS for name in option.names}
    fields: dict[str, Any] = {}
    arguments = iter(argv)
    for argument in arguments:
        if not argument.startswith("-") or argument == "-":
            if "text" in fields:
                return None
            fields["text"] = argument
            continue
        option = options.get(argument)
        if option is None:
            return None
        field, kind = option.field, option.kind
        if kind in ("on", "off"):
            fields[field] = kind == "on"
            continue
        value = next(arguments, None)
        if value is None:
            return None
        if kind == "number":
            if not (value.isascii() and value.isdigit()) or len(value) > 9:
                return None
            fields[field] = int(value)
        elif kind == "values":
            fields[field] = (*fields.get(field, ()), value)
        else:
            fields[field] = value
    if fields.get("color", "auto") not in ("auto", "always", "never"):
        return None
    if "model" not in fields:
        from tokcli.cli.model_source import model_from_environment

        fields["model"] = model_from_environment()
    return TokenizeRequest()._replace(**fields)
