from __future__ import annotations

from pathlib import Path

import pytest

import tokcli
from tests import vocabularies
from tests.builders import tiny_spm
from tokcli.token_spans import spanned_tokens, traced_tokens

TEXTS = ["", "Hello world", " the  there\n", "日本 é😀", "<s>ab</s> x", "\0\xff\x1b", "it's 12345"]


@pytest.mark.parametrize("name", vocabularies.ALL)
def test_ids_are_those_of_tokenize_and_spans_lie_in_order(
    name: str, tiny_vocabularies: dict[str, Path]
) -> None:
    tokenizer = tokcli.load(tiny_vocabularies.get(name))
    for text in TEXTS:
        data = text.encode()
        try:
            ids = tokenizer.tokenize(data)
        except tokcli.TokcliError:
            continue
        found = spanned_tokens(tokenizer, data, add_special=True, parse_special=True)
        spans = list(found.spans)

        assert found.ids == [span.id for span in spans] == ids
        traced = traced_tokens(tokenizer, data, add_special=True, parse_special=True)
        assert (traced.ids, traced.spans) == (ids, spans)
        starts = [span.start for span in spans if span.start is not None]
        ends = [span.end for span in spans if span.end is not None]
        assert starts == sorted(starts)
        assert ends == sorted(ends)
        assert all(0 <= start <= end <= len(data) for start, end in zip(starts, ends, strict=True))


def test_spans_of_bytes() -> None:
    found = spanned_tokens(tokcli.load(), "How日".encode(), add_special=True, parse_special=True)

    assert list(found.spans) == [(2437, 0, 3), (33768, 3, 5), (98, 5, 6)]


def test_added_tokens_have_no_span_and_special_ones_their_text(tmp_path: Path) -> None:
    tokenizer = tokcli.load(tiny_spm(tmp_path / "spm.gguf"))
    bos, eos = tokenizer.vocab.special_id("bos"), tokenizer.vocab.special_id("eos")
    found = spanned_tokens(tokenizer, b"</s>", add_special=True, parse_special=True)

    assert list(found.spans) == [(bos, None, None), (eos, 0, 4)]
