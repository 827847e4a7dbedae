from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import builders
from tests.cli.runner import tokcli
from tests.cli.terminal import on_terminal
from tokcli.tokenizer import load

TREE = """\
token 389 ' are': 4 symbols, 3 merges
Ġare ' are'  id 389, rank 133, merge 3
├── Ġa ' a'  id 257, rank 1, merge 1
│   ├── Ġ ' '  id 220
│   └── a  id 64
└── re  id 260, rank 4, merge 2
    ├── r  id 81
    └── e  id 68
"""


def test_scores_behind_those_of_the_tokens_are_left_alone(tmp_path: Path) -> None:
    usual = builders.tiny_spm(tmp_path / "usual.gguf")
    scores = [*load(usual).vocab.scores, 5.0, -1.0]
    more = builders.tiny_spm(tmp_path / "more.gguf", scores=scores)

    for command in ("show-merges", "dump-vocab"):
        run = tokcli(command, "-m", str(more))
        assert (run.status, run.text) == (0, tokcli(command, "-m", str(usual)).text)


@pytest.mark.parametrize("token", [" are", "Ġare"])
def test_draws_the_tree_of_a_token(token: str) -> None:
    run = tokcli("show-merges", "--token", token)

    assert (run.text, run.stderr, run.status) == (TREE, "", 0)


@pytest.mark.parametrize(
    ("pair", "rank"), [("Ġ a", 1), ("r e", 4), ("o w", 66), ("Ġa re", 133), ("H ow", 2181)]
)
def test_knows_the_rank_of_a_pair(pair: str, rank: int) -> None:
    run = tokcli("show-merges", "--format", "tsv", "--pair", pair)
    header, line = run.text.splitlines()

    assert header == "rank\tleft\tright\tresult\tresult_id\tscore"
    assert line.split("\t")[:3] == [str(rank), *pair.split(" ")]


def test_the_table() -> None:
    run = tokcli("show-merges", "--rank", "0-1,133")

    assert [line.split() for line in run.text.splitlines()] == [
        ["rank", "left", "right", "result", "id", "piece"],
        ["0", "Ġ", "t", "Ġt", "256", "'", "t'"],
        ["1", "Ġ", "a", "Ġa", "257", "'", "a'"],
        ["133", "Ġa", "re", "Ġare", "389", "'", "are'"],
    ]


def test_json() -> None:
    row = {
        "rank": 133, "left": "Ġa", "left_bytes": "c4a061", "right": "re", "right_bytes": "7265",
        "result": "Ġare", "result_bytes": "c4a0617265", "result_id": 389, "piece": " are",
        "score": None,
    }  # fmt: skip

    assert json.loads(tokcli("show-merges", "--rank", "133", "--format", "json").text) == [row]
    assert json.loads(tokcli("show-merges", "--rank", "133", "--format", "jsonl").text) == row


def test_all_merges_in_their_order() -> None:
    lines = tokcli("show-merges", "--format", "tsv").text.splitlines()

    assert len(lines) == 50001
    assert lines[50000].split("\t") == ["49999", "Ġg", "azed", "Ġgazed", "50255", ""]


def test_what_uses_a_token() -> None:
    run = tokcli("show-merges", "--uses", " are", "--format", "tsv")

    assert [line.split("\t")[3] for line in run.text.splitlines()[1:]] == [
        "Ġarea", "Ġareas", "Ġaren", "Ġarena",
    ]  # fmt: skip
    limited = tokcli("show-merges", "--uses", " are", "--rank", "0-3000", "--format", "tsv")
    assert limited.text.count("\n") == 3


def test_the_tree_as_json() -> None:
    found = json.loads(tokcli("show-merges", "--token", " are", "--format", "json").text)

    assert found["token"] == {
        "id": 389, "text": "Ġare", "text_bytes": "c4a0617265", "piece": " are",
    }  # fmt: skip
    assert found["built"] is True
    assert [symbol["text"] for symbol in found["symbols"]] == ["Ġ", "a", "r", "e"]
    assert [(m["step"], m["rank"], m["left"], m["right"], m["id"]) for m in found["merges"]] == [
        (1, 1, "Ġ", "a", 257), (2, 4, "r", "e", 260), (3, 133, "Ġa", "re", 389),
    ]  # fmt: skip
    assert found["remaining"] == ["Ġare"]
    assert found["trees"][0]["left"]["right"]["text"] == "a"


def test_the_tree_as_rows() -> None:
    run = tokcli("show-merges", "--token", " are", "--format", "tsv")

    assert [line.split("\t")[0] for line in run.text.splitlines()] == ["rank", "1", "4", "133"]


def test_a_deep_tree_is_no_trouble(tmp_path: Path) -> None:
    texts = ["a" * length for length in range(1, 1201)]
    path = builders.write_vocab(
        tmp_path / "deep.gguf",
        model="llama",
        tokens=["<unk>", "<s>", "</s>", "b", *[f"b{text}" for text in texts], "a"],
        scores=[0.0] * 3 + [-float(number) for number in range(1202)],
    )
    run = tokcli("show-merges", "-m", path, "--token", f"b{texts[-1]}")
    found = tokcli("show-merges", "-m", path, "--token", f"b{texts[-1]}", "--format", "json")

    assert run.text.startswith(f"token 1203 'b{texts[-1]}': 1201 symbols, 1200 merges\n")
    assert run.text.count("\n") == 1 + 2401
    assert found.status == 0
    assert found.text.count('"step":') == 1200


def test_a_special_token_says_that_it_is_not_merged() -> None:
    run = tokcli("show-merges", "--token", "<|endoftext|>")

    assert run.status == 0
    assert "merging does not build it" in run.text
    assert "it is cut out of the text as a whole before anything merges" in run.text


def test_two_readings_of_a_text_are_named() -> None:
    run = tokcli("show-merges", "--token", "é")

    assert "token 2634 'é'" in run.text
    assert run.stderr == "tokcli: note: 'é' is also the raw text of token 165\n"


def test_spm_is_shown_by_its_scores(tmp_path: Path) -> None:
    path = builders.tiny_spm(tmp_path / "s.gguf")
    run = tokcli("show-merges", "-m", path, "--token", " the")
    rows = tokcli("show-merges", "-m", path, "--pair", "▁t he", "--format", "json")

    assert run.stderr.startswith("tokcli: note: SPM has no list of merges")
    assert run.text == (
        "token 263 ' the': 4 symbols, 3 merges\n"
        "▁the ' the'  id 263, score -2, merge 3\n"
        "├── ▁t ' t'  id 259, score 0, merge 1\n"
        "│   ├── ▁ ' '  id 292\n"
        "│   └── t  id 303\n"
        "└── he  id 260, score 0, merge 2\n"
        "    ├── h  id 297\n"
        "    └── e  id 296\n"
    )
    assert json.loads(rows.text)[0]["result_id"] == 263


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (builders.tiny_wpm, "WPM does not merge"),
        (builders.tiny_ugm, "UGM does not merge"),
        (builders.tiny_rwkv, "RWKV does not merge"),
        (builders.tiny_plamo2, "PLaMo2 does not merge"),
        (builders.tiny_plamo3, "PLaMo3 does not merge"),
        (builders.tiny_test, "TEST does not merge"),
        (builders.tiny_none, "no tokenizer"),
    ],
)
def test_other_types_say_what_drives_them(
    tmp_path: Path, build: Callable[..., Path], says: str
) -> None:
    path = build(tmp_path / "v.gguf")
    run = tokcli("show-merges", "-m", path)
    rows = tokcli("show-merges", "-m", path, "--format", "json")

    assert run.status == 0
    assert says in run.text
    assert (rows.text, rows.status) == ("[]\n", 0)
    assert says in rows.stderr


def test_a_token_of_another_type_is_shown_with_its_score(tmp_path: Path) -> None:
    path = builders.tiny_ugm(tmp_path / "u.gguf")

    assert "'▁the': 6 bytes, score " in tokcli("show-merges", "-m", path, "--token", " the").text
    rows = tokcli("show-merges", "-m", path, "--token", " the", "--format", "json")
    assert (rows.text, rows.status) == ("null\n", 1)


def test_bpe_without_merges_says_so(tmp_path: Path) -> None:
    path = builders.tiny_bpe(tmp_path / "k.gguf", pre="kimi-k2", merges=None)

    assert "the list of merges is empty" in tokcli("show-merges", "-m", path).text


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--pair", "q zzz"], 1, "note: no merge is like that"),
        (["--uses", "no such token"], 1, "note: no merge is like that"),
        (["--token", "no such token"], 1, "note: 'no such token' is no token"),
        (["--rank", "50000"], 2, "error: --rank: rank 50000 does not exist (0 to 49999)"),
        (["--pair", "a b", "--token", "ab"], 2, "error: --pair, --token and --rank/--uses are"),
        (["--format", "html"], 2, "'html' is not one of table, tsv, json, jsonl"),
    ],
)
def test_what_cannot_be_answered(arguments: list[str], status: int, message: str) -> None:
    run = tokcli("show-merges", *arguments)

    assert run.status == status
    assert message in run.stderr
    assert run.stderr.count("\n") == 1


def test_a_result_that_is_no_token_is_named(tmp_path: Path) -> None:
    path = builders.tiny_bpe(tmp_path / "b.gguf", merges=["x y", "nospace"])

    rows = tokcli("show-merges", "-m", path, "--format", "tsv").text.splitlines()
    assert rows[1:] == ["0\tx\ty\txy\t\t", "1\tnospace\t\tnospace\t\t"]
    assert "none" in tokcli("show-merges", "-m", path).text


def test_a_terminal_gets_colour_and_whole_lines() -> None:
    shown = on_terminal(60, "show-merges", "--token", " are")

    assert "\x1b[" in shown
    assert "└── " in shown
