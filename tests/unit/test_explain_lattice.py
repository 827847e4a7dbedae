from __future__ import annotations

from pathlib import Path

import pytest

import tokcli
from tests import vocabularies
from tests.explained import check
from tokcli.render.explain_page import page
from tokcli.render.explain_text import page_lines
from tokcli.render.explain_view import Limits


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("d" * 15, f"▁{'d' * 15}"),
        ("d" * 16, f"…{'d' * 16}"),
        ("日" * 17, f"…{'日' * 16}"),
        (f"x{'😀' * 17}", f"…{'😀' * 16}"),
    ],
)
def test_text_before_says_that_it_is_cut(tmp_path: Path, text: str, before: str) -> None:
    tokenizer = tokcli.load(vocabularies.path_of("ugm-charsmap", tmp_path))
    run = check(tokenizer, f"{text}c".encode(), add_special=False, parse_special=True)
    lines = page_lines(page(run, Limits(stages=("steps",), steps=0)))

    assert any(f'"{before}" "c" ' in " ".join(line.split()) for line in lines)
