from __future__ import annotations

from pathlib import Path

import pytest

import tokcli
from tests import vocabularies
from tests.asking import small
from tests.builders import tiny_raw_bpe, tiny_spm
from tests.gguf_files import NORMAL, UNKNOWN, UNUSED
from tokcli import token_spans
from tokcli.token_spans import spanned_tokens, traced_tokens

TEXTS = [
    *map(
        str.encode,
        ["", "Hello world", " the  there\n", "日本 é😀", "<s>ab</s> x", "\0\xff\x1b", "it's 12345"],
    ),
    "▁a ▁<s>▁".encode(),
    b"ab\xff\xe3\x81 \xed\xa0\x80 c\xf0\x9f",
    b"\x80",
]


@pytest.mark.parametrize("name", vocabularies.ALL)
def test_ids_are_those_of_tokenize_and_spans_lie_in_order(
    name: str, tiny_vocabularies: dict[str, Path]
) -> None:
    tokenizer = tokcli.load(tiny_vocabularies.get(name))
    for data in TEXTS:
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


def test_spans_of_replaced_bytes() -> None:
    data = b"How\xff are\xe3\x81"
    found = spanned_tokens(tokcli.load(), data, add_special=True, parse_special=True)

    assert list(found.spans) == [
        (2437, 0, 3), (4210, 3, 4), (389, 4, 8), (6353, 8, 10)
    ]  # fmt: skip


def test_each_byte_token_of_gemma_has_its_byte(tmp_path: Path) -> None:
    tokenizer = tokcli.load(tiny_raw_bpe(tmp_path / "gemma.gguf"))
    data = "a€ ß".encode()
    found = spanned_tokens(tokenizer, data, add_special=False, parse_special=True)
    spans = [(tokenizer.piece(span.id), span.start, span.end) for span in found.spans]

    assert spans == [(data[place : place + 1], place, place + 1) for place in range(len(data))]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("built-in", b"How <|endoftext|> are\xff " * 3),
        ("spm", "a the<s>ab \t\t</s> é€\n".encode() * 3 + b"\xff\xfe"),
        ("gemma4", "a the<|user|>é€ \n\n".encode() * 3 + b"\xff"),
        ("rwkv", "a the é€ \n\n".encode() * 3),
    ],
)
def test_most_spans_are_found_without_a_trace(
    name: str, data: bytes, tiny_vocabularies: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer = tokcli.load(tiny_vocabularies.get(name))
    expected = traced_tokens(tokenizer, data, add_special=True, parse_special=True)

    def fail(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(token_spans, "traced_tokens", fail)
    found = spanned_tokens(tokenizer, data, add_special=True, parse_special=True)

    assert (found.ids, list(found.spans)) == (expected.ids, expected.spans)


def test_tokens_without_bytes_are_traced(tmp_path: Path) -> None:
    """The unused token has no piece, and "ab" the piece of both."""
    tokens = ["<unk>", "▁", "a", "b", "ab"]
    types = [UNKNOWN, NORMAL, NORMAL, UNUSED, NORMAL]
    tokenizer = small(tmp_path, "llama", tokens, types=types, add_space_prefix=False)
    assert tokenizer.piece(3) == b""
    found = spanned_tokens(tokenizer, b"ba", add_special=False, parse_special=True)

    assert list(found.spans) == [(3, 0, 1), (2, 1, 2)]


def test_added_tokens_have_no_span_and_special_ones_their_text(tmp_path: Path) -> None:
    tokenizer = tokcli.load(tiny_spm(tmp_path / "spm.gguf"))
    bos, eos = tokenizer.vocab.special_id("bos"), tokenizer.vocab.special_id("eos")
    found = spanned_tokens(tokenizer, b"</s>", add_special=True, parse_special=True)

    assert list(found.spans) == [(bos, None, None), (eos, 0, 4)]
