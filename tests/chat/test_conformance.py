"""The renderings of forty real templates by the transformers library, where they are at hand."""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import tokcli
from tokcli.chat.messages import Conversation
from tokcli.chat.render import render_chat
from tokcli.chat.verdict import judge
from tokcli.errors import TokcliError

DATE = re.compile(r"20\d\d-\d\d-\d\d")


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(folder / "chat.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def day_of_recording(folder: Path) -> datetime:
    """The day that a dated row names and the template itself does not."""
    days: dict[str, int] = defaultdict(int)
    for row in rows(folder):
        if row["dated"]:
            template = (folder / "templates" / row["template"]).read_text(encoding="utf-8")
            found = set(DATE.findall(row["answer"].get("text", "")))
            for day in found - set(DATE.findall(template)):
                days[day] += 1
    return datetime.fromisoformat(max(days, key=lambda day: days[day]))


def test_every_rendering_agrees(conformance: Path) -> None:
    day = day_of_recording(conformance)
    agreed, differing = 0, []
    for number, row in enumerate(rows(conformance), 1):
        template = (conformance / "templates" / row["template"]).read_text(encoding="utf-8")
        want = row["answer"]
        try:
            text = render_chat(
                template,
                row["messages"],
                row["tools"],
                row["add_generation_prompt"],
                row["variables"],
                clock=lambda: day,
            )
        except TokcliError as exc:
            own = want.get("error", "").removeprefix("TemplateError: ")
            raised = "error" in want and (own == want["error"] or own in str(exc))
            got = str(exc)
        else:
            raised, got = False, text
        if raised or got == want.get("text"):
            agreed += 1
        else:
            differing.append((number, row["template"], row["chat"], want, got))
    assert differing == []
    assert agreed == 480


@pytest.mark.parametrize("name", ["llama-bpe", "llama-spm", "qwen2", "gemma-4", "command-r"])
def test_verdicts_are_what_the_whole_prompt_begins_with(conformance: Path, name: str) -> None:
    tokenizer = tokcli.load(conformance / "vocabs" / f"ggml-vocab-{name}.gguf")
    bos = tokenizer.vocab.special["bos"].id
    assert bos is not None
    piece = tokenizer.piece(bos)

    def count(data: bytes, add_special: bool) -> int:
        ids = tokenizer.tokenize(data, add_special=add_special)
        return next((n for n, id in enumerate(ids) if id != bos), len(ids))

    seen = set()
    for path in sorted((conformance / "templates").glob("*.jinja")):
        conversation = Conversation([{"role": "user", "content": "How are you? 你好"}])
        judged = judge(tokenizer, path.read_text(encoding="utf-8"), conversation)
        data = judged.rendering.text.encode()
        served = data
        if tokenizer.vocab.flag("add_bos") and data.startswith(piece):
            served = data[len(piece) :]
        want = (count(data, True), count(data, False), count(served, True))
        assert tuple(caller.count for caller in judged.callers) == want, path.name
        assert list(judged.ids) == tokenizer.tokenize(data), path.name
        seen.add(want)
    assert len(seen) > 1
