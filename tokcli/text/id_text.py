"""Reads token ids in the forms people have them: `1 2 3`, `[1, 2, 3]`, one a line, or the JSON of
`tokcli tokenize`. Strict: whatever is no id is an error that names it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

from tokcli.errors import TokenIdError, UsageError

__all__ = ["IdReader", "is_json", "located", "parse_ids", "parse_texts", "short_integer"]

_ITEM = re.compile(r"[\[\],]|[^\s\[\],]+")
# Longer than any id, so that a number of a million digits is not converted first.
_MAX_DIGITS = 18
_MAX_JSON_DIGITS = 400  # of the largest float there are 309


def parse_ids(text: str) -> list[int]:
    """All ids in `text`; lists that follow each other are taken for one.

    >>> parse_ids("[2437, 389]")
    [2437, 389]

    Raises UsageError that names the first item that is no id.
    """
    if is_json(text):
        return [id for document in _documents(text) for id in _ids_of(document)]
    reader = IdReader()
    return [*reader.feed(text), *reader.finish()]


def parse_texts(text: str) -> Iterator[tuple[str, list[int]]]:
    """The ids of each text that `text` holds, with its place: of each line, or, in JSON, of each
    input.

    >>> list(parse_texts("1 2\\n[3]"))
    [('line 1', [1, 2]), ('line 2', [3])]

    Raises UsageError that names the first item that is no id, once what is before its text is out.
    """
    if not is_json(text):
        for number, line in enumerate(text.splitlines(), 1):
            place = f"line {number}"
            with located(place):
                ids = parse_ids(line)
            yield place, ids
        return
    inputs = (one for document in _documents(text) for one in _inputs_of(document))
    for number, one in enumerate(inputs, 1):
        place = f"input {number}"
        with located(place):
            ids = list(_ids_of(one))
        yield place, ids


@contextmanager
def located(place: str) -> Iterator[None]:
    """Puts `place`, unless it is "", in front of what an error about ids says."""
    try:
        yield
    except (UsageError, TokenIdError) as error:
        raise type(error)(f"{place}: {error}" if place else str(error)) from error


class IdReader:
    """Takes text as it arrives and gives the ids that are complete."""

    def __init__(self) -> None:
        self._pending = ""
        self._depth = 0
        self._n_items = 0
        self._may_follow_comma = False

    def feed(self, text: str) -> list[int]:
        """The ids that `text` completes. Raises UsageError for an item that is no id."""
        text = self._pending + text
        end = len(text)
        while end and not (text[end - 1].isspace() or text[end - 1] in "[],"):
            end -= 1
        self._pending = text[end:]
        return self._parse(text[:end])

    def finish(self) -> list[int]:
        """The id that only the end of the text completes, if any.

        Raises UsageError where a list is left open.
        """
        ids = self._parse(self._pending)
        self._pending = ""
        if self._depth:
            raise UsageError(f"the list of ids is not closed after item {self._n_items}")
        return ids

    def _parse(self, text: str) -> list[int]:
        ids = []
        for match in _ITEM.finditer(text):
            item = match[0]
            if item == "[":
                if self._depth:
                    raise UsageError(f"a list inside a list of ids, after item {self._n_items}")
                self._depth = 1
                self._may_follow_comma = False
            elif item == "]":
                if not self._depth:
                    raise UsageError(f"']' without '[' after item {self._n_items} of the ids")
                self._depth = 0
                self._may_follow_comma = True
            elif item == ",":
                if not self._may_follow_comma:
                    raise UsageError(f"nothing before a comma, after item {self._n_items}")
                self._may_follow_comma = False
            else:
                self._n_items += 1
                ids.append(_id(item, self._n_items))
                self._may_follow_comma = True
        return ids


def _id(item: str, number: int) -> int:
    if item.isascii() and item.isdigit() and len(item) <= _MAX_DIGITS:
        return int(item)
    raise UsageError(f"item {number}, '{_short(item)}', is no token id: a decimal number from 0")


def short_integer(digits: str) -> int:
    """The number in JSON, for json's parse_int; ValueError where it has hundreds of digits, of
    which Python would speak in its own way."""
    if len(digits) > _MAX_JSON_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits is too long")
    return int(digits)


def _short(item: str) -> str:
    return item if len(item) <= 40 else item[:40] + "..."


def is_json(text: str) -> bool:
    """Whether `text` begins a JSON document rather than a plain list of ids."""
    start = text.lstrip()[:64]
    return start.startswith("{") or (start.startswith("[") and start[1:].lstrip().startswith("{"))


def _documents(text: str) -> Iterator[object]:
    decoder = json.JSONDecoder(parse_int=short_integer)
    position = 0
    while position < len(text):
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"the ids are not well-formed JSON: {error}") from None
        yield value
        while position < len(text) and text[position].isspace():
            position += 1


def _inputs_of(value: object) -> list[object]:
    """The inputs that one document of tokenize is about."""
    inputs = value.get("inputs") if isinstance(value, dict) else None
    return inputs if isinstance(inputs, list) else [value]


def _ids_of(value: object) -> Iterator[int]:
    """The ids in one document: an object with "tokens", "ids" or "inputs", or a list of those or
    of ids."""
    if isinstance(value, dict):
        for key in ("tokens", "ids", "inputs"):
            if isinstance(value.get(key), list):
                yield from _ids_of(value[key])
                return
        if "id" in value:
            yield _json_id(value["id"])
            return
        raise UsageError('the JSON has none of "tokens", "ids" and "inputs"; is it of tokenize?')
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                yield from _ids_of(item)
            else:
                yield _json_id(item)
        return
    yield _json_id(value)


def _json_id(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    shown = _short(json.dumps(value))
    raise UsageError(f"{shown} in the JSON is no token id: a whole number from 0")
