"""Asks tokcli what a reference was asked, and says where the two differ."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

import tokcli

if TYPE_CHECKING:
    from tokcli.tokenizer import Tokenizer

SHOWN = 5
LONGEST = 400


def question_bytes(question: Mapping[str, Any]) -> bytes:
    """The input of a tokenize question, given as "hex" or as "text"."""
    if "hex" in question:
        return bytes.fromhex(question["hex"])
    text: str = question["text"]
    return text.encode()


def answer(tokenizer: Tokenizer, question: Mapping[str, Any]) -> dict[str, Any]:
    """tokcli's answer in the reference's form; {"error": ...} for an error of its own."""
    try:
        if question["op"] == "tokenize":
            ids = tokenizer.tokenize(
                question_bytes(question),
                add_special=question["add_special"],
                parse_special=question["parse_special"],
            )
            return {"ids": ids}
        if question["op"] == "detokenize":
            data = tokenizer.detokenize(
                question["ids"],
                remove_special=question["remove_special"],
                unparse_special=question["unparse_special"],
            )
        else:
            data = tokenizer.piece(
                question["id"], special=question["special"], lstrip=question["lstrip"]
            )
        return {"hex": data.hex()}
    except tokcli.TokcliError as error:
        return {"error": str(error)}


class Comparison:
    """Collects the questions on which tokcli and the reference differ."""

    def __init__(self, tokenizer: Tokenizer, what: str) -> None:
        self.tokenizer = tokenizer
        self.what = what
        self.asked = 0
        self.different: list[str] = []

    def check(self, question: Mapping[str, Any], expected: Mapping[str, Any], where: str) -> None:
        """Ask tokcli `question`. Where the reference crashed, any answer will do, errors too."""
        self.asked += 1
        actual = answer(self.tokenizer, question)
        if expected.get("crash"):
            return
        key = "ids" if question["op"] == "tokenize" else "hex"
        wanted = {key: expected[key]}
        if actual != wanted:
            self.different.append(
                f"{where}: {json.dumps(question)[:LONGEST]}\n"
                f"    expected {self._shown(wanted)}\n"
                f"    actual   {self._shown(actual)}"
            )

    def _shown(self, answer: Mapping[str, Any]) -> str:
        if "ids" in answer:
            shown = [f"{i} {self._piece(i)}" for i in answer["ids"]]
            return f"[{', '.join(shown)}]"[:LONGEST]
        if "hex" in answer:
            return repr(bytes.fromhex(answer["hex"]))[:LONGEST]
        return f"error: {answer['error']}"

    def _piece(self, token: int) -> str:
        try:
            return repr(self.tokenizer.piece(token))
        except tokcli.TokcliError:
            return "(no token)"

    def assert_same(self) -> None:
        """Fail the test, naming the first few differences, unless all answers were the same."""
        if self.different:
            head = f"{self.what}: {len(self.different)} of {self.asked} answers differ"
            pytest.fail("\n".join([head, *self.different[:SHOWN]]), pytrace=False)
