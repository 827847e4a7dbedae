"""The pages and documents of explain, pinned for every vocabulary type and every stage.

TOKCLI_UPDATE_GOLDEN=1 writes them anew: read the difference before committing it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import tokcli
from tests import vocabularies
from tests.explained import check, document, validator
from tokcli.render.explain_both import both_page
from tokcli.render.explain_build import build
from tokcli.render.explain_model import Request, Run
from tokcli.render.explain_page import page
from tokcli.render.explain_text import page_lines
from tokcli.render.explain_view import Limits

FOLDER = Path(__file__).resolve().parent / "explain"
UPDATE = bool(os.environ.get("TOKCLI_UPDATE_GOLDEN"))

CASES = {
    "built-in": "How are",
    "bpe-gpt-2": "<tool> the \n\n日本 zz<|endoftext|>",
    "bpe-llama3": "Hello whole 123<|im_start|>",
    "bpe-tekken": "Hello  WORLD 日",
    "bpe-metaspace-first": "the <tool> the",
    "gemma4": "the\n\n\n 😀",
    "mmbert": "the\nthe  1",
    "soprano": "The  THÉ\tzz",
    "soprano-no-unknown": "thez",
    "bpe-whitespace-pre": "hez日",
    "hybriddna-auto-tags": "the CCCCCCA <dna>ACNTACcccccc</dna><dna>acacac</dna><dna>a",
    "whitespace-lowercase": "ABC  her x",
    "spm": "the <s> ab😀",
    "wpm": "Unaffable, qqé 日\x01 hello",
    "ugm": "the ab z",
    "ugm-charsmap": "ﬁ  A½ zz",
    "ugm-nfc": "e\u0301 the",
    "rwkv": "hello world\n\n日é",
    "plamo2": "the 日本😀",
    "plamo3": "ab<|plamo:chat|>aaaaa\uee00b",
    "test": "hello world",
}


def explained(name: str, folder: Path, text: str) -> Run:
    tokenizer = tokcli.load(vocabularies.path_of(name, folder))
    return check(tokenizer, text.encode(), add_special=True, parse_special=True)


def pin(name: str, actual: str) -> None:
    path = FOLDER / name
    if UPDATE:
        path.write_text(actual, encoding="utf-8")
    assert actual == path.read_text(encoding="utf-8")


def laid_out(document: dict[str, Any]) -> str:
    """JSON with each item of a stage on a line of its own, which is small and shows changes."""
    lines = []
    for key, value in document.items():
        if isinstance(value, list) and value:
            items = ",\n    ".join(json.dumps(item, ensure_ascii=False) for item in value)
            lines.append(f'  "{key}": [\n    {items}\n  ]')
        else:
            lines.append(f'  "{key}": {json.dumps(value, ensure_ascii=False)}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def text_of(page_: Any) -> str:
    return "\n".join(page_lines(page_)) + "\n"


@pytest.mark.parametrize("name", CASES)
def test_page(name: str, tmp_path: Path) -> None:
    run = explained(name, tmp_path, CASES[name])

    pin(f"{name}.txt", text_of(page(run, Limits())))


@pytest.mark.parametrize("name", CASES)
def test_document(name: str, tmp_path: Path) -> None:
    told = document([explained(name, tmp_path, CASES[name])])

    validator().validate(told)
    pin(f"{name}.json", laid_out(told))


def test_every_stage_is_a_part_of_the_document(tmp_path: Path) -> None:
    run = explained("spm", tmp_path, CASES["spm"])
    whole = document([run])

    for stage in ("input", "fragments", "prepare", "chunks", "bytes", "steps", "tokens"):
        part = document([run], Limits(stages=(stage,)))
        assert part.items() <= whole.items() or all(whole[key] == part[key] for key in part)
        assert stage in part
        validator().validate(part)


def test_folded_page(tmp_path: Path) -> None:
    run = explained("bpe-gpt-2", tmp_path, "the world " * 4 + "Hello 日本")

    pin("folded.txt", text_of(page(run, Limits(steps=3))))


def test_page_of_one_chunk(tmp_path: Path) -> None:
    run = explained("bpe-gpt-2", tmp_path, "the world Hello")
    stages = ("prepare", "chunks", "bytes", "steps", "tokens")

    pin("chunk.txt", text_of(page(run, Limits(chunk=2, steps=0, stages=stages))))


def test_both_page(tmp_path: Path) -> None:
    tokenizer = tokcli.load(vocabularies.path_of("spm", tmp_path))
    runs = [
        build(tokenizer.explain("a<s>the", add_special=True, parse_special=on), Request("spm.gguf"))
        for on in (True, False)
    ]

    pin("both.txt", text_of(both_page(runs[0], runs[1], Limits())))
