"""The generated Unicode tables against llama.cpp's own, and their look-ups.

The check values are SHA-256 sums over the tables of llama.cpp's unicode-data.cpp, written out as
the helpers below write out ours. So each covers every code point, with no copy of that file here.
"""

from __future__ import annotations

import hashlib
import importlib.util
import itertools
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from tokcli.text import unicode_table
from tokcli.text.unicode_maps import base_letter_map, category, is_whitespace, lowercase_map

REPOSITORY = Path(__file__).resolve().parents[2]
CODE_POINTS = range(0x110000)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def written_out(mapping: dict[int, int]) -> str:
    return "".join(f"{source:04X} {target:04X}\n" for source, target in sorted(mapping.items()))


def test_category_of_every_code_point_is_that_of_llama_cpp() -> None:
    categories = "".join(category(code_point) or "-" for code_point in CODE_POINTS)

    assert len(categories) == 0x110000
    assert sha256(categories) == "e3331a54b52fb6810c402a55a865bcde34dd93f9392d38944664a8c4b9c87c2c"


def test_whitespace_is_that_of_llama_cpp() -> None:
    whitespace = [code_point for code_point in CODE_POINTS if is_whitespace(code_point)]

    assert len(whitespace) == 25
    assert (
        sha256("".join(f"{code_point:04X}\n" for code_point in whitespace))
        == "40de2720ab89e22488481fb73411da071c75f4176eb586a7a0623fa9f5776b0a"
    )


def test_lowercase_map_is_that_of_llama_cpp() -> None:
    assert len(lowercase_map()) == 1433
    assert (
        sha256(written_out(lowercase_map()))
        == "59f382a897374c06b30509d27955fad4e655941a5ed9f1e15af87affafc617cf"
    )


def test_base_letter_map_is_that_of_llama_cpp() -> None:
    assert len(base_letter_map()) == 13233
    assert (
        sha256(written_out(base_letter_map()))
        == "20019a66d6db2fbde5cbcb1249d2a960c8b23096e4d8ad3c800eecb2338c4cd4"
    )


@pytest.mark.parametrize(
    ("code_point", "expected"),
    [
        (0x0000, "C"),
        (0x0020, "Z"),
        (0x0024, "S"),
        (0x0041, "L"),
        (0x005F, "P"),
        (0x00AD, "C"),  # soft hyphen: a format character counts as control
        (0x00B2, "N"),
        (0x0300, "M"),
        (0x0378, ""),  # never assigned
        (0x0897, ""),  # a mark since Unicode 16.0
        (0x1C89, ""),  # a letter since Unicode 16.0
        (0x2FFC, "S"),  # new in Unicode 15.1
        (0x2EBF0, "L"),  # new in Unicode 15.1
        (0x4E00, "L"),
        (0xD800, "C"),  # surrogates and private use count as control
        (0xE000, "C"),
        (0xFFFE, ""),
        (0x10FFFD, "C"),
        (0x10FFFF, ""),
        (0x110000, ""),
        (-1, ""),
    ],
)
def test_category(code_point: int, expected: str) -> None:
    assert category(code_point) == expected


@pytest.mark.parametrize("code_point", [0x09, 0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x200A, 0x3000])
def test_whitespace(code_point: int) -> None:
    assert is_whitespace(code_point)


@pytest.mark.parametrize("code_point", [0x1C, 0x1F, 0x180E, 0x200B, 0x2060, 0xFEFF])
def test_not_whitespace(code_point: int) -> None:
    assert not is_whitespace(code_point)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HELLO", "hello"),
        ("ÀÉÎ", "àéî"),
        ("İ", "i"),  # str.lower gives i + U+0307
        ("ΟΔΟΣ", "οδοσ"),  # no final sigma: one code point at a time
        ("ẞ", "ß"),
        ("Ǆǅ", "ǆǆ"),
        ("Ꭰ", "ꭰ"),
        ("\U0001e921", "\U0001e943"),
        ("ß\ud800\u1c89", "ß\ud800\u1c89"),  # the last has a lower case since Unicode 16.0
    ],
)
def test_lowercase(text: str, expected: str) -> None:
    assert text.translate(lowercase_map()) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("éÅñ", "eAn"),
        ("ệ", "e"),  # two marks dropped
        ("ø", "ø"),  # the stroke is no mark
        ("한글", "\u1112\u1100"),
        ("İ", "I"),
        ("\u0344", "\u0308"),  # a mark that begins with another mark
        ("\u2126", "Ω"),
        ("ﬁ", "ﬁ"),  # only a compatibility decomposition
        ("\U0002fa1d", "\U0002a600"),
        ("\U000105c9", "\U000105c9"),  # decomposes since Unicode 16.0
    ],
)
def test_base_letters(text: str, expected: str) -> None:
    assert text.translate(base_letter_map()) == expected


def test_category_ranges_are_sorted_and_never_overlap() -> None:
    assert list(unicode_table.CATEGORY_RANGES) == ["L", "N", "P", "M", "S", "C", "Z"]
    covered: list[tuple[int, int]] = []
    for bounds in unicode_table.CATEGORY_RANGES.values():
        assert list(bounds[::2]) == sorted(bounds[::2])
        covered += zip(bounds[::2], bounds[1::2], strict=True)
    covered.sort()
    assert all(first <= last for first, last in covered)
    assert all(left[1] < right[0] for left, right in itertools.pairwise(covered))


def test_lowercase_and_base_letters_are_reached_in_one_step() -> None:
    assert not set(lowercase_map()) & set(lowercase_map().values())
    assert not set(base_letter_map()) & set(base_letter_map().values())


def test_base_letters_do_not_depend_on_the_version_of_the_interpreter() -> None:
    # Decompositions never change once a character is assigned (Unicode's stability policy).
    differing = [
        code_point
        for code_point in CODE_POINTS
        if category(code_point)
        and unicodedata.category(chr(code_point)) != "Cn"
        and ord(unicodedata.normalize("NFD", chr(code_point))[0])
        != base_letter_map().get(code_point, code_point)
    ]

    assert differing == []


def test_categories_are_those_of_unicodedata2() -> None:
    database = pytest.importorskip("unicodedata2", reason="unicodedata2 is not installed")
    if database.unidata_version not in ("15.1.0", "16.0.0"):
        pytest.skip(f"unicodedata2 has Unicode {database.unidata_version}, not 15.1 or 16.0")

    for code_point in CODE_POINTS:
        name = database.category(chr(code_point))
        expected = "" if name == "Cn" else name[0]
        # What 16.0 added is unassigned in 15.1; it reclassified nothing.
        younger = database.unidata_version == "16.0.0" and category(code_point) == ""
        assert younger or category(code_point) == expected, f"U+{code_point:04X}"


def test_committed_tables_are_what_the_script_generates() -> None:
    if importlib.util.find_spec("unicodedataplus") is None:
        pytest.skip("unicodedataplus is not installed")
    if sys.version_info < (3, 11):
        pytest.skip("the generator needs the case pairs of Python 3.11 or later")

    result = subprocess.run(
        [sys.executable, str(REPOSITORY / "scripts/generate_unicode_tables.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (result.returncode, result.stderr) == (0, "")
