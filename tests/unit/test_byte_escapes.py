from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokcli.text.byte_escapes import escape, unescape


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b" are", " are"),
        (b"a\tb\nc\rd\\e", r"a\tb\nc\rd\\e"),
        (b"\x00\x1b[31m\x7f", r"\x00\x1b[31m\x7f"),
        (b"\xff\xfe\xc0", r"\xff\xfe\xc0"),
        (b"caf\xc3", r"caf\xc3"),
        ("日本 é😀".encode(), "日本 é😀"),
        ("\x85\u2028\u202e\u200b".encode(), r"\xc2\x85\xe2\x80\xa8\xe2\x80\xae\xe2\x80\x8b"),
        (b"\xed\xa0\x80", r"\xed\xa0\x80"),
    ],
)
def test_known_escapes(data: bytes, text: str) -> None:
    assert escape(data) == text
    assert unescape(text) == data


@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_nothing_is_lost_and_a_line_stays_a_line(data: bytes) -> None:
    text = escape(data)

    assert unescape(text) == data
    assert len(f"{text}|".splitlines()) == 1
    assert "\t" not in text


def test_printf_reads_the_escapes() -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    data = bytes(range(1, 256)) + b"12\\x41\\"
    done = subprocess.run(
        [bash, "-c", 'printf %b "$1"', "bash", escape(data)], capture_output=True, check=True
    )

    assert done.stdout == data
