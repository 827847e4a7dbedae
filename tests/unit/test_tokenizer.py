from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import tokcli
from tests import vocabularies
from tests.asking import texts
from tests.builders import tiny_bpe, tiny_raw_bpe, tiny_spm, tiny_wpm
from tests.inputs import hard_inputs
from tokcli import VocabError
from tokcli.tokenizer import Tokenizer, builtin_path


def test_the_built_in_vocabulary() -> None:
    tokenizer = tokcli.load()

    assert tokenizer.tokenize("How are") == [2437, 389]
    assert tokenizer.detokenize([2437, 389]) == b"How are"
    assert len(tokenizer.vocab) == 50257
    assert tokenizer.metadata.path == builtin_path()


def test_text_may_be_str_or_bytes(tmp_path: Path) -> None:
    tokenizer = tokcli.load(str(tiny_bpe(tmp_path / "bpe.gguf")))

    assert tokenizer.tokenize("é") == tokenizer.tokenize("é".encode())
    assert tokenizer.tokenize("\udcff") == tokenizer.tokenize(b"\xff")


def test_bos_and_eos_as_the_settings_say(tmp_path: Path) -> None:
    path = tiny_spm(tmp_path / "spm.gguf")

    assert texts(tokcli.load(path), "ab", add_special=True) == ["<s>", "▁ab"]
    changed = {"tokenizer.ggml.add_bos_token": False, "tokenizer.ggml.add_eos_token": True}
    assert texts(tokcli.load(path, changed), "ab", add_special=True) == ["▁ab", "</s>"]


def test_empty_input_gets_its_special_tokens(tmp_path: Path) -> None:
    assert texts(tokcli.load(tiny_spm(tmp_path / "spm.gguf")), "", add_special=True) == ["<s>"]
    wpm = tokcli.load(tiny_wpm(tmp_path / "wpm.gguf"))
    assert texts(wpm, "", add_special=True) == ["[CLS]", "[SEP]"]


def test_bos_may_come_twice(tmp_path: Path) -> None:
    tokenizer = tokcli.load(tiny_spm(tmp_path / "spm.gguf"))

    assert tokenizer.tokenize("<s>ab")[:2] == [1, 1]


def test_merging_may_spell_a_control_token(tmp_path: Path) -> None:
    tokenizer = tokcli.load(tiny_spm(tmp_path / "spm.gguf"))

    # "<s" and ">" join, as any two neighbours whose text is a token.
    assert texts(tokenizer, "<s>ab") == ["▁", "<s>", "ab"]
    assert texts(tokenizer, "<s>ab", parse_special=True) == ["<s>", "▁ab"]


def test_a_special_token_that_is_asked_for_and_missing(tmp_path: Path) -> None:
    tokenizer = tokcli.load(tiny_raw_bpe(tmp_path / "gemma.gguf", bos_token_id=None))

    assert texts(tokenizer, "ab") == ["ab"]
    with pytest.raises(VocabError, match="add_bos asks for BOS"):
        tokenizer.tokenize("ab")


@pytest.mark.parametrize("name", ["spm", "bpe-llama3", "gemma4", "wpm", "ugm-charsmap", "plamo3"])
def test_explain_gives_the_same_ids(name: str, tmp_path: Path) -> None:
    tokenizer = tokcli.load(vocabularies.path_of(name, tmp_path))

    for data in hard_inputs()[::5]:
        assert list(tokenizer.explain(data).ids) == tokenizer.tokenize(data)


@pytest.mark.parametrize("name", ["built-in", "spm", "gemma4", "wpm", "ugm-charsmap", "rwkv"])
def test_threads_may_share_a_tokenizer(name: str, tmp_path: Path) -> None:
    path = vocabularies.path_of(name, tmp_path)
    inputs = [data for data in hard_inputs() if data != bytes(range(256))] * 2
    alone = tokcli.load(path)
    expected = [alone.tokenize(data) for data in inputs]
    # Its tables and caches are empty still, and filled by eight threads at once.
    shared = tokcli.load(path)

    def work(shift: int) -> list[tuple[list[int], bytes]]:
        turned = inputs[shift:] + inputs[:shift]
        found = [shared.tokenize(data) for data in turned]
        found = found[-shift:] + found[:-shift] if shift else found
        return [(ids, shared.detokenize(i for i in ids if i >= 0)) for ids in found]

    with ThreadPoolExecutor(8) as pool:
        for result in pool.map(work, range(0, 40, 5)):
            assert [ids for ids, _ in result] == expected
            assert [data for _, data in result] == [
                alone.detokenize(i for i in ids if i >= 0) for ids in expected
            ]


def test_two_vocabularies_share_nothing(tmp_path: Path) -> None:
    first = tokcli.load(tiny_bpe(tmp_path / "a.gguf"))
    second = tokcli.load(tiny_bpe(tmp_path / "b.gguf", pre="llama-bpe"))
    before = first.tokenize("there 1234 there"), second.tokenize("there 1234 there")

    again = second.tokenize("there 1234 there"), first.tokenize("there 1234 there")

    assert before == again[::-1]
    assert before[0] != before[1]


def test_a_tokenizer_comes_from_metadata_too(tmp_path: Path) -> None:
    first = tokcli.load(tiny_spm(tmp_path / "spm.gguf"))

    assert Tokenizer(first.metadata).tokenize("ab") == first.tokenize("ab")
