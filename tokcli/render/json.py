"""The JSON documents of `tokcli tokenize`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, BinaryIO

from tokcli.listing.token_roles import type_name
from tokcli.render.json_text import json_string, json_text
from tokcli.render.tokenized import Tokenized

if TYPE_CHECKING:
    from tokcli.tokenizer import Tokenizer
    from tokcli.vocab import TokenId

__all__ = ["JsonDocument", "JsonLines"]

BATCH = 1 << 12
_WORDS = {None: "null", True: "true", False: "false"}


def _json(value: str | int | Mapping[str, object] | None) -> str:
    """A value as JSON in one line, safe to send to a terminal."""
    if isinstance(value, str):
        return json_string(value)
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    if isinstance(value, int):
        return str(value)
    return f"{{{_fields(value)}}}"


def _fields(value: Mapping[str, object], separator: str = ", ") -> str:
    return separator.join(f"{json_string(key)}: {_json(item)}" for key, item in value.items())  # type: ignore[arg-type]


class _Json:
    """Both documents: an object for each input, with `model` and `settings` repeated in each."""

    needs_spans = True

    def __init__(
        self,
        tokenizer: Tokenizer,
        output: BinaryIO,
        *,
        model: str,
        settings: Mapping[str, object],
        batch: bool,
    ) -> None:
        """batch: there may be several inputs, so each object says which."""
        self.tokenizer = tokenizer
        self.output = output
        self.batch = batch
        self.head: dict[str, object] = {"model": model, "settings": dict(settings)}
        self.total = 0
        self.n_results = 0
        self._known: dict[int, str] = {}

    def _head(self, result: Tokenized) -> dict[str, object]:
        self.total += len(result.ids)
        self.n_results += 1
        where: dict[str, object] = {}
        if self.batch:
            where["file"] = result.file
            if result.line is not None:
                where["line"] = result.line
        return {**where, **self.head, "count": len(result.ids)}

    def _tokens(self, result: Tokenized) -> Iterator[str]:
        assert result.spans is not None
        known = self._known
        for id, start, end in result.spans:
            if id not in known:
                known[id] = self._without_span(id)
            if start is None:
                yield f'{known[id]}"start": null, "end": null}}'
            else:
                yield f'{known[id]}"start": {start}, "end": {end}}}'

    def _without_span(self, id: TokenId) -> str:
        piece = self.tokenizer.piece(id)
        kind = type_name(self.tokenizer.vocab.type_of(id))
        return (
            f'{{"id": {id}, "piece": {json_text(piece)}, "bytes": "{piece.hex()}", '
            f'"type": {json_string(kind)}, '
        )

    def _warnings(self, result: Tokenized) -> str:
        found = (_json({"code": code, "message": message}) for code, message in result.warnings)
        return f"[{', '.join(found)}]"

    def _write_joined(self, items: Iterator[str], separator: str) -> None:
        batch: list[str] = []
        first = True
        for item in items:
            batch.append(item if first else separator + item)
            first = False
            if len(batch) == BATCH:
                self._write("".join(batch))
                batch.clear()
        self._write("".join(batch))

    def _write(self, text: str) -> None:
        self.output.write(text.encode())


class JsonLines(_Json):
    """One object a line for each input."""

    def add(self, result: Tokenized) -> None:
        """Print one result."""
        self._write(f'{{{_fields(self._head(result))}, "tokens": [')
        self._write_joined(self._tokens(result), ", ")
        self._write(f'], "warnings": {self._warnings(result)}}}\n')

    def finish(self) -> None:
        """Nothing comes after the last line."""


class JsonDocument(_Json):
    """One object, laid out for reading with a token a line; of several inputs, {"inputs", "total"}
    around theirs."""

    def add(self, result: Tokenized) -> None:
        """Print one result."""
        if self.batch:
            self._write(",\n" if self.n_results else '{"inputs": [\n')
        head = _fields(self._head(result), separator=",\n  ")
        self._write(f'{{\n  {head},\n  "tokens": [')
        if result.ids:
            self._write("\n    ")
            self._write_joined(self._tokens(result), ",\n    ")
            self._write("\n  ")
        self._write("],\n")
        self._write(f'  "warnings": {self._warnings(result)}\n}}')

    def finish(self) -> None:
        """Close the list of inputs and give the total."""
        if self.batch:
            self._write("" if self.n_results else '{"inputs": [')
            self._write(f'\n], "total": {self.total}}}')
        self._write("\n")
