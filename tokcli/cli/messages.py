"""Warnings and notes on stderr: as much as was asked for, and each kind once."""

from __future__ import annotations

from collections import Counter

from tokcli.cli.report import report
from tokcli.prompt_warnings import PromptWarning

__all__ = ["Messages"]

# llama.cpp's verbosity levels.
WARNING_LEVEL, NOTE_LEVEL = 2, 3


class Messages:
    """Counts warnings, and shows those of one code for the first input that has it."""

    def __init__(self, verbosity: int = NOTE_LEVEL) -> None:
        """verbosity: notes are shown from 3, warnings from 2."""
        self.verbosity = verbosity
        self._seen: Counter[str] = Counter()
        self._n_others = 0

    @property
    def n_warnings(self) -> int:
        """How many there were, shown or not."""
        return self._seen.total() + self._n_others

    def note(self, message: str) -> None:
        """Something a user may not expect, but nothing wrong."""
        if self.verbosity >= NOTE_LEVEL:
            report("note", message)

    def warn(self, warning: PromptWarning, label: str = "") -> None:
        """Something that is likely wrong with the input named `label`."""
        self._seen[warning.code] += 1
        if self._seen[warning.code] == 1 and self.verbosity >= WARNING_LEVEL:
            where = f"{label}: " if label else ""
            report("warning", f"{where}{warning.message} [{warning.code}]")

    def warn_of_options(self, message: str) -> None:
        """Something that is likely wrong with what was asked for."""
        self._n_others += 1
        if self.verbosity >= WARNING_LEVEL:
            report("warning", message)

    def finish(self) -> None:
        """Say how many more inputs had each warning."""
        if self.verbosity < WARNING_LEVEL:
            return
        for code, count in self._seen.items():
            # The vocabulary's own fault does not lie with any input.
            if count > 1 and code != "missing-pre":
                more = "1 more input has" if count == 2 else f"{count - 1} more inputs have"
                report("warning", f"{more} this warning [{code}]")
