"""NFC against the examples of UAX #15, the interpreter's own data, and Unicode 16.0 itself."""

from __future__ import annotations

import importlib
import random
import unicodedata
from typing import Any

import pytest

from tokcli.text import nfc_table
from tokcli.text.nfc import normalize_nfc
from tokcli.text.unicode_maps import category

RANDOM_STRINGS = 20_000


def unicode_16_database() -> Any:
    for name in ("unicodedata2", "unicodedataplus", "unicodedata"):
        try:
            database = importlib.import_module(name)
        except ImportError:
            continue
        if database.unidata_version == "16.0.0":
            return database
    pytest.skip("no Unicode 16.0 database: unicodedata2==16.0.0 is not installed")


def interesting_code_points() -> list[int]:
    """All that decomposes, composes or combines, jamo, some syllables and some others."""
    ranges = zip(nfc_table.COMBINING_CLASSES[::3], nfc_table.COMBINING_CLASSES[1::3], strict=True)
    marks = {code_point for first, last in ranges for code_point in range(first, last + 1)}
    syllables = {0xAC00, 0xAC01, 0xAC1B, 0xAC1C, 0xD788, 0xD7A3}
    others = {0x0A, 0x41, 0x11A7, 0xD800, 0xDFFF, 0xFFFD, 0x10FFFF}
    jamo = set(range(0x1100, 0x1200))
    return sorted(
        marks | set(nfc_table.SINGLETONS) | set(nfc_table.PAIRS) | jamo | syllables | others
    )


def random_strings(pools: list[list[int]], count: int) -> list[str]:
    generator = random.Random(16)
    return [
        "".join(
            chr(generator.choice(generator.choice(pools))) for _ in range(generator.randint(1, 12))
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("plain\r\n\x00", "plain\r\n\x00"),
        ("e\u0301", "\u00e9"),
        ("\u212b", "\u00c5"),  # ANGSTROM SIGN, a singleton
        ("\u2126", "\u03a9"),
        ("\u1e9b\u0323", "\u1e9b\u0323"),
        ("\u1e69", "\u1e69"),
        ("s\u0307\u0323", "\u1e69"),  # marks are reordered first
        ("\u1e0b\u0323", "\u1e0d\u0307"),  # a composed letter is taken apart again
        ("d\u0301\u0323\u0301", "\u1e0d\u0301\u0301"),
        ("a\u0315\u0300\u05ae\u0300b", "\u00e0\u05ae\u0300\u0315b"),
        ("\u0344", "\u0308\u0301"),  # excluded from composition
        ("\u0958", "\u0915\u093c"),  # excluded from composition
        ("\ufb1d", "\u05d9\u05b4"),  # excluded from composition
        ("\u0308\u0301", "\u0308\u0301"),
        ("\ufb01", "\ufb01"),  # only a compatibility decomposition
        ("\u1100\u1161", "\uac00"),
        ("\u1100\u1161\u11a8", "\uac01"),
        ("\uac00\u11a8", "\uac01"),
        ("\uac01\u11a8", "\uac01\u11a8"),
        ("\uac00\u11a7", "\uac00\u11a7"),  # U+11A7 is no trailing consonant
        ("\u1100\u0300\u1161", "\u1100\u0300\u1161"),  # blocked
        ("\u09c7\u09be", "\u09cb"),  # two starters compose
        ("\u09c7\u0300\u09be", "\u09c7\u0300\u09be"),  # but not over a mark
        ("\U0001d15e", "\U0001d157\U0001d165"),
        ("\U0002f800", "\u4e3d"),
        # New in Unicode 16.0; the last composes across two already composed vowel signs.
        ("\U000105d2\u0307", "\U000105c9"),
        ("\U00011382\U000113c9", "\U00011383"),
        ("\U00016d63\U00016d68", "\U00016d6a"),
        # Lone surrogates and unassigned code points.
        ("\ud800e\u0301\udfff", "\ud800\u00e9\udfff"),
        ("\U0010ffff\u0301", "\U0010ffff\u0301"),
    ],
)
def test_normalize(text: str, expected: str) -> None:
    assert ascii(normalize_nfc(text)) == ascii(expected)
    assert ascii(normalize_nfc(expected)) == ascii(expected)


def test_a_long_run_of_marks_is_sorted_and_stable() -> None:
    text = "a" + "\u0301\u0323" * 5_000

    assert normalize_nfc(text) == "\u1ea1" + "\u0323" * 4_999 + "\u0301" * 5_000


def test_normalizing_twice_changes_nothing_more() -> None:
    for text in random_strings([interesting_code_points()], 2_000):
        once = normalize_nfc(text)
        assert normalize_nfc(once) == once, ascii(text)


def test_equals_the_interpreter_on_characters_that_both_know() -> None:
    # Unicode's stability policy: normalization of assigned characters never changes.
    both = [
        code_point
        for code_point in interesting_code_points()
        if category(code_point) and unicodedata.category(chr(code_point)) != "Cn"
    ]

    assert len(both) > 4_000
    for text in random_strings([both], RANDOM_STRINGS):
        assert normalize_nfc(text) == unicodedata.normalize("NFC", text), ascii(text)


def test_every_code_point_equals_unicode_16() -> None:
    database = unicode_16_database()
    # Line feeds keep neighbours apart: nothing composes with them.
    text = "\n".join(map(chr, range(0x110000)))

    # Not a bare equality, which would have pytest print a difference of megabytes.
    ours, theirs = normalize_nfc(text).split("\n"), database.normalize("NFC", text).split("\n")
    differing = [ascii(pair) for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]

    assert differing == []


def test_random_strings_equal_unicode_16() -> None:
    database = unicode_16_database()
    marks_and_letters = [0x41, 0x65, 0x300, 0x301, 0x307, 0x323, 0x327, 0x345, 0x3B1, 0x1F00]
    hangul = [*range(0x1100, 0x1200), *range(0xAC00, 0xAC40)]
    new_scripts = [*range(0x11380, 0x113CB), *range(0x16118, 0x16130), *range(0x16D60, 0x16D70)]
    pools = [interesting_code_points(), marks_and_letters, hangul, new_scripts]

    for text in random_strings(pools, RANDOM_STRINGS):
        assert normalize_nfc(text) == database.normalize("NFC", text), ascii(text)
