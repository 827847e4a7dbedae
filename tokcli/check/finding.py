"""What a rule is, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from tokcli.check.subject import Subject

__all__ = ["SEVERITIES", "Evidence", "Finding", "Problem", "Repair", "Rule", "Severity", "rule"]

# error: llama.cpp refuses the file, aborts on it, or makes other tokens than the model was made
# for. warning: so for some text, some callers, or some builds. note: odd, and worth knowing.
Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a fault can be seen.

    `key`: the GGUF key. `index`: the item of its array (a token id, or the rank of a merge).
    `offset`: the byte of the file where that lies, None where an override took its place.
    `text`: the bytes found there. `line`: the line of a chat template, from 1.
    """

    key: str | None = None
    index: int | None = None
    offset: int | None = None
    text: bytes | None = None
    line: int | None = None


class Repair(NamedTuple):
    """What to do: `advice` in words, and a command line where one does it.

    Words of `command` in `placeholders` stand for what only the reader knows.
    """

    advice: str
    command: tuple[str, ...] | None = None
    placeholders: tuple[str, ...] = ()


class Problem(NamedTuple):
    """What a rule's check yields.

    `severity`: where it is not the rule's own. `refused`: this is why llama.cpp does not load the
    tokenizer, so that nothing more need be said about that.
    """

    message: str
    evidence: tuple[Evidence, ...]
    repair: Repair
    severity: Severity | None = None
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of one file. `rule_id` ("TOK101") and `name` ("missing-pre") are stable."""

    rule_id: str
    name: str
    severity: Severity
    message: str
    evidence: tuple[Evidence, ...]
    repair: Repair
    refused: bool = False


Check = Callable[["Subject"], Iterable[Problem]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: stable `id` and `name`, its usual `severity`, and what it says in one line."""

    id: str
    name: str
    severity: Severity
    summary: str
    check: Check

    def findings(self, subject: Subject) -> list[Finding]:
        """What the rule finds about `subject`."""
        return [
            Finding(
                self.id,
                self.name,
                problem.severity or self.severity,
                _printable(problem.message),
                problem.evidence,
                problem.repair._replace(advice=_printable(problem.repair.advice)),
                problem.refused,
            )
            for problem in self.check(subject)
        ]


def _printable(text: str) -> str:
    """One line: what a file put into it may hold anything."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def rule(id: str, name: str, severity: Severity, summary: str) -> Callable[[Check], Rule]:
    """Makes a Rule of the function that yields its Problems."""

    def make(check: Check) -> Rule:
        return Rule(id, name, severity, summary, check)

    return make
