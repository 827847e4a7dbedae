"""Running commands: how long they take, how much memory, and what they answer."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["TOKCLI", "Run", "ask_worker", "interleaved", "python_environment", "run"]

ROOT = Path(__file__).resolve().parent.parent.parent
TOKCLI = (sys.executable, "-m", "tokcli")


class Run(NamedTuple):
    """Wall time in seconds, and the peak of resident memory in bytes (None on Windows)."""

    seconds: float
    peak: int | None


def python_environment() -> dict[str, str]:
    """The environment with this repository importable and one thread for Hugging Face."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    more = {
        "PYTHONPATH": path,
        "TOKENIZERS_PARALLELISM": "false",
        "RAYON_NUM_THREADS": "1",
    }
    kept = {name: value for name, value in os.environ.items() if name != "TOKCLI_MODEL"}
    return {**kept, **more}


def run(command: Sequence[str]) -> Run:
    """Run a command with its output thrown away. Raises SystemExit where it fails."""
    null = subprocess.DEVNULL
    environment = python_environment()
    start = time.perf_counter()
    process = subprocess.Popen(command, stdin=null, stdout=null, stderr=null, env=environment)
    if not hasattr(os, "wait4"):
        status = process.wait()
        taken, peak = time.perf_counter() - start, None
    else:
        _, ended, usage = os.wait4(process.pid, 0)
        taken = time.perf_counter() - start
        status = process.returncode = os.waitstatus_to_exitcode(ended)
        peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    if status:
        raise SystemExit(f"{' '.join(command)}: exit status {status}")
    return Run(taken, peak)


def interleaved(commands: Sequence[Sequence[str]], repeat: int) -> list[Run]:
    """The medians of each command, run in turns after one round to fill the system's caches."""
    runs: list[list[Run]] = [[] for _ in commands]
    for turn in range(repeat + 1):
        for command, results in zip(commands, runs, strict=True):
            result = run(command)
            if turn:
                results.append(result)
    return [
        Run(
            statistics.median(result.seconds for result in results),
            None if results[0].peak is None else max(result.peak or 0 for result in results),
        )
        for results in runs
    ]


def ask_worker(task: str, *arguments: str, timeout: float | None = None) -> dict[str, Any]:
    """The JSON answer of tests.benchmarks.worker, which runs in a process of its own because
    llama.cpp may end it. {"error": ...} where it ends without an answer."""
    command = [sys.executable, "-m", "tests.benchmarks.worker", task, *arguments]
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, env=python_environment(), timeout=timeout
        )
    except subprocess.TimeoutExpired:
        return {"error": f"not done in {timeout:g} s"}
    if done.returncode:
        return {"error": f"exit status {done.returncode}"}
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
