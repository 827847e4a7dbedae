from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.console import BASH, Command, commands, matches, run_commands

DOCUMENT = """Text.

```console
$ echo a \\
  b
a b
$ true
```

```sh
$ not this
```

```console
$ (exit 3)
$ echo $?
3
```
"""


def test_commands_and_their_output_are_found() -> None:
    assert commands(DOCUMENT) == [
        Command("echo a \\\n  b", "a b\n", 4),
        Command("true", "", 7),
        Command("(exit 3)", "", 15),
        Command("echo $?", "3\n", 16),
    ]


@pytest.mark.skipif(BASH is None, reason="needs bash")
def test_commands_run_in_one_shell(tmp_path: Path) -> None:
    assert run_commands(commands(DOCUMENT), tmp_path) == ["a b\n", "", "", "3\n"]


@pytest.mark.parametrize(
    ("expected", "actual", "match"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\n", "a", True),
        ("", "", True),
        ("a\n", "b\n", False),
        ("a\n", "a\nb\n", False),
        ("", "a\n", False),
        ("a\n...\nd\n", "a\nb\nc\nd\n", True),
        ("a\n...\nd\n", "a\nd\n", True),
        ("a\n...\nd\n", "a\nb\n", False),
        ("a.c\n", "abc\n", False),
    ],
)
def test_an_ellipsis_stands_for_lines(expected: str, actual: str, match: bool) -> None:
    assert matches(expected, actual) == match
