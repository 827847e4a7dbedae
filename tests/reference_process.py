"""A reference llama.cpp in a process of its own, asked in JSON lines.

The command gets the path of a GGUF file as its last argument, reads one JSON object a line, and
answers each with one:

    {"op": "tokenize", "hex": "486f77", "add_special": true, "parse_special": false}
        -> {"ids": [2437]}
    {"op": "detokenize", "ids": [2437], "remove_special": false, "unparse_special": true}
        -> {"hex": "486f77"}
    {"op": "piece", "id": 2437, "special": true, "lstrip": 0}
        -> {"hex": "486f77"}

It may end on a question, as llama.cpp aborts; the next question then goes to a new process.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


class ReferenceProcess:
    """The reference on one vocabulary; a context manager."""

    def __init__(self, command: Sequence[str], path: Path) -> None:
        self._command = [*command, str(path)]
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> ReferenceProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """The answer, or {"crash": true} where the process ended instead."""
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(question) + "\n")
            process.stdin.flush()
            answer: dict[str, Any] = json.loads(process.stdout.readline())
        except (BrokenPipeError, ValueError):
            self.close()
            return {"crash": True}
        return answer

    def _start(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            self._command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return self._process

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None
