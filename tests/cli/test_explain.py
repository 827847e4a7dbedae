"""`tokcli explain`: inputs, options, formats, and what must never reach a terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests import vocabularies
from tests.cli.runner import tokcli, tokcli_process
from tests.cli.terminal import on_terminal
from tests.explained import validator

HOW_ARE = """\
6 steps: the neighbours with the lowest rank merge first, the left ones of equals
  chunk 1  0..3  "How"
    start              │H│o│w│
    rank 66    o + w   │H│ow │
    rank 2181  H + ow  │How  │
    one symbol is left:  "How" 2437
  chunk 2  3..7  " are"
    start              │Ġ│a│r│e│
    rank 1    Ġ + a    │Ġa │r│e│
    rank 4    r + e    │Ġa │re │
    rank 133  Ġa + re  │Ġare   │
    one symbol is left:  " are" 389
"""


@pytest.fixture(scope="module")
def spm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return vocabularies.path_of("spm", tmp_path_factory.mktemp("explain"))


@pytest.fixture(scope="module")
def ugm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return vocabularies.path_of("ugm", tmp_path_factory.mktemp("explain"))


def ids(text: str) -> list[int]:
    return [token["id"] for token in json.loads(text)["tokens"]]


def test_how_are_on_the_built_in_vocabulary() -> None:
    run = tokcli("explain", "How are")

    assert run.status == 0
    assert run.text.startswith("built-in GPT-2: BPE, model gpt2, pre-tokenizer gpt-2, 50,257 tok")
    assert HOW_ARE in run.text
    assert run.stderr == ""


def test_in_a_process_of_its_own() -> None:
    run = tokcli_process("explain", "How are", "--stage", "steps")

    assert HOW_ARE in run.text
    assert "\x1b" not in run.text


def test_the_same_text_from_every_source(tmp_path: Path) -> None:
    file = tmp_path / "prompt.txt"
    file.write_bytes(b"How are")
    expected = tokcli("explain", "How are").stdout

    assert tokcli("explain", "-p", "How are").stdout == expected
    assert tokcli("explain", "-f", file).stdout == expected
    assert tokcli("explain", "-f", "-", stdin=b"How are").stdout == expected
    assert tokcli("explain", "--stdin", stdin=b"How are").stdout == expected
    assert tokcli("explain", stdin=b"How are").stdout == expected


def test_escapes_are_counted_and_can_be_left_alone() -> None:
    run = tokcli("explain", r"a\nb", "--stage", "input")
    left = tokcli("explain", r"a\nb", "--stage", "input", "--no-escape")

    assert "3 bytes, 3 code points, 1 escape processed (--no-escape leaves them)" in run.text
    assert 'typed  a\\nb\n  "a\\nb"' in run.text
    assert "1 input: 4 bytes, 4 code points\n" in left.text
    assert '"a\\\\nb"' in left.text


def test_hex() -> None:
    told = json.loads(tokcli("explain", "--hex", "ff 00", "--format", "json").text)

    assert told["input"]["bytes"] == "ff00"
    assert told["input"]["text"] is None
    # llama.cpp's BPE takes a byte that is not UTF-8 for U+FFFD.
    assert [token["bytes"] for token in told["tokens"]] == ["efbfbd", "00"]


def test_special_tokens_are_asked_for_as_tokenize_does(spm: Path, ugm: Path) -> None:
    def added(*arguments: str | Path) -> list[str]:
        tokens = json.loads(tokcli("explain", "ab", *arguments, "--format", "json").text)["tokens"]
        return [token["source"]["role"] for token in tokens if token["cause"] == "added"]

    assert added("-m", spm) == ["BOS"]
    assert added("-m", spm, "--no-bos") == []
    assert added("-m", spm, "--no-special") == []
    assert added("-m", ugm) == []
    assert added("-m", ugm, "--add-special") == ["EOS"]


def test_the_setting_that_added_bos_and_its_origin(spm: Path) -> None:
    by_type = tokcli("explain", "-m", spm, "ab", "--stage", "tokens").text
    by_key = tokcli(
        *("explain", "-m", spm, "ab", "--stage", "tokens"),
        *("--override-kv", "tokenizer.ggml.add_bos_token=bool:true"),
    ).text

    assert "added at the start: add_bos is true (default of SPM)" in by_type
    assert "added at the start: add_bos is true (key tokenizer.ggml.add_bos_token)" in by_key


def test_what_is_missing_without_add_special(ugm: Path) -> None:
    run = tokcli("explain", "-m", ugm, "hello", "--stage", "warnings")

    assert "no EOS is added" in run.text
    assert "--add-special asks for them" in run.text


def test_a_control_token_that_parse_special_ignores(spm: Path) -> None:
    run = tokcli("explain", "-m", spm, "a<s>b", "--no-parse-special")

    assert "spells token 1 (control), but is taken as text" in run.text
    assert "leave out --no-parse-special to have it cut out" in run.text
    assert "special-as-text" in run.text


def test_another_pre_tokenizer() -> None:
    name = "pre-tokenizer 'llama-bpe'"

    assert name in tokcli("explain", "How are", "--pre", "llama-bpe", "--stage", "chunks").text


def test_stages_in_their_order_whatever_the_order_of_options() -> None:
    run = tokcli("explain", "How are", "--stage", "tokens", "--stage", "input")

    assert re.findall(r"^\d (\w+):", run.text, re.MULTILINE) == ["input", "tokens"]


def test_one_chunk() -> None:
    run = tokcli("explain", "How are", "--chunk", "2")

    assert re.findall(r"^\d (\w+):", run.text, re.MULTILINE) == [
        *("chunks", "bytes", "steps", "tokens")
    ]
    assert "rank 133" in run.text
    assert "rank 66" not in run.text


def test_a_chunk_that_is_not_there() -> None:
    run = tokcli("explain", "How are", "--chunk", "3")

    assert (run.stdout, run.status) == (b"", 2)
    assert run.stderr == (
        "tokcli: error: --chunk 3: the text has 2 chunks; --stage chunks lists them\n"
    )


def test_a_stage_that_is_not_there() -> None:
    run = tokcli("explain", "a", "--stage", "merge")

    assert run.status == 2
    assert "'merge' is not one of input, fragments, prepare" in run.stderr


def test_long_input_is_folded_and_says_how_to_see_it() -> None:
    text = "one two three " * 40
    folded = tokcli("explain", text, "--max-steps", "5").text
    whole = tokcli("explain", text, "--max-steps", "0", "--stage", "tokens").text

    assert "... 116 more chunks: --max-steps 0, or --chunk N for one" in folded
    assert "... 116 more tokens: --max-steps 0" in folded
    listed = whole.partition("\n7 tokens:")[2].splitlines()
    assert listed[0] == " 121 tokens"
    assert len(listed) == 121 + len([" 121 tokens", "headers", "", "a..b"])


def test_json_is_valid_and_holds_the_ids(spm: Path) -> None:
    told = json.loads(tokcli("explain", "-m", spm, "the ab😀", "--format", "json").text)
    plain = tokcli("tokenize", "-m", spm, "--ids", "the ab😀").text

    validator().validate(told)
    assert told["schema_version"] == 1
    assert [token["id"] for token in told["tokens"]] == json.loads(plain)


def test_json_of_stages_and_both(spm: Path) -> None:
    part = json.loads(tokcli("explain", "ab", "--stage", "chunks", "--format", "json").text)
    both = json.loads(tokcli("explain", "-m", spm, "a<s>", "--both", "--format", "json").text)

    validator().validate(part)
    validator().validate(both)
    assert "tokens" not in part
    assert [chunk["text"] for chunk in part["chunks"]] == ["ab"]
    assert [run["settings"]["parse_special"] for run in both["runs"]] == [True, False]


def test_both_side_by_side(spm: Path) -> None:
    run = tokcli("explain", "-m", spm, "a<s>the", "--both")

    assert "4 tokens with parse_special, 4 without; they part at byte 4" in run.text
    assert '   4..7  " the" 263  !=  "the" 272' in run.text


def test_both_where_it_makes_no_difference() -> None:
    run = tokcli("explain", "How are", "--both")

    assert "parse_special makes no difference here" in run.text


@pytest.mark.parametrize("width", [40, 80, 160])
def test_drawn_output_fits_its_width(spm: Path, width: int) -> None:
    text = "the <s>[/INST] [red]ab[/red] 😀日本 " + "x" * 30
    run = tokcli(*("explain", "-m", spm, text, "--color", "always"), env={"COLUMNS": str(width)})
    lines = re.sub(r"\x1b\[[0-9;]*m", "", run.text).splitlines()

    from rich.cells import cell_len

    assert max(map(cell_len, lines)) <= width
    assert "[red]" in run.text.replace("\x1b[0m", "")
    assert "│" in run.text


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5])
def test_a_terminal_of_few_columns_is_drawn_on_as_if_it_had_twenty(width: int) -> None:
    drawn = on_terminal(width, "explain", "How are")

    assert drawn == on_terminal(20, "explain", "How are")
    assert "133" in drawn


def test_nothing_that_a_narrow_drawing_says_is_cut() -> None:
    drawn = tokcli(
        *("explain", "How<|endoftext|> 日", "--stage", "chunks", "--stage", "tokens"),
        *("--color", "always"),
        env={"COLUMNS": "40"},
    )
    said = re.sub(r"(\x1b\[[0-9;]*m|[│\s])+", " ", drawn.text)

    assert "alternative matched by" in said
    assert "whole chunk, 2 merges, last rank 2181" in said
    assert "control token in the text (parse_special)" in said
    assert said.count("no merge joins this symbol to a neighbour") == 2


def test_colour_only_where_it_is_wanted() -> None:
    assert b"\x1b[" not in tokcli("explain", "How are").stdout
    assert b"\x1b[" in tokcli("explain", "How are", "--color", "always").stdout
    assert b"\x1b[" in tokcli("explain", "How are", env={"FORCE_COLOR": "1"}).stdout


@pytest.mark.parametrize("format", ["text", "json", "html", "svg"])
def test_control_characters_never_come_through(format: str) -> None:
    data = b"a\x1b]0;title\x07\x00\x9b31m\xe2\x80\xae\xff\r\n"
    run = tokcli("explain", "--stdin", "--format", format, "--no-escape", stdin=data)

    assert run.status == 0
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", run.text)


def test_html_and_svg() -> None:
    html = tokcli("explain", "How are", "--format", "html").text
    svg = tokcli("explain", "How are", "--format", "svg").text

    assert html.lstrip().startswith("<!DOCTYPE html>")
    assert "2181" in html
    assert svg.startswith("<svg ")
    assert svg == tokcli("explain", "How are", "--format", "svg").text


def test_an_empty_text_is_a_text_too() -> None:
    run = tokcli("explain", "")

    assert run.status == 0
    assert "1 input: empty" in run.text
    assert "7 tokens: 0 tokens" in run.text


def test_sixteen_colours_still_tell_neighbours_apart() -> None:
    run = tokcli("explain", "How are", "--color", "always", "--stage", "warnings")

    assert "\x1b[30;46mHow" in run.text
    assert "\x1b[30;43mare" in run.text
