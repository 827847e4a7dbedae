"""The plain formats of `tokcli tokenize`, whatever the number of ids."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.builders import tiny_spm
from tokcli.render import text
from tokcli.render.text import IdLists, LlamaLines
from tokcli.tokenizer import load


@pytest.mark.parametrize("batch", [2, text.BATCH])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 400])
def test_a_list_of_ids_is_as_python_writes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, batch: int
) -> None:
    monkeypatch.setattr(text, "BATCH", batch)
    tokenizer = load(tiny_spm(tmp_path / "m.gguf"))
    assert tokenizer.vocab.n_tokens < 400
    output = io.BytesIO()
    # Where there is no token, not even an unknown one, llama.cpp gives -1.
    ids = [(7 * number) % 260 - 1 for number in range(count)]

    IdLists(tokenizer, output).write(ids)

    assert output.getvalue().decode() == f"{ids}\n"


@pytest.mark.parametrize("batch", [2, text.BATCH])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 400])
def test_lines_are_as_llama_tokenize_writes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, batch: int
) -> None:
    monkeypatch.setattr(text, "BATCH", batch)
    tokenizer = load(tiny_spm(tmp_path / "m.gguf"))
    output = io.BytesIO()
    ids = [32 + number % 64 for number in range(count)]

    LlamaLines(tokenizer, output).write(ids)

    assert output.getvalue() == b"".join(b"%6d -> '%s'\n" % (i, tokenizer.piece(i)) for i in ids)
