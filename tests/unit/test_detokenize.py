from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.asking import small, with_bytes
from tests.builders import (
    BYTE_LEVEL,
    tiny_plamo2,
    tiny_raw_bpe,
    tiny_soprano,
    tiny_spm,
    tiny_test,
)
from tests.gguf_files import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED
from tokcli import TokenIdError, VocabError, detokenize, load
from tokcli.detokenize import clean_spaces
from tokcli.tokenizer import Tokenizer

TOKENS = {
    "<unk>": UNKNOWN, "<s>": CONTROL, "</s>": CONTROL, "▁a": NORMAL, "▁▁b": NORMAL, "!": NORMAL,
    "▁": NORMAL, "{▁}": USER_DEFINED, "unused▁": UNUSED, "'s": NORMAL, "▁!": NORMAL, "x": 0,
}  # fmt: skip


def spm(folder: Path, **fields: Any) -> Tokenizer:
    tokens, types = with_bytes(list(TOKENS), list(TOKENS.values()))
    return small(folder, "llama", tokens, types=types, **fields)


def ids(tokenizer: Tokenizer, *texts: str) -> list[int]:
    return [tokenizer.vocab.token_to_id[text.encode()] for text in texts]


@pytest.mark.parametrize(
    ("token", "piece"),
    [
        ("▁a", b" a"),
        ("▁▁b", b"  b"),
        ("<s>", b"<s>"),
        ("<unk>", b"<unk>"),
        # U+2581 stays in user-defined tokens.
        ("{▁}", "{▁}".encode()),
        ("unused▁", b""),
        ("x", b""),
        ("<0x41>", b"A"),
        ("<0xFF>", b"\xff"),
    ],
)
def test_spm_pieces(tmp_path: Path, token: str, piece: bytes) -> None:
    tokenizer = spm(tmp_path)
    (id,) = ids(tokenizer, token)

    assert tokenizer.piece(id) == piece
    special = token in ("<s>", "<unk>")
    assert tokenizer.piece(id, special=False) == (b"" if special else piece)


def test_lstrip_leaves_out_so_many_spaces(tmp_path: Path) -> None:
    tokenizer = spm(tmp_path)
    (id,) = ids(tokenizer, "▁▁b")

    assert [tokenizer.piece(id, lstrip=count) for count in range(4)] == [b"  b", b" b", b"b", b"b"]


def test_the_leading_space_is_dropped_once(tmp_path: Path) -> None:
    tokenizer = spm(tmp_path)

    assert tokenizer.detokenize(ids(tokenizer, "▁a", "▁a")) == b"a a"
    assert tokenizer.detokenize(ids(tokenizer, "▁▁b")) == b" b"
    assert tokenizer.detokenize(ids(tokenizer, "<s>", "▁a")) == b"<s> a"
    assert tokenizer.detokenize([]) == b""

    plain = spm(tmp_path, add_space_prefix=False)
    assert plain.detokenize(ids(plain, "▁a")) == b" a"


def test_remove_special_takes_what_the_vocabulary_adds(tmp_path: Path) -> None:
    tokenizer = spm(tmp_path, add_eos_token=True)
    tokens = ids(tokenizer, "<s>", "▁a", "</s>")

    assert tokenizer.detokenize(tokens) == b"<s> a</s>"
    # The space behind a removed BOS is kept.
    assert tokenizer.detokenize(tokens, remove_special=True) == b" a"
    assert tokenizer.detokenize(tokens[:1], remove_special=True) == b""

    without = spm(tmp_path, add_bos_token=False)
    assert without.detokenize(tokens, remove_special=True) == b"<s> a</s>"


def test_unparse_special(tmp_path: Path) -> None:
    tokenizer = spm(tmp_path)

    tokens = ids(tokenizer, "<s>", "▁a", "<unk>", "{▁}")

    assert tokenizer.detokenize(tokens, unparse_special=False) == " a{▁}".encode()


def test_clean_spaces_by_key(tmp_path: Path) -> None:
    cleaned = spm(tmp_path, clean_spaces=True)

    assert cleaned.detokenize(ids(cleaned, "▁a", "▁!", "▁", "'s")) == b"a!'s"
    plain = spm(tmp_path)
    assert plain.detokenize(ids(plain, "▁a", "▁!", "▁", "'s")) == b"a ! 's"


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        (b"a ?b !c .d ,e ;f", b"a?b!c.d,e ;f"),
        (b"a ' b", b"a'b"),
        (b"a 's 'm 're 've 'll n't", b"a's'm're've 'll n't"),
        (b"  .", b" ."),
        (b" ", b" "),
        (b"a '", b"a '"),
        (b"", b""),
        (b" ' ' ", b"'' "),
    ],
)
def test_clean_spaces(text: bytes, cleaned: bytes) -> None:
    assert clean_spaces(text) == cleaned


def test_byte_alphabet(tmp_path: Path) -> None:
    tokens = [*BYTE_LEVEL, "Ġa", "é日", "<0x41>"]
    tokenizer = small(tmp_path, "gpt2", tokens, pre="gpt-2", merges=["a b"])

    assert tokenizer.piece(256) == b" a"
    # Each character outside the alphabet is shown with the whole token.
    assert tokenizer.piece(257) == "\xe9".encode("latin-1") + "[UNK_BYTE_0xe697a5é日]".encode()
    assert tokenizer.piece(258) == b"<0x41>"
    every = [tokenizer.vocab.token_to_id[text.encode()] for text in BYTE_LEVEL]
    assert sorted(tokenizer.piece(id) for id in every) == [bytes([byte]) for byte in range(256)]


@pytest.mark.parametrize(
    ("text", "piece"),
    [
        ("<0x0a>", b"\n"),
        ("<0xZZ>", b"\0"),
        ("<0x", b"\0"),
        ("abc7", b"\x07"),
        ("abc-5", b"\xfb"),
        ("abc+5", b"\x05"),
        ("abc 7", b"\x07"),
    ],
)
def test_byte_tokens_are_read_by_place(tmp_path: Path, text: str, piece: bytes) -> None:
    tokenizer = small(tmp_path, "llama", ["a", text], types=[NORMAL, BYTE])

    assert tokenizer.piece(1) == piece


@pytest.mark.parametrize("model", ["llama", "t5", "gpt2"])
def test_byte_tokens_too_short_for_a_byte_are_refused(tmp_path: Path, model: str) -> None:
    with pytest.raises(VocabError, match="token 1 'ab' is typed BYTE"):
        small(tmp_path, model, ["a", "ab"], types=[NORMAL, BYTE], merges=["a b"], pre="gpt-2")


def test_other_types(tmp_path: Path) -> None:
    plamo = load(tiny_plamo2(tmp_path / "plamo.gguf"))
    newline = plamo.vocab.token_to_id[b"<0x0A>"]
    assert plamo.piece(newline) == b"\n"

    gemma = load(tiny_raw_bpe(tmp_path / "gemma.gguf"))
    assert gemma.piece(gemma.vocab.token_to_id["▁the".encode()]) == b" the"

    soprano = load(tiny_soprano(tmp_path / "soprano.gguf"))
    assert soprano.piece(soprano.vocab.token_to_id["é".encode()]) == "é".encode()

    hashed = load(tiny_test(tmp_path / "test.gguf"))
    assert hashed.piece(26) == b"1a"


@pytest.mark.parametrize("id", [-1, 12 + 256, 1 << 40])
def test_ids_outside_the_vocabulary(tmp_path: Path, id: int) -> None:
    tokenizer = spm(tmp_path)

    with pytest.raises(TokenIdError, match=f"token id {id} is outside"):
        tokenizer.piece(id)
    with pytest.raises(TokenIdError, match="ids 0 to 267"):
        tokenizer.detokenize([3, id])


def test_names_the_first_of_several_wrong_ids(tmp_path: Path) -> None:
    tokenizer = load(tiny_spm(tmp_path / "m.gguf"))
    wrong = [10**9 + number for number in range(50, 0, -1)]

    with pytest.raises(TokenIdError, match=f"token id {wrong[0]} is outside"):
        tokenizer.detokenize([1, 2, *wrong])


def test_spaces_of_many_pieces_at_once(tmp_path: Path) -> None:
    tokens, types = with_bytes(["▁a▁", "b", b"\xff\xe2\x96\x81", "▁"])
    tokenizer = small(tmp_path, "llama", tokens, types=types, add_space_prefix=False)

    assert tokenizer.detokenize([0, 1, 3]) == b" a b "
    assert tokenizer.detokenize([3, 2, 1, 0]) == b" \xff b a "


def test_batches_join_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = load(tiny_spm(tmp_path / "m.gguf"))
    ids = tokenizer.tokenize("Hello world, the abc of it", add_special=False)
    whole = tokenizer.detokenize(ids)
    monkeypatch.setattr(detokenize, "BATCH", 3)

    assert tokenizer.detokenize(ids) == whole == b"Hello world, the abc of it"


def test_negative_ids_are_no_places_from_the_end(tmp_path: Path) -> None:
    tokenizer = load(tiny_spm(tmp_path / "m.gguf"))
    n_tokens = tokenizer.vocab.n_tokens
    everything = tokenizer.detokenize(list(range(n_tokens)))

    for id in (-1, -n_tokens, -n_tokens - 1, -2 * n_tokens, -2 * n_tokens - 1, n_tokens):
        with pytest.raises(TokenIdError, match=f"token id {id} is outside"):
            tokenizer.detokenize([3, id, 4])
    assert tokenizer.detokenize(list(range(n_tokens))) == everything


@pytest.mark.parametrize("id", ["3", 3.5, None, [3]])
def test_what_is_no_integer_is_no_id(tmp_path: Path, id: Any) -> None:
    tokenizer = load(tiny_spm(tmp_path / "m.gguf"))

    with pytest.raises(TypeError):
        tokenizer.detokenize([3, id])


def test_ids_of_numpy(tmp_path: Path) -> None:
    tokenizer = load(tiny_spm(tmp_path / "m.gguf"))
    ids = np.array(tokenizer.tokenize("Hello world", add_special=False))

    assert tokenizer.detokenize(ids) == b"Hello world"
    assert tokenizer.detokenize(ids.tolist()) == b"Hello world"


def test_a_token_that_is_control_by_its_text_alone(tmp_path: Path) -> None:
    tokens, types = with_bytes(["a", "<|im_end|>", "b"])
    tokenizer = small(tmp_path, "llama", tokens, types=types)

    assert tokenizer.detokenize([0, 1, 2]) == b"a<|im_end|>b"
    assert tokenizer.detokenize([0, 1, 2], unparse_special=False) == b"ab"
