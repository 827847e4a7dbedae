"""JSON laid out for reading, as json.dumps(indent=2) does it, several times as fast and in pieces.

A document is made of dicts with str keys, lists, tuples and scalars, and two things more: a Stream
is an array whose items are made when it is their turn, LaidOut is JSON made before.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import isfinite

from tokcli.render.json_text import json_string

__all__ = ["LaidOut", "Stream", "json_document", "json_pieces"]

INDENT = "  "
MOST_KEYS = 1 << 12
_WORDS = {None: "null", True: "true", False: "false"}


class LaidOut(str):
    """What json_document() made of a value, to be put in wherever the value belongs."""

    __slots__ = ()


class Stream:
    """An array too long to be held in memory; an item of another one, or of a dict in one."""

    __slots__ = ("items",)

    def __init__(self, items: Iterable[object]) -> None:
        self.items = items


def json_document(value: object) -> str:
    """Any JSON value without streams, indented; controls and invisible characters as \\uNNNN.

    Raises ValueError for a float that JSON does not have.
    """
    return _laid_out(value, "\n")


def json_pieces(value: object) -> Iterator[str]:
    """What json_document() gives, piece by piece; `value` is a dict or a stream."""
    return _pieces(value, "\n")


def _laid_out(value: object, newline: str) -> str:
    """`newline`: a line feed, and the indentation of the lines that follow."""
    kind = type(value)
    if kind is str:
        return json_string(value)  # type: ignore[arg-type]
    if kind is int:
        return repr(value)
    if kind is LaidOut:
        return value.replace("\n", newline)  # type: ignore[attr-defined, no-any-return]
    if value is None or kind is bool:
        return _WORDS[value]  # type: ignore[index]
    if kind is float and isfinite(value):  # type: ignore[arg-type]
        return repr(value)
    inner = newline + INDENT
    if isinstance(value, dict):
        members = [_key(key) + _laid_out(item, inner) for key, item in value.items()]
        return f"{{{inner}{f',{inner}'.join(members)}{newline}}}" if members else "{}"
    if isinstance(value, (list, tuple)):
        items = [_laid_out(item, inner) for item in value]
        return f"[{inner}{f',{inner}'.join(items)}{newline}]" if items else "[]"
    return json_string(value) if isinstance(value, str) else json.dumps(value, allow_nan=False)


@lru_cache(MOST_KEYS)
def _key(key: str) -> str:
    return f"{json_string(key)}: "


def _pieces(value: object, newline: str, before: str = "") -> Iterator[str]:
    """`before` goes in front of the first piece."""
    if isinstance(value, Stream):
        keyless = (("", item) for item in value.items)
        yield from _joined(keyless, f"{before}[", "]", newline)
    elif isinstance(value, dict) and Stream in map(type, value.values()):
        keyed = ((_key(key), item) for key, item in value.items())
        yield from _joined(keyed, f"{before}{{", "}", newline)
    else:
        yield before + _laid_out(value, newline)


def _joined(
    members: Iterator[tuple[str, object]], opening: str, closing: str, newline: str
) -> Iterator[str]:
    inner = newline + INDENT
    before, end = opening + inner, opening + closing
    for key, item in members:
        yield from _pieces(item, inner, before + key)
        before, end = f",{inner}", newline + closing
    yield end
