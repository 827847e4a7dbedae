"""JSON, in which nothing reaches a terminal raw, and the documents of `tokcli tokenize`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

from tokcli.render.terminal import UNSAFE
from tokcli.render.tokenized import Tokenized

if TYPE_CHECKING:
    from tokcli.token_spans import TokenSpan
    from tokcli.tokenizer import Tokenizer

__all__ = ["JsonDocument", "JsonLines", "dumps", "piece_text", "type_name"]

BATCH = 1 << 12
_UNSAFE = re.compile(UNSAFE)


def dumps(value: object, *, indent: int | None = None) -> str:
    r"""`value` as JSON: text stays readable, control and invisible characters become \uXXXX."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    # Control characters inside strings are escaped by now; newlines are the layout's.
    return _UNSAFE.sub(lambda match: "\n" if match[0] == "\n" else json.dumps(match[0])[1:-1], text)


def piece_text(piece: bytes) -> str | None:
    """The piece as text, or None where its bytes are not UTF-8."""
    try:
        return piece.decode("utf-8")
    except UnicodeDecodeError:
        return None


def type_name(attr: int) -> str:
    """A token's type in words: "normal", "control", "user_defined", "byte", "unknown", "unused"."""
    from tokcli.vocab import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED

    names = {
        UNKNOWN: "unknown",
        CONTROL: "control",
        USER_DEFINED: "user_defined",
        BYTE: "byte",
        UNUSED: "unused",
        NORMAL: "normal",
    }
    return next((name for bit, name in names.items() if attr & bit), "undefined")


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
        self._known: dict[int, dict[str, object]] = {}

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
        for span in result.spans:
            yield dumps(self._token(span))

    def _token(self, span: TokenSpan) -> dict[str, object]:
        known = self._known.get(span.id)
        if known is None:
            piece = self.tokenizer.piece(span.id)
            known = self._known[span.id] = {
                "id": span.id,
                "piece": piece_text(piece),
                "bytes": piece.hex(),
                "type": type_name(self.tokenizer.vocab.attr(span.id)),
            }
        return {**known, "start": span.start, "end": span.end}

    def _warnings(self, result: Tokenized) -> list[dict[str, Any]]:
        return [{"code": code, "message": message} for code, message in result.warnings]

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
        self._write(dumps(self._head(result))[:-1] + ', "tokens": [')
        self._write_joined(self._tokens(result), ", ")
        self._write(f'], "warnings": {dumps(self._warnings(result))}}}\n')

    def finish(self) -> None:
        """Nothing comes after the last line."""


class JsonDocument(_Json):
    """One object, laid out for reading with a token a line; of several inputs, {"inputs", "total"}
    around theirs."""

    def add(self, result: Tokenized) -> None:
        """Print one result."""
        if self.batch:
            self._write(",\n" if self.n_results else '{"inputs": [\n')
        fields = [f"  {dumps(key)}: {dumps(value)}" for key, value in self._head(result).items()]
        self._write("{\n" + ",\n".join(fields) + ',\n  "tokens": [')
        if result.ids:
            self._write("\n    ")
            self._write_joined(self._tokens(result), ",\n    ")
            self._write("\n  ")
        self._write("],\n")
        self._write(f'  "warnings": {dumps(self._warnings(result))}\n}}')

    def finish(self) -> None:
        """Close the list of inputs and give the total."""
        if self.batch:
            self._write("" if self.n_results else '{"inputs": [')
            self._write(f'\n], "total": {self.total}}}')
        self._write("\n")
