"""What holds of every explanation: over the tiny vocabularies with the recorded inputs, and over
the real ones where TOKCLI_CONFORMANCE names them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import tokcli
from tests import vocabularies
from tests.answers import question_bytes
from tests.explained import check, check_drawing, check_tiling
from tests.golden.test_conformance import OTHER
from tokcli.tokenizer import Tokenizer
from tokcli.vocab import VocabType

RECORDED = Path(__file__).resolve().parent.parent / "recorded"
FLAGS = [(False, False), (True, True), (False, True)]
# Drawing and validating cost more than tokenizing: not every explanation is.
DRAW_EVERY = 9
LONGEST = 400
PER_VOCABULARY = 60


def explained(tokenizer: Tokenizer, data: bytes, number: int) -> bool:
    """Check `data` with one of the flags in turn; False where llama.cpp ends its process."""
    add_special, parse_special = FLAGS[number % len(FLAGS)]
    try:
        run = check(tokenizer, data, add_special=add_special, parse_special=parse_special)
    except (tokcli.TokenizeError, tokcli.VocabError):
        return False
    if tiles(tokenizer, data) and not any(chunk.dropped for chunk in run.chunks):
        check_tiling(run)
    if number % DRAW_EVERY == 0:
        check_drawing(run)
    return True


def tiles(tokenizer: Tokenizer, data: bytes) -> bool:
    """Whether all of the input is in tokens, with spans that are exact."""
    vocab = tokenizer.vocab
    kinds = (VocabType.SPM, VocabType.RWKV, VocabType.TEST)
    byte_level = vocab.type == VocabType.BPE and vocab.flag("byte_encode")
    plain = byte_level and vocab.model == "gpt2" and vocab.pre != "soprano"
    # What is not UTF-8 may become a longer character, or tear the bytes of U+2581 apart.
    return is_utf8(data) and (vocab.type in kinds or plain)


def is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize("name", vocabularies.ALL)
def test_recorded_inputs(name: str, tmp_path: Path) -> None:
    rows = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))["tokenize"]
    tokenizer = tokcli.load(vocabularies.path_of(name, tmp_path))

    done = [explained(tokenizer, question_bytes(row), i) for i, row in enumerate(rows)]

    assert sum(done) > len(rows) * 0.9


def test_real_vocabularies(conformance: Path) -> None:
    paths = sorted(path for path in conformance.glob("*.jsonl.gz") if path.name not in OTHER)
    checked = 0
    for path in paths:
        tokenizer = _vocabulary(conformance, path.name.removesuffix(".jsonl.gz"))
        if tokenizer is None:
            continue
        texts = _texts(path)
        every = max(1, len(texts) // PER_VOCABULARY)
        for number, data in enumerate(texts[::every]):
            checked += explained(tokenizer, data, number)
    assert checked > 1000


def _vocabulary(folder: Path, name: str) -> Tokenizer | None:
    for path in (f"vocabs/{name}.gguf", f"vocabs/ggml-vocab-{name}.gguf"):
        if (folder / path).exists():
            return tokcli.load(folder / path)
    return None


def _texts(path: Path) -> list[bytes]:
    """The distinct short inputs of a file of questions, in order."""
    found: dict[bytes, None] = {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            if '"op": "tokenize"' in line:
                data = question_bytes(json.loads(line))
                if len(data) <= LONGEST:
                    found[data] = None
    return list(found)
