"""Where each pre-tokenizer cuts, seen from outside: as the tokens of a vocabulary made for it."""

from __future__ import annotations

import random
import sys
from itertools import chain, pairwise
from pathlib import Path

import pytest

from tests.asking import small
from tests.builders import BYTE_LEVEL
from tests.inputs import hard_inputs
from tokcli import pretokenize
from tokcli.pretokenize import Stage, regex_stages
from tokcli.pretokenizer_table import PRE_TOKENIZERS, REGEXES
from tokcli.splitters import SPLITTERS, in_threes
from tokcli.text.byte_alphabet import BYTE_TO_CHAR
from tokcli.text.regex_classes import Alphabet
from tokcli.text.unicode import decode
from tokcli.tokenizer import Tokenizer

# Regex list -> texts as the pieces they are cut into.
SPLITS: dict[str, list[list[str]]] = {
    "gpt2": [
        ["Hello", " world", "!!"],
        ["it", "'s", " 12345", "a", "'", "S"],
        ["I", "'ll", "x", "'re", "'ve", "'t", "'m", "'d", "'", "l", " '", "ll"],
        ["a", "  ", " b", " \n\n", "\t", "c", " \n "],
        ["é日", " 😀", "٣²"],
        ["a", "\u00a0", "b", "\u3000", "\u200b"],
    ],
    "starcoder": [["ab", "1", "2", " ", "3", "!"], ["it", "'s", "  ", " x"]],
    "llama3": [
        ["Hello", " world", "!!\n\n", "x"],
        ["it", "'S", "123", "45", "'x"],
        ["a", " \n\n", "  ", " b", "\t", "\tc"],
        ["(abc", ")\n", "é日"],
        ["\r\n", "a", "\u00a0b"],
    ],
    "qwen2": [["it", "'LL", "1", "2", " x", "!!\n"], ["a", "  \n", " b"]],
    "qwen35": [["q\u0323\u0307a", "1", "\u0301x", " !"], ["'RE", "a"]],
    "deepseek3": [["123", "4", "日本", "!abc", " de", " !!\n", "x"], ["a\u0301b", " \n", " "]],
    "spark2_5": [["1", "2", "日", "!!", "\n", "\n", "x"], ["a", "   \t"]],
    "deepseek_llm": [["\n", "\n", " abc", "!?", "12", "日本"], ["a", "   "]],
    "deepseek_coder": [["\n", " abc", " !", "1", "2", "日本"]],
    "falcon": [["a", "$!", "123", "4", " b"], ["a", "...", "x"]],
    "bloom": [["ab", " cd", ",", " e", "..."], ["日本", "。。"]],
    "viking": [["ab", " c", "1", "2", ","]],
    "tekken": [["Hello", "World", "HTTPServer", "1", "2", "!!/\n", " x"], ["ABa"]],
    "gpt4o": [["Hello's", "World", "123", "4", "!!/\n"], ["AB'LL", "a"]],
    "tiny_aya": [["a", "12", "345", "b's"], ["fooBar's", "!/\n"]],
    "youtu": [["한국", "，。", "日本", "ㄅ", "abAB's", "1", "2"]],
    "chameleon": [["<", "sentinel", ":", "1", "2", ">"], ["\n", "  ", "1", "!", "?", "a"]],
    "kimi_k2": [["日本", "abc's", "123", "4", " x", "!\n"], ["ひら", "漢", "a"]],
    "superbpe": [["1", "234", "567", "ab"], ["12", "ab ", "123"], ["1𝟘"], ["123𝟘1", "234"]],
    "bailingmoe": [["it", "'S", "1", "2", "\n\n", "!!\n"]],
    "seed_coder": [["it", "'s", "1", "!!", "\n\n", "x"]],
    "afmoe": [["1", "234", "567", "日本", "!abcde"], ["ab", "12", "345"]],
    "laguna": [["a", " b", "\n\n", "1", "2"], ["!", "\n", "a"]],
    "exaone_moe": [["ab cd", "1", "2", " !/\n", "x"], ["'s", "e\u0301 a"]],
    "jais2": [["123", "4", "x", "    ", "  ", " y"], ["a", "!!\n", " \n"]],
    "minicpm5": [["123", "45", " x", "!\n", "'s"]],
    "ufakzeka": [["it", "'s", "1", "2", "!\n"]],
    "default": [["a", "$!?", "123", "4", " b"], ["it", "'", "s"]],
    "k2_horizon": [["a\u0301\u200d", "123", "4", "'S", "x"], ["'ſ", "H"], ["'KH"]],
    "flint": [["123", "4", "日本", "fooBar's", " !\n"]],
    "tekken_num3": [["1", "234", "567", "Hello", "World", "!/\n"]],
}  # fmt: skip


def names_of(regexes: str) -> list[str]:
    return [name for name, rules in PRE_TOKENIZERS.items() if rules.regexes == regexes]


def mapped(text: str) -> str:
    """`text` in the byte alphabet."""
    return "".join(BYTE_TO_CHAR[byte] for byte in text.encode())


def vocabulary(folder: Path, pre: str, pieces: list[str]) -> Tokenizer:
    """A vocabulary in which each piece grows to one token, and two neighbouring pieces would too,
    were they not kept apart."""
    merges: dict[str, None] = {}
    tokens = dict.fromkeys(BYTE_LEVEL)
    wholes = [mapped(piece) for piece in pieces]
    for whole in wholes:
        for end in range(1, len(whole)):
            merges[f"{whole[:end]} {whole[end]}"] = None
            tokens[whole[: end + 1]] = None
        # In a piece that repeats itself, both halves have grown alike.
        middle = len(whole) // 2
        merges[f"{whole[:middle]} {whole[middle:]}"] = None
    for left, right in pairwise(wholes):
        merges[f"{left} {right}"] = None
        tokens[left + right] = None
    return small(folder, "gpt2", list(tokens), pre=pre, merges=list(merges))


@pytest.mark.parametrize(
    ("regexes", "pieces"), [(name, pieces) for name, splits in SPLITS.items() for pieces in splits]
)
def test_pieces_become_tokens(tmp_path: Path, regexes: str, pieces: list[str]) -> None:
    name = names_of(regexes)[0]
    tokenizer = vocabulary(tmp_path, name, pieces)

    ids = tokenizer.tokenize("".join(pieces), add_special=False)

    assert [tokenizer.vocab.texts[id].decode() for id in ids] == [mapped(p) for p in pieces]


def test_each_regex_list_has_an_example() -> None:
    byte_level = {rules.regexes for rules in PRE_TOKENIZERS.values() if rules.byte_encode}

    assert set(SPLITS) == byte_level


def all_pieces(stages: list[Stage], text: str) -> list[str]:
    pieces = [text] if text else []
    for stage in stages:
        pieces = [part for piece in pieces for part in stage.split(piece)]
    return pieces


@pytest.mark.parametrize("regexes", REGEXES)
def test_pieces_are_the_text(regexes: str) -> None:
    stages = regex_stages(regexes)

    for data in hard_inputs():
        text = decode(data)
        pieces = all_pieces(stages, text)
        assert "".join(pieces) == text
        assert all(pieces)


@pytest.mark.parametrize("regexes", REGEXES)
def test_spans_are_the_pieces(regexes: str) -> None:
    for stage in regex_stages(regexes):
        for data in hard_inputs():
            text = decode(data)
            spans = stage.pieces(text)
            assert [text[span.start : span.end] for span in spans] == stage.split(text)
            for span in spans:
                assert span.alternative is None or span.alternative < len(stage.alternatives)


def test_the_matching_alternative_is_named() -> None:
    (stage,) = regex_stages("gpt2")

    named = {
        "it's 12 !"[piece.start : piece.end]: stage.alternatives[piece.alternative or 0]
        for piece in stage.pieces("it's 12 !")
    }

    assert named == {
        "it": r" ?\p{L}+",
        "'s": "'s",
        " 12": r" ?\p{N}+",
        " !": r" ?[^\s\p{L}\p{N}]+",
    }


def test_chameleon_keeps_images_whole() -> None:
    pieces = all_pieces(regex_stages("chameleon"), "IMGIMGABCZIMGIMGABCDEZ")

    assert pieces == ["IMGIMGABCZ", "IMGIMGABCDEZ"]


def test_text_between_matches_has_no_alternative() -> None:
    (stage,) = regex_stages("bloom")

    assert [piece.alternative for piece in stage.pieces("a,b")] == [0, None, 0]


@pytest.mark.parametrize(
    ("digits", "groups"),
    [("1", ["1"]), ("123", ["123"]), ("1234", ["1", "234"]), ("12345678", ["12", "345", "678"])],
)
def test_in_threes(digits: str, groups: list[str]) -> None:
    assert in_threes(digits) == groups


@pytest.mark.parametrize("text", ["a", " ", "\n", "1", "日", "A", "=", "a ", "1 ", "\u0301", "1𝟘"])
@pytest.mark.parametrize("regexes", REGEXES)
def test_long_runs_take_no_time(regexes: str, text: str) -> None:
    long = text * (20_000 // len(text))

    pieces = all_pieces(regex_stages(regexes), long)

    assert "".join(pieces) == long


@pytest.mark.parametrize("name", sorted(REGEXES))
def test_long_text_is_split_alike(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "It's  12345 wörld…\n\n \t日本語 a+b==c!!\r\n\U0001f600 ’s 𝐀x  " * 40
    expected = [stage.split(text) for stage in regex_stages(name)]

    monkeypatch.setattr(pretokenize, "LONGEST_LISTED", 10)
    monkeypatch.setattr(pretokenize, "FEW", 3)
    monkeypatch.setattr(pretokenize, "BATCH", 7)

    found = [chain.from_iterable(stage.lots(text)) for stage in regex_stages(name)]
    assert [list(chain.from_iterable(lists)) for lists in found] == expected


@pytest.mark.parametrize("pattern", [p for p, found in SPLITTERS.items() if found.parts_words])
def test_text_is_cut_between_words(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretokenize, "SEGMENT", 1)
    chars = "  \n\r\t\xa0\u3000'‘lrvestdmLEſéß日一1²_-!\u0301\u200d𝐀😀"
    choices = random.Random(1).choices
    stage = Stage(pattern)
    cut = 0

    for _ in range(2000):
        text = "".join(choices(chars, k=30))
        lists = list(chain.from_iterable(stage.lots(text)))
        cut += len(lists) > 1
        assert list(chain.from_iterable(lists)) == stage.split(text)
    assert cut > 1000


@pytest.mark.parametrize("pattern", [p for p, splitter in SPLITTERS.items() if splitter.total])
@pytest.mark.parametrize("alphabet", ["ascii", "bmp", "all"])
def test_a_total_pattern_leaves_nothing_between_its_matches(
    pattern: str, alphabet: Alphabet
) -> None:
    last = {"ascii": 0x7F, "bmp": 0xFFFF, "all": sys.maxunicode}[alphabet]
    chars = [chr(point) for point in range(last + 1)]
    if alphabet == "bmp":
        del chars[0xD800:0xE000]  # text with surrogates is not written in it
    random.Random(1).shuffle(chars)
    splitter = Stage(pattern)._splitter(alphabet)

    for text in ("".join(chars), " ".join(chars), "'".join(chars)):
        assert "".join(splitter(text)) == text
