"""What is measured, against what, and what is aimed at."""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.benchmarks.runs import TOKCLI, ask_worker, interleaved
from tests.benchmarks.table import Row
from tests.benchmarks.texts import WORDS, natural, read_text
from tests.reference_library import library_path

__all__ = ["SECTIONS", "Plan", "Section"]

COLD = {"gpt-2": 0.8, "qwen2": 0.4, "llama-bpe": 0.4, "gemma-4": 0.4, "llama-spm": 1.5}
THROUGHPUT = {
    **dict.fromkeys(("gpt-2", "qwen2", "llama-bpe", "deepseek-llm", "command-r", "falcon"), 4.0),
    **dict.fromkeys(("llama-spm", "gemma-4"), 5.0),
    **dict.fromkeys(("bert-bge", "nomic-bert-moe", "t5-v1_1-xxl-ugm", "rwkv-world"), 1.0),
}
HUGGING_FACE = {"qwen2": 2.0, "llama-bpe": 2.0}
FILE = ("gpt-2", "qwen2", "llama-bpe", "gemma-4", "llama-spm")
WORD = (*FILE, "bert-bge", "t5-v1_1-xxl-ugm", "rwkv-world")
LARGE = 5_000_000
DETOKENIZE = ("gpt-2", "llama-bpe", "llama-spm", "qwen2", "bert-bge")


class Plan(NamedTuple):
    """What the user chose: `models` maps names to files, `llama_tokenize` is None where there is
    no such program, sizes are in bytes, `patience` in seconds bounds one measurement."""

    text: str
    models: dict[str, str]
    llama_tokenize: str | None
    repeat: int
    growth: tuple[int, ...]
    word: int
    ids: int
    patience: float

    def chosen(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Those of `names` that there are files for, with their files."""
        return [(name, self.models[name]) for name in names if name in self.models]

    def reference_command(self, model: str, *arguments: str) -> list[str] | None:
        """llama-tokenize with these arguments."""
        if self.llama_tokenize is None:
            return None
        return [self.llama_tokenize, "-m", model, *arguments, "--log-disable"]


class Section(NamedTuple):
    """A table: the headings of its columns of ours, theirs and their ratio."""

    title: str
    names: tuple[str, str, str]
    measure: Callable[[Plan], list[Row]]


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value * 1e3:.0f} ms" if value < 1 else f"{value:.2f} s"


def _megabytes(value: float | None) -> str:
    return "-" if value is None else f"{value / 1e6:.0f} MB"


def _ratio(first: float | None, second: float | None) -> float | None:
    return first / second if first is not None and second else None


def _median(answers: Sequence[dict[str, Any]], name: str) -> float | None:
    values = [answer[name] for answer in answers if answer[name] is not None]
    return statistics.median(values) if values else None


def _answers(repeat: int, *question: str, timeout: float | None = None) -> list[dict[str, Any]]:
    """What the worker answers each time; one answer alone where that is an error."""
    answers: list[dict[str, Any]] = []
    for _ in range(repeat):
        answer = ask_worker(*question, timeout=timeout)
        if "error" in answer:
            return [answer]
        answers.append(answer)
    return answers


def _note(answers: Sequence[dict[str, Any]]) -> str:
    return "" if answers[0].get("same", True) else "**results differ**"


def _slower(case: str, answers: Sequence[dict[str, Any]]) -> Row:
    """A row of times, with ours over theirs, which is to be 1 at most."""
    if "error" in answers[0]:
        return Row(case, "-", note=answers[0]["error"])
    ours, theirs = _median(answers, "ours"), _median(answers, "theirs")
    ratio = _ratio(ours, theirs)
    return Row(case, _seconds(ours), _seconds(theirs), ratio, 1.0, note=_note(answers))


def _faster(case: str, answers: Sequence[dict[str, Any]], name: str, target: float) -> Row:
    """A row of speeds, with theirs over ours, which is called `name` and to be `target` at
    least."""
    if "error" in answers[0]:
        return Row(case, "-", note=answers[0]["error"])
    ours, theirs = _median(answers, name), _median(answers, "theirs")
    size = answers[0]["bytes"]
    ratio = _ratio(theirs, ours)
    return Row(
        case, _speed(size, ours), _speed(size, theirs), ratio, target, True, note=_note(answers)
    )


def _speed(size: int, seconds: float | None) -> str:
    return f"{size / seconds / 1e6:.2f} MB/s" if seconds else "-"


def cold(plan: Plan) -> list[Row]:
    """One short prompt in a new process."""
    rows = []
    for name, model in plan.chosen(tuple(COLD)):
        commands = [[*TOKCLI, "tokenize", "-m", model, "-p", "How are", "--ids"]]
        other = plan.reference_command(model, "-p", "How are", "--ids")
        if other is None and library_path() is not None:
            other = [sys.executable, "-m", "tests.benchmarks.timed_reference", model, "How are"]
        if other is not None:
            commands.append(other)
        ours, *rest = interleaved(commands, plan.repeat * 3)
        theirs = rest[0] if rest else None
        seconds = theirs.seconds if theirs else None
        peak = theirs.peak if theirs else None
        rows += [
            Row(
                f"{name}, wall time",
                _seconds(ours.seconds),
                _seconds(seconds),
                _ratio(ours.seconds, seconds),
                COLD[name],
            ),
            Row(
                f"{name}, peak memory",
                _megabytes(ours.peak),
                _megabytes(peak),
                _ratio(ours.peak, peak),
                1.5,
            ),
        ]
    return rows


def start(plan: Plan) -> list[Row]:
    """What the interpreter's own start leaves to --version and --help."""
    commands = [[sys.executable, "-c", "pass"], [*TOKCLI, "--version"], [*TOKCLI, "--help"]]
    bare, *ours = interleaved(commands, plan.repeat * 3)
    return [
        Row(
            f"tokcli {option}",
            _seconds(run.seconds),
            _seconds(bare.seconds),
            (run.seconds - bare.seconds) * 1e3,
            limit,
            unit=" ms",
        )
        for option, run, limit in zip(("--version", "--help"), ours, (60.0, 150.0), strict=True)
    ]


def throughput(plan: Plan) -> list[Row]:
    """Tokenizer.tokenize on the whole text, in CPU time: with nothing cached, and once more."""
    rows = []
    for name, model in plan.chosen(tuple(THROUGHPUT)):
        answers = _answers(plan.repeat, "throughput", model, plan.text)
        target = THROUGHPUT[name]
        rows.append(_faster(name, answers, "ours", target))
        rows.append(_faster(f"{name}, the same text again", answers, "again", target))
    return rows


def huggingface(plan: Plan) -> list[Row]:
    """The same against Hugging Face's tokenizers, which get the text in lines."""
    return [
        _faster(name, _answers(plan.repeat, "huggingface", model, plan.text), "ours", target)
        for name, target in HUGGING_FACE.items()
        for _, model in plan.chosen((name,))
    ]


def file(plan: Plan) -> list[Row]:
    """The command on a file, and on two files with one process and with two."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "text.txt"))
        text = read_text(plan.text)
        Path(path).write_bytes(text)
        halves = [str(Path(folder, name)) for name in ("first.txt", "second.txt")]
        grown = natural(text, 4 * len(text))
        Path(halves[0]).write_bytes(grown[: 2 * len(text)])
        Path(halves[1]).write_bytes(grown[2 * len(text) :])
        for name, model in plan.chosen(FILE):
            ours = [*TOKCLI, "tokenize", "-m", model, "--ids", "--log-disable"]
            commands = [[*ours, "-f", path]]
            other = plan.reference_command(model, "--ids", "-f", path)
            if other is not None:
                commands.append(other)
            own, *rest = interleaved(commands, plan.repeat)
            theirs = rest[0].seconds if rest else None
            rows.append(
                Row(
                    f"{name}, one file",
                    _seconds(own.seconds),
                    _seconds(theirs),
                    _ratio(theirs, own.seconds),
                    3.0,
                    True,
                )
            )
            both = [*ours, "-f", halves[0], "-f", halves[1], "-j"]
            two, one = interleaved([[*both, "2"], [*both, "1"]], plan.repeat)
            rows.append(
                Row(
                    f"{name}, two files of twice the size, -j 2 beside -j 1",
                    _seconds(two.seconds),
                    _seconds(one.seconds),
                    _ratio(one.seconds, two.seconds),
                )
            )
    return rows


def growth(plan: Plan) -> list[Row]:
    """Time and memory for each byte of natural text, as the text grows."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in plan.growth:
            path = str(Path(folder, f"{size}.txt"))
            ask_worker("make_natural", plan.text, str(size), path)
        for name, model in plan.chosen(tuple(THROUGHPUT)):
            smallest: float | None = None
            for size in plan.growth:
                path = str(Path(folder, f"{size}.txt"))
                repeat = plan.repeat if size <= LARGE else 1
                answers = _answers(repeat, "growth", model, path)
                case = f"{name}, {size / 1e6:g} MB"
                if "error" in answers[0]:
                    rows.append(Row(case, "-", note=answers[0]["error"]))
                    continue
                each = statistics.median(answer["ours"] for answer in answers) / size
                memory = statistics.median(answer["memory"] for answer in answers) / size
                smallest = smallest or each
                is_last = size == plan.growth[-1]
                rows.append(
                    Row(
                        case,
                        f"{each * 1e9:.0f} ns/byte",
                        f"{memory:.1f} bytes/byte",
                        each / smallest,
                        1.1 if is_last else None,
                        note="" if memory <= 12 or not is_last else "**over 12 bytes/byte**",
                    )
                )
    return rows


def words(plan: Plan) -> list[Row]:
    """Texts that are one word."""
    rows = []
    for name, model in plan.chosen(WORD):
        for kind in WORDS:
            question = ("one_word", model, plan.text, kind, str(plan.word))
            answers = _answers(1, *question, timeout=plan.patience)
            rows.append(_slower(f"{name}, {kind}", answers))
    return rows


def detokenize(plan: Plan) -> list[Row]:
    """Ids back to text."""
    return [
        _slower(name, _answers(plan.repeat, "detokenize", model, plan.text, str(plan.ids)))
        for name, model in plan.chosen(DETOKENIZE)
    ]


SIDE_BY_SIDE = ("tokcli", "reference", "tokcli / reference")
FASTER = ("tokcli", "reference", "times as fast")
SECTIONS = {
    "cold": Section("One short prompt in a new process", SIDE_BY_SIDE, cold),
    "start": Section("Start-up", ("tokcli", "bare interpreter", "difference"), start),
    "throughput": Section("Tokenizer.tokenize, CPU time", FASTER, throughput),
    "huggingface": Section("Beside Hugging Face tokenizers, one thread", FASTER, huggingface),
    "file": Section("The command on a file", FASTER, file),
    "growth": Section("Growth", ("time", "memory", "time, to the smallest"), growth),
    "words": Section("One word", SIDE_BY_SIDE, words),
    "detokenize": Section("Detokenizing", SIDE_BY_SIDE, detokenize),
}
