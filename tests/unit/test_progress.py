from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from tokcli.cli import progress
from tokcli.cli.progress import CLEAR, Progress


def test_the_line_shows_a_bar_where_the_total_is_known(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 200)
    shown = Progress([str(path)], enabled=True)
    shown.done = 50
    shown._label = "b\x1b.txt"

    assert shown.line(3, 80) == f"[{'#' * 6}{' ' * 18}]  25% b\\x1b.txt"


def test_the_line_shows_size_and_time_where_it_is_not() -> None:
    shown = Progress(["-"], enabled=True)
    shown._current = 2_500_000
    shown._label = "stdin"

    assert shown.line(0, 80) == f"[####{' ' * 20}] tokenizing stdin, 2.5 MB, 0 s"
    assert shown.line(progress.INTERVAL * 20.5, 80).startswith(f"[{' ' * 20}####] tokenizing")
    assert shown.line(progress.INTERVAL * 37.5, 80).startswith(f"[   ####{' ' * 17}] tokenizing")


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        (66, f"[####{' ' * 20}] tokenizing folder/日本.txt, 0.5 MB, 0 s"),
        (65, f"[####{' ' * 20}] tokenizing ...er/日本.txt, 0.5 MB, 0 s"),
        (61, f"[####{' ' * 20}] tokenizing, 0.5 MB, 0 s"),
        (50, f"[####{' ' * 20}] tokenizing, 0.5 MB, 0 s"),
        (49, ""),
        (-1, ""),
    ],
)
def test_the_line_fits_the_terminal(columns: int, line: str) -> None:
    shown = Progress(["-"], enabled=True)
    shown._current = 500_000
    shown._label = "folder/日本.txt"

    assert shown.line(0, columns) == line


def test_many_small_inputs_are_one_long_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "INTERVAL", 0.01)
    seen = ""
    with Progress(enabled=True) as shown:
        deadline = time.monotonic() + 10
        while "tokenizing" not in seen and time.monotonic() < deadline:
            shown.start("a", 1)
            shown.pause()
            seen += capsys.readouterr().err
        with shown.aside():
            print("note", file=sys.stderr)

    assert seen.startswith(f"{CLEAR}[")
    assert f"{CLEAR}note\n" in seen + capsys.readouterr().err


def test_a_long_run_draws_and_clears(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "INTERVAL", 0.001)
    seen = ""
    with Progress(enabled=True) as shown:
        shown.start("a", 1)
        deadline = time.monotonic() + 10
        while "tokenizing" not in seen and time.monotonic() < deadline:
            seen += capsys.readouterr().err
        shown.pause()
        seen += capsys.readouterr().err

    assert seen.startswith(f"{CLEAR}[")
    assert "####" in seen
    assert seen.endswith(CLEAR)


def test_on_the_terminal_of_the_results_the_line_ends_with_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(progress, "is_terminal", lambda stream: True)
    with Progress() as shown:
        shown.start("a", 1)
        assert shown.enabled
        shown.pause()
        assert not shown.enabled
        shown.start("b", 1)
        assert not shown._active


def test_nothing_is_drawn_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress() as shown:
        shown.start("a", 1)
        shown.pause()

    assert not shown.enabled
    assert capsys.readouterr().err == ""
