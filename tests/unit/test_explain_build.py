"""From events to the model of an explanation: cuts, causes, repeats, and texts in step."""

from __future__ import annotations

from pathlib import Path

import pytest

import tokcli
from tests import builders, vocabularies
from tokcli.render.explain_both import both_page
from tokcli.render.explain_build import build, replay
from tokcli.render.explain_model import Merged, OneOfBytes, OnPath, Request, Run, SpecialStory
from tokcli.render.explain_text import page_lines
from tokcli.render.explain_view import Limits
from tokcli.trace import BestPath, Candidates, MergeApplied


def run_of(path: Path, text: str, *, parse_special: bool = True) -> Run:
    tokenizer = tokcli.load(path)
    return build(tokenizer.explain(text, parse_special=parse_special), Request(path.name))


def test_merges_of_each_token() -> None:
    how, are = run_of(vocabularies.BUILT_IN, "How are").tokens

    assert isinstance(how.cause, Merged)
    assert isinstance(are.cause, Merged)
    assert [merge.rank for merge in how.cause.merges] == [66, 2181]
    assert [merge.rank for merge in are.cause.merges] == [1, 4, 133]
    assert are.cause.symbol == "Ġare".encode()
    assert (are.start, are.end, are.exact) == (3, 7, True)


def test_replay() -> None:
    merges = [
        MergeApplied(2, 3, b"r", b"e", b"re", 4, None),
        MergeApplied(1, 2, b"a", b"re", b"are", 9, None),
    ]

    assert replay([b"x", b"a", b"r", b"e"], merges) == [b"x", b"are", None, None]


def test_the_regex_that_cut_a_chunk_is_the_first_one_to_match_it(tmp_path: Path) -> None:
    path = builders.tiny_bpe(tmp_path / "a.gguf", pre="deepseek-llm")
    chunks = run_of(path, "Hi 12\n").chunks

    assert [chunk.event.text for chunk in chunks] == [b"Hi", b" ", b"12", b"\n"]
    first = [chunk.cuts[0].stage if chunk.cuts else None for chunk in chunks]
    # Words by the second regex, digits by the last, the line feed by the first.
    assert first == [1, None, 5, 0]


def test_a_chunk_that_went_as_an_earlier_one(tmp_path: Path) -> None:
    chunks = run_of(builders.tiny_bpe(tmp_path / "a.gguf"), "the the the").chunks

    assert [chunk.same_as for chunk in chunks] == [None, None, 2]
    assert [chunk.number for chunk in chunks] == [1, 2, 3]


def test_bytes_of_a_character_that_is_no_token(tmp_path: Path) -> None:
    rows = run_of(builders.tiny_spm(tmp_path / "a.gguf"), "😀").tokens
    causes = [row.cause for row in rows if isinstance(row.cause, OneOfBytes)]

    assert [(cause.place, cause.count) for cause in causes] == [(0, 4), (1, 4), (2, 4), (3, 4)]
    assert {cause.symbol for cause in causes} == {"😀".encode()}
    assert [(row.start, row.end) for row in rows[-4:]] == [(0, 1), (1, 2), (2, 3), (3, 4)]


def test_neighbouring_unknowns_are_one_token_of_several_steps(tmp_path: Path) -> None:
    rows = run_of(builders.tiny_ugm(tmp_path / "a.gguf"), "aqqqb").tokens
    unknown = next(row for row in rows if row.id == 2)

    assert isinstance(unknown.cause, OnPath)
    assert [step.text for step in unknown.cause.steps] == [b"q", b"q", b"q"]
    assert (unknown.start, unknown.end) == (1, 4)


def test_special_tokens_and_chunks_know_their_fragments(tmp_path: Path) -> None:
    run = run_of(builders.tiny_spm(tmp_path / "a.gguf"), "a<s>b")

    assert [isinstance(fragment, SpecialStory) for fragment in run.fragments] == [
        *(False, True, False)
    ]
    assert [chunk.fragment for chunk in run.chunks] == [0, 2]


def test_side_by_side_in_step_with_the_input(tmp_path: Path) -> None:
    path = builders.tiny_spm(tmp_path / "a.gguf")
    on = run_of(path, "the[INST]the")
    off = run_of(path, "the[INST]the", parse_special=False)
    lines = list(page_lines(both_page(on, off, Limits(stages=("tokens",)))))

    same = [line for line in lines if line.startswith("  ") and "..3" in line]
    assert [line.split() for line in same] == [["0..3", *'" the" 263 " the" 263'.split()]]
    assert any("!=" in line and '"[INST]"' in line for line in lines)


@pytest.mark.parametrize("name", ["ugm", "plamo2", "plamo3"])
def test_a_step_of_the_best_path_has_the_total_of_its_candidate(tmp_path: Path, name: str) -> None:
    chunk = run_of(vocabularies.path_of(name, tmp_path), "the ab zz").chunks[0]
    path = next(step.steps for step in chunk.steps if isinstance(step, BestPath))
    candidates = {
        (step.text_start, option.text, option.score): option.total
        for step in chunk.steps
        if isinstance(step, Candidates)
        for option in step.options
    }

    start = 0
    for step in path:
        assert step.total == candidates[start, step.text, step.score]
        start += len(step.text)
    assert start == len(chunk.event.text)
