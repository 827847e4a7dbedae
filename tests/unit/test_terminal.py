from __future__ import annotations

import io

import pytest

from tokcli.render.terminal import make_console, visible, wants_color


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"plain text", "plain text"),
        (b"a\nb\r\tc", "a\\nb\\r\\tc"),
        (b"\x1b[31m\x07\x7f\x00", "\\x1b[31m\\x07\\x7f\\x00"),
        ("\x9b31m".encode(), "\\u009b31m"),
        (b"\xff\xc3", "\\xff\\xc3"),
        ("a\udcff", "a\\xff"),
        ("a\ud800", "a\\ud800"),
        ("é日😀", "é日😀"),
        ("\u202eabc\u2066\u200b\ufeff", "\\u202eabc\\u2066\\u200b\\ufeff"),
        ("\u2028\u2029\xad", "\\u2028\\u2029\\u00ad"),
        ("\U000e0041", "\\U000e0041"),
        (b"back\\slash", "back\\slash"),
    ],
)
def test_what_a_terminal_would_obey_is_shown(data: bytes | str, expected: str) -> None:
    assert visible(data) == expected


def test_options_of_visible() -> None:
    assert visible(b"a\n\tb\x1b", keep="\n\t") == "a\n\tb\\x1b"
    assert visible(b"\\n\n", backslash=True) == "\\\\n\\n"


@pytest.mark.parametrize(
    ("color", "terminal", "environment", "expected"),
    [
        ("auto", True, {}, True),
        ("auto", False, {}, False),
        ("auto", True, {"TERM": "dumb"}, False),
        ("auto", True, {"NO_COLOR": "1"}, False),
        ("auto", True, {"NO_COLOR": ""}, True),
        ("auto", False, {"FORCE_COLOR": "1"}, True),
        ("auto", False, {"FORCE_COLOR": ""}, False),
        ("auto", True, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ("always", False, {"NO_COLOR": "1"}, True),
        ("never", True, {"FORCE_COLOR": "1"}, False),
    ],
)
def test_who_wants_color(
    color: str, terminal: bool, environment: dict[str, str], expected: bool
) -> None:
    stream = Terminal() if terminal else io.StringIO()

    assert wants_color(color, stream, environment) == expected


@pytest.mark.parametrize("term", ["dumb", "xterm-256color"])
def test_a_console_never_interprets_or_wraps_what_it_prints(
    term: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    plain, colored = io.StringIO(), io.StringIO()
    make_console("never", plain).print("[red]a[/INST] :smile: 1 'x' " + "long " * 100)
    make_console("always", colored).print("[red]", style="red")

    assert plain.getvalue() == "[red]a[/INST] :smile: 1 'x' " + "long " * 100 + "\n"
    assert colored.getvalue() == "\x1b[31m[red]\x1b[0m\n"
