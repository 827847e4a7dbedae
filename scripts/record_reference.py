"""Record what a reference llama.cpp answers for the vocabularies of the tests.

    python -m scripts.record_reference --command "path/to/reference" [NAME ...]

The command speaks the protocol of tests/reference_process.py. The answers in tests/recorded are
those of llama.cpp b12211; where it ended its process, they say "crash".
"""

from __future__ import annotations

import argparse
import json
import random
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import gguf

from tests import inputs, vocabularies
from tests.reference_process import ReferenceProcess

RECORDED = Path(__file__).resolve().parent.parent / "tests" / "recorded"
FLAGS = [(False, False), (False, True), (True, False), (True, True)]
MOST_PIECES = 400
N_RANDOM_DETOKENIZE = 40


def special_texts(path: Path) -> list[bytes]:
    """The texts of all tokens that are neither normal nor bytes."""
    reader = gguf.GGUFReader(path)
    texts = reader.fields[gguf.Keys.Tokenizer.LIST]
    types = reader.fields[gguf.Keys.Tokenizer.TOKEN_TYPE].contents()
    plain = (gguf.TokenType.NORMAL, gguf.TokenType.BYTE)
    return [
        bytes(texts.parts[index])
        for index, kind in zip(texts.data, types, strict=True)
        if kind not in plain
    ]


def shown(data: bytes) -> dict[str, str]:
    """An input as the JSON keeps it: text where it is text, hex otherwise."""
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"hex": data.hex()}


def tokenize_rows(reference: ReferenceProcess, texts: Sequence[bytes]) -> Iterator[dict[str, Any]]:
    """One row a text; flags with the same answer share it."""
    for text in texts:
        answers: list[dict[str, Any]] = []
        for add_special, parse_special in FLAGS:
            flags = {"add_special": add_special, "parse_special": parse_special}
            answer = reference.ask({"op": "tokenize", "hex": text.hex(), **flags})
            same = next((a for a in answers if a["answer"] == answer), None)
            if same is None:
                answers.append({"flags": [flags], "answer": answer})
            else:
                same["flags"].append(flags)
        for entry in answers:
            entry["flags"] = [
                "+".join(name for name, on in flags.items() if on) for flags in entry["flags"]
            ]
            entry.update(entry.pop("answer"))
        yield {**shown(text), "answers": answers}


def detokenize_rows(
    reference: ReferenceProcess, n_tokens: int, rows: Sequence[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Every result of tokenize back to text, and ids in random order."""
    lists = {tuple(a["ids"]): None for row in rows for a in row["answers"] if "ids" in a}
    dice = random.Random(0)
    for _ in range(N_RANDOM_DETOKENIZE):
        lists[tuple(dice.randrange(n_tokens) for _ in range(dice.randrange(1, 9)))] = None
    flags = {"remove_special": False, "unparse_special": True}
    for ids in map(list, lists):
        if ids and all(0 <= i < n_tokens for i in ids):
            yield {"ids": ids, **reference.ask({"op": "detokenize", "ids": ids, **flags})}


def piece_rows(reference: ReferenceProcess, n_tokens: int) -> Iterator[dict[str, Any]]:
    """The piece of every token, or of some where there are many."""
    step = -(-n_tokens // MOST_PIECES)
    ids = sorted({*range(0, n_tokens, step), *range(max(0, n_tokens - 8), n_tokens)})
    for special, lstrip in ((True, 0), (False, 0), (True, 1)):
        question = {"op": "piece", "special": special, "lstrip": lstrip}
        answers = [reference.ask({**question, "id": i}) for i in ids]
        yield {"special": special, "lstrip": lstrip, "ids": ids, "hex": [a["hex"] for a in answers]}


def record(command: Sequence[str], name: str) -> None:
    """Write the answers for vocabulary `name`."""
    with tempfile.TemporaryDirectory() as folder:
        path = vocabularies.path_of(name, Path(folder))
        n_tokens = len(gguf.GGUFReader(path).fields[gguf.Keys.Tokenizer.LIST].data)
        texts = [*inputs.hard_inputs(), *inputs.around(special_texts(path))]
        with ReferenceProcess(command, path) as reference:
            rows = list(tokenize_rows(reference, list(dict.fromkeys(texts))))
            recorded = {
                "tokenize": rows,
                "detokenize": list(detokenize_rows(reference, n_tokens, rows)),
                "piece": list(piece_rows(reference, n_tokens)),
            }
    crashes = sum("crash" in answer for row in rows for answer in row["answers"])
    target = RECORDED / f"{name}.json"
    target.write_text(as_lines(recorded), encoding="utf-8")
    print(f"{target.name}: {len(rows)} texts, {crashes} crashes")


def as_lines(recorded: dict[str, list[dict[str, Any]]]) -> str:
    """JSON with one row a line."""
    parts = []
    for operation, rows in recorded.items():
        lines = ",\n".join(json.dumps(row, ensure_ascii=True) for row in rows)
        parts.append(f'"{operation}": [\n{lines}\n]')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main() -> None:
    """Parse the command line and record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="vocabularies (default: all)")
    parser.add_argument("--command", required=True, help="the reference")
    arguments = parser.parse_args()
    for name in arguments.names or vocabularies.ALL:
        record(shlex.split(arguments.command), name)


if __name__ == "__main__":
    main()
