"""No file makes a rule fail, and none that llama.cpp refuses goes without an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import builders
from tests.check.builders import CHATML, TEMPLATE, bpe, spm
from tokcli.check.known_keys import GENERAL_KEYS, KNOWN_KEYS
from tokcli.check.run import check_metadata
from tokcli.errors import VocabError
from tokcli.gguf_metadata import Metadata, read_metadata
from tokcli.tokenizer import Tokenizer

KEYS = [*KNOWN_KEYS, TEMPLATE, "tokenizer.chat_templates", "general.name", "tokenizer.ggml.x"]
KEYS += GENERAL_KEYS
MODELS = ["llama", "gpt2", "bert", "t5", "rwkv", "plamo2", "whitespace", "gemma4", "test", "none"]

texts = st.sampled_from(
    ["", "a", "<s>", "</s>", "<|im_end|>", "<0x41>", "h e", "he", " ", "a\0b", "phi-3", "\udcff",
     "default", "soprano", "first", CHATML, "{{ bos_token }}", "{% if", *MODELS]
)  # fmt: skip
values = st.one_of(
    texts,
    st.booleans(),
    st.sampled_from([0, 1, 2, 11, 300, 2**31, -1, 2**40]),
    st.sampled_from([0.0, float("nan"), float("inf")]),
    st.lists(texts, max_size=6),
    st.lists(st.integers(0, 9), max_size=6),
    st.lists(st.floats(width=32), max_size=6),
    st.integers(256, 300).map(lambda count: [1] * count),
)
overrides = st.dictionaries(st.sampled_from(KEYS), values, max_size=4)


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> list[Metadata]:
    folder = tmp_path_factory.mktemp("bases")
    chat: dict[str, Any] = {TEMPLATE: CHATML}
    paths: list[Path] = [
        bpe(folder / "bpe.gguf", **chat),
        spm(folder / "spm.gguf", **chat),
        builders.tiny_wpm(folder / "wpm.gguf"),
        builders.tiny_ugm_charsmap(folder / "ugm.gguf"),
        builders.tiny_rwkv(folder / "rwkv.gguf", **chat),
        builders.tiny_plamo2(folder / "plamo.gguf"),
    ]
    return [read_metadata(path) for path in paths]


def loads(metadata: Metadata) -> bool:
    try:
        Tokenizer(metadata)
    except VocabError:
        return False
    return True


@given(number=st.integers(0, 5), changes=overrides)
def test_anything_goes(number: int, changes: dict[str, object], bases: list[Metadata]) -> None:
    metadata = bases[number].with_overrides(changes)
    findings = check_metadata(metadata, replaced=frozenset(changes))
    if loads(metadata):
        assert not any(finding.refused for finding in findings)
    else:
        assert "error" in {finding.severity for finding in findings}
    for finding in findings:
        assert "\n" not in finding.message
        assert finding.message.isprintable()
