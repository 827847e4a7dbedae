"""-j: several processes print what one prints."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.builders import tiny_bpe, tiny_spm
from tests.cli.runner import Run, tokcli, tokcli_process
from tests.gguf_files import NORMAL
from tokcli.cli import tokenize_jobs
from tokcli.cli.tokenize_options import TokenizeRequest
from tokcli.cli.tokenize_work import How
from tokcli.tokenizer import load

TEXTS = {"a.txt": b"How are\\n you\n", "b.txt": b"", "c.txt": b"are \xff How\n" * 50, "d.txt": b"1"}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    for name, text in TEXTS.items():
        (tmp_path / name).write_bytes(text)
    monkeypatch.chdir(tmp_path)
    return [argument for name in TEXTS for argument in ("-f", name)]


def with_jobs(*arguments: str) -> tuple[Run, Run]:
    """The same command with one process and with two."""
    alone = tokcli_process("tokenize", *arguments, "-j", "1")
    return alone, tokcli_process("tokenize", *arguments, "-j", "2")


@pytest.mark.parametrize("options", [["--ids"], ["--count", "--lines"], ["--format", "jsonl"], []])
def test_the_output_is_that_of_one_process(files: list[str], options: list[str]) -> None:
    alone, together = with_jobs(*files, *options)

    assert together == alone
    assert alone.status == 0
    assert len(alone.stdout.splitlines()) >= len(TEXTS)


def test_batches_keep_lines_in_order(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes(b"".join(b"%d and 'more' of it\n" % number * 9 for number in range(5_000)))
    alone, together = with_jobs("--lines", "-f", str(path))

    assert together == alone
    assert len(alone.stdout.splitlines()) == 45_000


def test_a_missing_file_comes_after_the_results_before_it(files: list[str]) -> None:
    alone, together = with_jobs("--ids", *files, "-f", "nowhere.txt", "-f", "a.txt")

    assert together == alone
    assert alone.status == 3
    assert len(alone.stdout.splitlines()) == len(TEXTS)
    assert "nowhere.txt" in alone.stderr


def test_so_does_text_that_cannot_be_tokenized(tmp_path: Path) -> None:
    model = str(tiny_spm(tmp_path / "m.gguf", tokens=["<unk>", "a", "▁"], types=[NORMAL] * 3))
    path = tmp_path / "lines.txt"
    path.write_bytes(b"a a\na\nabc\na\n")
    alone, together = with_jobs("--lines", "-m", model, "-f", str(path))

    assert together == alone
    assert (alone.status, len(alone.stdout.splitlines())) == (3, 2)
    assert "llama.cpp ends its process" in alone.stderr


def test_limits_and_warnings_are_those_of_one_process(tmp_path: Path) -> None:
    model = str(tiny_bpe(tmp_path / "m.gguf", add_bos_token=True))
    path = tmp_path / "lines.txt"
    path.write_bytes(b"one\none two three four\n" * 3)
    alone, together = with_jobs(
        "--lines", "-m", model, "--no-bos", "--strict", "--max-tokens", "9", "-f", str(path)
    )

    assert together == alone
    assert alone.status == 1
    assert "no-bos" in alone.stderr
    assert "over the limit" in alone.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="looks processes up in /proc")
def test_processes_end_with_the_one_that_is_killed(tmp_path: Path) -> None:
    with _at_work(tmp_path) as (parent, children):
        parent.kill()

    assert len(children) == 2
    deadline = time.monotonic() + 10
    while any(map(_is_running, children)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(_is_running, children))


@contextmanager
def _at_work(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], list[str]]]:
    """A process that tokenizes with two more, and the ids of these; it is killed in the end."""
    path = folder / "lines.txt"
    path.write_bytes(b"How are you\n" * 200_000)
    command = [sys.executable, "-m", "tokcli", "tokenize", "--lines", "-f", str(path), "-j", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as parent:
        try:
            assert parent.stdout is not None
            parent.stdout.read(1)  # they are at work
            children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
            yield parent, children
        finally:
            parent.kill()


def _is_running(process: str) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="looks processes up in /proc")
@pytest.mark.skipif(
    sys.version_info < (3, 11, 5), reason="concurrent.futures hangs on this (gh-94777)"
)
def test_a_process_that_is_killed_is_an_error(tmp_path: Path) -> None:
    with _at_work(tmp_path) as (parent, children):
        os.kill(int(children[0]), signal.SIGKILL)
        _, told = parent.communicate(timeout=60)

    assert parent.returncode == 3
    assert told.count(b"\n") == 1
    assert b"error: a process of -j was ended from outside" in told


def test_no_process_is_no_number_of_processes(files: list[str]) -> None:
    run = tokcli("tokenize", *files, "-j", "0")

    assert (run.status, run.stdout) == (2, b"")
    assert "--jobs 0" in run.stderr


def test_large_files_are_shared_out_unasked(
    files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    request = TokenizeRequest(file=tuple(TEXTS))
    how = How(add_special=True, parse_special=True)
    monkeypatch.setattr("os.cpu_count", lambda: 2)

    assert tokenize_jobs.start_jobs(request, load(), how) is None
    monkeypatch.setattr(tokenize_jobs, "LARGE_INPUT", 100)
    jobs = tokenize_jobs.start_jobs(request, load(), how)
    assert jobs is not None
    with jobs:
        assert tokenize_jobs.start_jobs(request._replace(jobs=1), load(), how) is None
        assert tokenize_jobs.start_jobs(request._replace(file=("a.txt",)), load(), how) is None
        assert tokenize_jobs.start_jobs(request, load(), how._replace(with_spans=True)) is None
