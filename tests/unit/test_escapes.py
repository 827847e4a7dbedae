from __future__ import annotations

import pytest

from tokcli.text.escapes import process_escapes


@pytest.mark.parametrize(
    ("text", "expected", "count"),
    [
        (b"", b"", 0),
        (b"plain", b"plain", 0),
        (rb"a\nb\rc\td", b"a\nb\rc\td", 3),
        (rb"\' \" \\", b"' \" \\", 3),
        (rb"\\n", b"\\n", 1),
        (rb"\\\n", b"\\\n", 2),
        (rb"\q\0\a", rb"\q\0\a", 0),
        (b"end\\", b"end\\", 0),
        (rb"\x41\x0a\xff", b"A\n\xff", 3),
        (rb"\x4", rb"\x4", 0),
        (rb"\xg1\x1g", rb"\xg1\x1g", 0),
        (rb"\x", rb"\x", 0),
        # C's strtol takes a blank or a sign for the first of two digits.
        (rb"\x 7\x+7\x-1", b"\x07\x07\xff", 3),
        (rb"\x  \x++", rb"\x  \x++", 0),
        (b"\\\n\\\xc3\xa9", b"\\\n\\\xc3\xa9", 0),
        (b"\\x00\x00", b"\x00\x00", 1),
    ],
)
def test_what_llama_cpp_makes_of_escapes(text: bytes, expected: bytes, count: int) -> None:
    assert process_escapes(text) == (expected, count)
