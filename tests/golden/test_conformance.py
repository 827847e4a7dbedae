"""Real vocabularies, against what llama.cpp answered, where that data is at hand.

TOKCLI_CONFORMANCE names the folder: NAME.jsonl.gz holds a question a line with its answer,
pre/ and set/ do so for a base vocabulary with metadata overridden (their first line says which),
vocabs/ holds the vocabularies. TOKCLI_CONFORMANCE_EVERY=20 takes every 20th line.
"""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

import tokcli
from tests.answers import Comparison
from tests.conftest import CONFORMANCE_VARIABLE
from tokcli.vocab import Vocab

FOLDER = os.environ.get(CONFORMANCE_VARIABLE)
EVERY = int(os.environ.get("TOKCLI_CONFORMANCE_EVERY", "1"))
# Other questions, in other forms: the commands and the chat templates have tests of their own.
OTHER = {"chat.jsonl.gz", "cli.jsonl.gz"}

# Where several texts look like EOT, llama.cpp's choice hangs on its hash table; tokcli takes the
# lowest id. "nl" is the line feed's token, which tokcli has no use for.
LEFT_OUT = {"eot", "nl"}


def recordings() -> list[str]:
    """The files with answers, relative to the folder; one that will be skipped without it."""
    if not FOLDER:
        return ["(no data)"]
    folder = Path(FOLDER)
    paths = [p for pattern in ("", "pre/", "set/") for p in folder.glob(f"{pattern}*.jsonl.gz")]
    return sorted(path.relative_to(folder).as_posix() for path in paths if path.name not in OTHER)


def vocabulary(folder: Path, name: str) -> Path:
    prefixed = folder / "vocabs" / f"ggml-vocab-{name}.gguf"
    return prefixed if prefixed.exists() else folder / "vocabs" / f"{name}.gguf"


def described(vocab: Vocab) -> dict[str, object]:
    """What the reference tells of a vocabulary; -1 for a special token that there is none of."""
    names = "bos eos sep pad mask fim_pre fim_suf fim_mid fim_pad fim_rep fim_sep".split()
    ids = {name: vocab.special[name].id for name in names}
    return {
        "n_tokens": len(vocab),
        "type": vocab.type.value,
        **{name: vocab.settings[name].value for name in ("add_bos", "add_eos", "add_sep")},
        **{name: -1 if id_ is None else id_ for name, id_ in ids.items()},
        "eog": sorted(vocab.eog_ids),
    }


@pytest.mark.parametrize("recording", recordings())
def test_answers_are_those_of_the_reference(recording: str, conformance: Path) -> None:
    with gzip.open(conformance / recording, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    if rows[0]["op"] == "base":
        path, overrides = vocabulary(conformance, rows[0]["vocab"]), rows[0]["set"]
    else:
        path, overrides = vocabulary(conformance, recording.removesuffix(".jsonl.gz")), None
    tokenizer = tokcli.load(path, overrides)
    comparison = Comparison(tokenizer, recording)

    for number, row in enumerate(rows, 1):
        if row["op"] == "info":
            expected = {name: row["answer"][name] for name in row["answer"] if name not in LEFT_OUT}
            assert described(tokenizer.vocab) == expected
        elif row["op"] != "base" and (number - 1) % EVERY == 0:
            question = {name: row[name] for name in row if name not in ("answer", "cat")}
            comparison.check(question, row["answer"], f"line {number}")

    assert comparison.asked > 0
    comparison.assert_same()
