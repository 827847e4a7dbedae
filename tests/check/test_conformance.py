"""Real vocabularies and broken files: every finding was looked at, and is true."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tokcli
from tokcli.check.run import check_file
from tokcli.errors import GgufError

# Rule ids, with "w" or "n" behind those that are a warning or a note here.
REAL: dict[str, str] = {
    "deepseek-v3": "TOK504w",
    "ggml-vocab-aquila": "TOK101 TOK210w",
    "ggml-vocab-baichuan": "",
    "ggml-vocab-bert-bge": "",
    "ggml-vocab-command-r": "TOK205w TOK504w",
    "ggml-vocab-deepseek-coder": "",
    "ggml-vocab-deepseek-llm": "",
    "ggml-vocab-falcon": "TOK206w",
    "ggml-vocab-gemma-4": "TOK306n TOK504w",
    "ggml-vocab-gpt-2": "",
    "ggml-vocab-gpt-neox": "TOK101",
    "ggml-vocab-llama-bpe": "TOK406n",
    "ggml-vocab-llama-spm": "",
    "ggml-vocab-mpt": "",
    "ggml-vocab-nomic-bert-moe": "",
    "ggml-vocab-phi-3": "TOK406n TOK504w",
    "ggml-vocab-qwen2": "TOK210w TOK406n",
    "ggml-vocab-qwen35": "TOK210w TOK406n",
    "ggml-vocab-refact": "",
    "ggml-vocab-starcoder": "",
    "mistral-tekken-240911": "TOK504w",
    "mistral-v3-spm": "TOK504w",
    "rwkv-world": "TOK403n",
    "t5-v1_1-xxl-ugm": "",
    # Made for tests of single features, and short of what a model would need.
    "made-hybriddna": "TOK303 TOK402w TOK402",
    "made-hybriddna-auto": "TOK303 TOK402w TOK402",
    "made-plamo2": "TOK209w",
    "made-plamo2-settings": "TOK112w TOK209w TOK403n",
    "made-plamo3": "TOK209w",
    "made-sarvam": "TOK306n",
    "made-soprano": "TOK209w TOK303 TOK306n",
    "made-soprano-bos": "TOK209w TOK303 TOK306n",
    "made-spm-metaspace-first": "TOK112w",
    "made-ugm-metaspace-never": "TOK116n",
    "made-ugm-nfc": "TOK116n TOK308",
    "made-whitespace": "TOK306n TOK402w TOK402 TOK403n",
    "made-whitespace-lower": "TOK206 TOK306n TOK402w TOK402 TOK403n",
    "made-wpm-cased-nfc": "TOK112w",
    "made-wpm-nfc": "TOK112w",
}

# Broken files that can be read. Those of them that llama.cpp loads, and that then give other ids
# than were meant for some text or some role, have an error each.
ODD: dict[str, str] = {
    "absurd-tensor-count": "",
    "alignment-3": "TOK119",
    "arch-clip": "TOK118",
    "big-endian": "TOK114w",
    "bool-value-2": "TOK109w",
    "bpe-base": "",
    "bpe-duplicate-merge": "TOK305w",
    "bpe-duplicate-token": "TOK201 TOK303",
    "bpe-empty-pre": "TOK101",
    "bpe-invalid-utf8-token": "TOK204 TOK303",
    "bpe-merges-empty": "TOK301",
    "bpe-merges-wrong-type": "TOK106",
    "bpe-no-special-ids": "TOK402w TOK402",
    "bpe-raw-space-token": "TOK205w TOK303",
    "bpe-token-type-missing": "TOK208",
    "chat-template-array": "TOK501",
    "gguf-v2": "",
    "invalid-utf8-key": "TOK110w",
    "missing-arch": "TOK117",
    "missing-tokenizer-model": "TOK104",
    "split-lonely-00001-of-00002": "",
    "split-ok-00001-of-00002": "",
    "split-ok-00002-of-00002": "TOK104",
    "spm-base": "",
    "spm-bos-id-u16": "TOK106",
    "spm-bos-minus-one-i32": "TOK106",
    "spm-duplicate-token": "TOK201",
    "spm-no-byte-tokens": "TOK206",
    "spm-no-special-ids": "",
    "spm-scores-long": "TOK108",
    "spm-scores-nan": "TOK309",
    "spm-token-type-bogus": "TOK207",
    "spm-tokens-missing": "TOK107",
    "spm-tokens-scalar": "TOK106",
    "spm-tokens-wrong-type": "TOK106",
    "spm-unknown-pre": "",
    "tensor-count-1-no-tensor": "",
    "tokenizer-model-wrong-type": "TOK106",
    "ugm-charsmap-3-bytes": "TOK115",
    "ugm-charsmap-bad-size": "TOK115",
    "ugm-charsmap-truncated": "TOK115",
    "ugm-no-charsmap": "TOK116n",
    "ugm-no-charsmap-nfc": "TOK116n",
    "unknown-arch": "TOK118",
}
MARKS = {"error": "", "warning": "w", "note": "n"}


def judged(path: Path) -> str:
    return " ".join(finding.rule_id + MARKS[finding.severity] for finding in check_file(path))


@pytest.mark.parametrize("name", REAL)
def test_findings_on_a_vocabulary(name: str, conformance: Path) -> None:
    assert judged(conformance / "vocabs" / f"{name}.gguf") == REAL[name]


def test_no_vocabulary_is_left_out(conformance: Path) -> None:
    assert {path.stem for path in (conformance / "vocabs").glob("*.gguf")} == set(REAL)


@pytest.mark.parametrize("name", ODD)
def test_findings_on_a_broken_file(name: str, conformance: Path) -> None:
    assert judged(conformance / "odd" / f"{name}.gguf") == ODD[name]


def test_what_is_left_cannot_be_read(conformance: Path) -> None:
    for path in (conformance / "odd").glob("*.gguf"):
        if path.stem not in ODD:
            with pytest.raises(GgufError):
                check_file(path)


def test_what_loads_with_other_ids_than_meant_is_an_error(conformance: Path) -> None:
    recorded = json.loads((conformance / "odd" / "expected.json").read_text("utf-8"))
    for name, what in recorded.items():
        kind, _, _ = name.partition("-")
        base = recorded.get(f"{kind}-base.gguf")
        if base is None or what["outcome"] != "loads":
            continue
        if what["tok"] != base["tok"] or what["info"] != base["info"]:
            assert any(
                finding.severity == "error" for finding in check_file(conformance / "odd" / name)
            ), name


@pytest.mark.parametrize(
    ("name", "rule_id"),
    [("ggml-vocab-gemma-4", "TOK306"), ("ggml-vocab-command-r", "TOK205")],
)
def test_no_text_becomes_the_tokens_that_are_said_to_be_lost(
    name: str, rule_id: str, conformance: Path
) -> None:
    path = conformance / "vocabs" / f"{name}.gguf"
    tok = tokcli.load(path)
    (finding,) = (found for found in check_file(path) if found.rule_id == rule_id)
    for evidence in finding.evidence:
        assert evidence.index is not None
        text = tok.piece(evidence.index)
        assert evidence.index not in tok.tokenize(text, add_special=False, parse_special=True)
        assert evidence.index not in tok.tokenize(b" " + text, add_special=False)
