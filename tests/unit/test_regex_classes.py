from __future__ import annotations

import re

import pytest

from tokcli.text.regex_classes import (
    complement,
    intersect,
    normalize,
    split_alternatives,
    translate,
)
from tokcli.text.unicode_maps import category, is_whitespace

LAST = 0x10FFFF
SAMPLE = [*range(0x3100), *range(0xA000, 0xA100), *range(0xFE00, 0x10000)]


def matching(pattern: str, published: str) -> set[int]:
    regex = re.compile(translate(pattern, alphabet="all", published=published))
    return {code_point for code_point in SAMPLE if regex.fullmatch(chr(code_point))}


def test_ranges() -> None:
    assert normalize([(5, 9), (1, 2), (3, 4), (8, 12)]) == ((1, 12),)
    assert complement(((0, 9), (20, LAST))) == ((10, 19),)
    assert complement(()) == ((0, LAST),)
    assert intersect(((0, 9), (20, 29)), ((5, 24),)) == ((5, 9), (20, 24))


@pytest.mark.parametrize(
    ("pattern", "alternatives"),
    [
        ("a", ("a",)),
        ("a|b c|", ("a", "b c", "")),
        (r"(?:a|b)|[|]|\|", ("(?:a|b)", "[|]", r"\|")),
        (r"\p{L}+|[^\p{L}\]|]", (r"\p{L}+", r"[^\p{L}\]|]")),
    ],
)
def test_split_alternatives(pattern: str, alternatives: tuple[str, ...]) -> None:
    assert split_alternatives(pattern) == alternatives


@pytest.mark.parametrize("name", ["L", "N", "P", "S", "M"])
def test_a_category_is_that_of_the_table(name: str) -> None:
    pattern = rf"\p{{{name}}}"

    expected = {code for code in SAMPLE if category(code) == name and not is_whitespace(code)}

    assert matching(pattern, pattern) == expected
    assert matching(rf"[{pattern}]", pattern) == expected
    assert matching(rf"[^{pattern}]", pattern) == set(SAMPLE) - expected


@pytest.mark.parametrize("name", ["Lu", "Ll", "Lt", "Lm", "Lo"])
def test_kinds_of_letters_are_all_letters(name: str) -> None:
    pattern = rf"\p{{{name}}}"

    assert matching(pattern, pattern) == matching(r"\p{L}", r"\p{L}")


def test_whitespace_is_the_white_space_property() -> None:
    expected = {code for code in SAMPLE if is_whitespace(code)}

    assert matching(r"\s", r"\s") == expected
    assert matching(r"\S", r"\s\p{L}") == set(SAMPLE) - expected
    assert 0x1C not in expected


def test_non_ascii_white_space_stands_as_a_vertical_tab_in_patterns_without_categories() -> None:
    assert matching("\u3000", "\u3000") == {0x3000}
    # A class that reaches over U+3000 does not match it, one with the vertical tab does.
    assert 0x3000 not in matching("[\u2fff-\u3001]", "[\u2fff-\u3001]")
    assert 0x3000 in matching(r"[^\n]", r"[^\n]")
    assert 0x3000 in matching("[\t-\r]", "[\t-\r]")


def test_digits_are_ascii() -> None:
    assert matching(r"\d", r"\d") == set(range(0x30, 0x3A))


def test_class_difference() -> None:
    found = matching(r"[\p{L}&&a-z]", r"\p{L}")

    assert ord("A") in found
    assert ord("é") in found
    assert ord("a") not in found


def test_groups_do_not_capture() -> None:
    assert re.compile(translate("(a)(b|c)", alphabet="all", published="a")).groups == 0


@pytest.mark.parametrize("published", [r"\p{L}", "a"])
def test_the_ascii_alphabet_agrees_on_ascii(published: str) -> None:
    for pattern in (r"\p{L}", r"\p{N}", r"\p{P}", r"\p{S}", r"\p{M}", r"\s", r"\S", r"[^\s\p{L}]"):
        short = re.compile(translate(pattern, alphabet="ascii", published=published))
        full = re.compile(translate(pattern, alphabet="all", published=published))
        for code_point in range(128):
            char = chr(code_point)
            assert bool(short.fullmatch(char)) == bool(full.fullmatch(char)), (pattern, char)
