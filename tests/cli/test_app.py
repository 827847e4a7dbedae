"""The frame: help, versions, errors and exit statuses, whatever the command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from tests.cli.runner import command_line, environ, tokcli, tokcli_process
from tests.vocabularies import BUILT_IN
from tokcli import __version__
from tokcli.cli.app import COMMANDS
from tokcli.cli.guard import guarded
from tokcli.errors import TokenIdError, VocabError

# Something that each command prints, however it prints it; TEMPLATE stands for a file.
PRINTING = [
    ["--version"],
    ["--version", "tokenize"],
    ["--help"],
    ["tokenize", "--help"],
    ["tokenize", "Hi"],
    ["tokenize", "Hi", "--format", "table"],
    ["tokenize", "Hi", "--format", "table", "--color", "always"],
    ["detokenize", "2437", "389"],
    ["explain", "Hi"],
    ["explain", "Hi", "--color", "always"],
    ["dump-vocab", "--limit", "9"],
    ["show-merges", "--limit", "9"],
    ["show-merges", "--token", " are"],
    ["inspect"],
    ["inspect", "--key", "model"],
    ["chat", "Hi", "--template", "TEMPLATE"],
    ["check", "--list-rules"],
    ["check", str(BUILT_IN), "--pre", ""],
]


def test_version() -> None:
    assert tokcli("--version").text == f"tokcli {__version__}\n"
    assert tokcli_process("--version").text == f"tokcli {__version__}\n"


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_lists_every_command(flag: str) -> None:
    run = tokcli(flag)

    assert run.status == 0
    assert [name for name in COMMANDS if f"\n  {name} " not in run.text] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    run = tokcli(command, "-h")

    assert run.status == 0
    assert run.text.startswith(f"Usage: tokcli {command} ")
    assert tokcli(command, "--help") == run


def test_without_a_command_help_goes_to_stderr() -> None:
    run = tokcli()

    assert (run.stdout, run.status) == (b"", 2)
    assert run.stderr.startswith("Usage: tokcli ")


def test_completion_knows_the_commands() -> None:
    env = {"_TOKCLI_COMPLETE": "complete_bash", "COMP_WORDS": "tokcli tok", "COMP_CWORD": "1"}

    assert "tokenize" in tokcli_process(env=env).text.split()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--bogus"], "No such option: --bogus; see 'tokcli --help'"),
        (["tokenize", "--wrong"], "No such option: --wrong; see 'tokcli tokenize --help'"),
        (["tokenize", "a", "b"], "unexpected extra argument"),
        (["tokenize", "a", "--max-tokens", "x"], "'--max-tokens': 'x' is not a valid"),
        (["dump-vocab", "--limit=x"], "Invalid value for '--limit': 'x' is not a valid integer"),
        (["inspect", "a.gguf"], "(a.gguf); a model is named with -m/--model; see 'tokcli insp"),
        (["tokenize", "a", "--color", "red"], "'red' is not one of auto, always, never"),
        (["tokenise"], "No such command 'tokenise'"),
    ],
)
def test_a_usage_error_is_one_line_and_status_2(arguments: list[str], message: str) -> None:
    run = tokcli(*arguments)

    assert (run.stdout, run.status) == (b"", 2)
    assert run.stderr.startswith("tokcli: error: ")
    assert message in run.stderr
    assert run.stderr.count("\n") == 1


@pytest.mark.parametrize(("option", "said"), [("-m", "cannot read ''"), ("-f", "cannot use ''")])
def test_an_empty_file_name_is_shown(option: str, said: str) -> None:
    run = tokcli("tokenize", option, "", "Hi")

    assert (run.stdout, run.status) == (b"", 3)
    assert f"tokcli: error: {said}: No such file or directory\n" in run.stderr


def test_an_unreadable_file_is_status_3(tmp_path: Path) -> None:
    missing = tmp_path / "no\x1b[31m.gguf"
    run = tokcli("tokenize", "-m", missing, "Hi")

    assert run.status == 3
    assert run.stderr == (
        f"tokcli: error: cannot read {tmp_path}/no\\x1b[31m.gguf: No such file or directory\n"
    )


def test_only_debug_shows_a_traceback(tmp_path: Path) -> None:
    missing = tmp_path / "missing.gguf"
    plain = tokcli("tokenize", "-m", missing, "Hi")
    debug = tokcli("tokenize", "-m", missing, "Hi", "--debug")

    assert "Traceback" not in plain.stderr
    assert "Traceback" in debug.stderr
    assert debug.stderr.endswith(plain.stderr)
    assert (debug.status, plain.status) == (3, 3)


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (VocabError("bad vocabulary"), 3, "tokcli: error: bad vocabulary\n"),
        (TokenIdError("no id 7"), 2, "tokcli: error: no id 7\n"),
        (OSError(28, "No space left"), 3, "tokcli: error: cannot read or write: No space left\n"),
        (
            KeyError("x"),
            3,
            "tokcli: error: tokcli failed on this (KeyError: 'x'); run it again with --debug and "
            "report the traceback\n",
        ),
        (
            MemoryError(),
            3,
            "tokcli: error: there is not enough memory for this; give it more, or a smaller "
            "input\n",
        ),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 0, ""),
    ],
)
def test_what_is_raised_becomes_a_line_and_a_status(
    error: BaseException, status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> int:
        raise error

    assert guarded(fail, debug=lambda: False) == status
    assert capsys.readouterr().err == message


@pytest.mark.skipif(os.name == "nt", reason="pipes end otherwise on Windows")
@pytest.mark.parametrize("arguments", [("--ids",), ("--format", "jsonl"), ("--format", "table")])
def test_a_closed_pipe_ends_quietly(arguments: tuple[str, ...], tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_bytes(b"How are you? " * 10_000)
    with subprocess.Popen(
        command_line("tokenize", "-f", text, *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ(),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="pipes end otherwise on Windows")
@pytest.mark.parametrize("size", [1, 20_000])
@pytest.mark.parametrize(
    ("arguments", "status"),
    [(["--max-tokens", "5"], 1), (["--max-tokens", "9000000"], 0), (["--strict"], 1)],
)
def test_a_closed_pipe_hides_no_finding(
    arguments: list[str], status: int, size: int, tmp_path: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"How are you? " * size)
    second.write_bytes(b"too many words for this, and <|endoftext|>")
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb") as pipe:
        done = subprocess.run(
            command_line("tokenize", "-f", first, "-f", second, "--no-parse-special", *arguments),
            stdout=pipe,
            stderr=subprocess.PIPE,
            env=environ(),
        )

    assert done.returncode == status
    # The last input is judged too.
    assert b"second: " in done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the commands of PRINTING find what they name."""
    (tmp_path / "TEMPLATE").write_text("{{ messages[0].content }}")
    return tmp_path


def test_every_command_is_seen_printing() -> None:
    assert {arguments[0] for arguments in PRINTING} == {*COMMANDS, "--version", "--help"}


def run_into(
    stdout: IO[bytes], arguments: list[str], folder: Path
) -> subprocess.CompletedProcess[bytes]:
    """A process of its own that prints to `stdout`."""
    return subprocess.run(
        command_line(*arguments),
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=environ(),
        cwd=folder,
    )


@pytest.mark.skipif(os.name == "nt", reason="pipes end otherwise on Windows")
@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
def test_a_pipe_that_nobody_reads_is_no_error(arguments: list[str], folder: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb") as pipe:
        done = run_into(pipe, arguments, folder)

    assert (done.stderr, done.returncode) == (b"", 0)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs Linux's /dev/full")
@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
def test_a_full_disk_is_an_error(arguments: list[str], folder: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = run_into(full, arguments, folder)

    assert done.stderr == b"tokcli: error: cannot read or write: No space left on device\n"
    assert done.returncode == 3


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
@pytest.mark.parametrize("arguments", [("tokenize", "--stdin"), ("detokenize", "--stream")])
def test_ctrl_c_is_status_130_without_traceback(arguments: tuple[str, ...]) -> None:
    with subprocess.Popen(
        command_line(*arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ(),
        # What runs the tests in the background may have left SIGINT ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        if arguments[0] == "detokenize":
            # Its first output shows that the start is over.
            process.stdin.write(b"2437 389 ")
            process.stdin.flush()
            assert process.stdout.read(7) == b"How are"
        else:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(1.5)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr.read() == b""


def test_ctrl_c_during_the_start_is_status_130() -> None:
    script = (
        "import tokcli.__main__ as entry\n"
        "def interrupted(argv): raise KeyboardInterrupt\n"
        "entry.run = interrupted\n"
        "entry.main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, env=environ())

    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
def test_closed_stdout_is_an_error() -> None:
    program = " ".join(f'"{part}"' for part in map(os.fsdecode, command_line("tokenize", "Hi")))
    done = subprocess.run(f"{program} >&-", shell=True, capture_output=True, env=environ())

    assert done.returncode == 3
    assert done.stderr == b"tokcli: error: cannot read or write: stdout is closed\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        ["tokenize", "-p", "How are", "--ids"],
        ["tokenize", "How are", "--count", "--max-tokens", "5"],
    ],
)
def test_short_runs_import_nothing_heavy(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "tokcli", *arguments],
        capture_output=True,
        env=environ(),
        text=True,
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}

    assert done.returncode == 0
    assert "tokcli._version" in imported
    packages = {"typer", "click", "rich", "regex", "gguf", "numpy", "jinja2"}
    heavy = packages | {"json", "threading", "tokcli.trace"}
    assert imported & heavy == set()


def test_help_imports_neither_rich_nor_the_engine() -> None:
    program = (
        "import sys\n"
        "from tokcli.cli.app import app\n"
        "app(['--help'], standalone_mode=False)\n"
        "heavy = ('rich', 'regex', 'gguf', 'numpy', 'jinja2', 'tokcli.tokenizer')\n"
        "print([name for name in heavy if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, env=environ(), text=True
    )

    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_engine_does_not_import_the_command_line() -> None:
    program = (
        "import sys, tokcli, tokcli.explain, tokcli.chat.render\n"
        "tokcli.load().explain('How are')\n"
        "print([name for name in sys.modules if name.startswith(('typer', 'rich', 'tokcli.cli', "
        "'tokcli.render'))])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, env=environ(), text=True
    )

    assert (done.stdout, done.stderr) == ("[]\n", "")
