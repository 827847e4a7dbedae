"""Findings for people: a line for each, then where it shows and what to do."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tokcli.check.finding import Evidence, Finding, Rule
from tokcli.check.report import FileReport
from tokcli.render.terminal import make_console, visible

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["command_line", "place", "print_reports", "print_rules"]

STYLES = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}
INDENT = "    "
LONGEST_TEXT = 60


def print_reports(reports: Sequence[FileReport], color: str) -> None:
    """Print every finding; nothing where there is none."""
    console: Console | None = None
    for report in reports:
        for finding in report.findings:
            if console is None:
                console = make_console(color)
            _print_finding(console, report.path, finding)


def _print_finding(console: Console, path: str, finding: Finding) -> None:
    from rich.text import Text

    head = Text(f"{visible(path)}: ")
    head.append(finding.severity, STYLES[finding.severity])
    head.append(f" {finding.rule_id} {finding.name}", "bold")
    head.append(f": {visible(finding.message)}")
    # The terminal may fold these, so that a command can be copied whole.
    console.print(head, soft_wrap=True)
    for line in _details(finding):
        console.print(Text(INDENT + line), soft_wrap=True)


def _details(finding: Finding) -> Iterator[str]:
    for evidence in finding.evidence:
        where = place(evidence)
        if where:
            yield f"at {where}"
    yield f"repair: {visible(finding.repair.advice)}"
    command = command_line(finding)
    if command:
        yield f"{INDENT}{command}"


def place(evidence: Evidence) -> str:
    """Where something lies and what is there, "" where nothing does: the key is missing."""
    if evidence.offset is None and evidence.index is None and evidence.line is None:
        return ""
    where = "" if evidence.key is None else visible(evidence.key)
    if evidence.index is not None:
        where += f"[{evidence.index}]"
    if evidence.line is not None:
        where += f" line {evidence.line}"
    if evidence.offset is not None:
        where += f" (byte {evidence.offset})" if where else f"byte {evidence.offset}"
    text = evidence.text
    if text is not None and len(text) <= LONGEST_TEXT:
        where += f": '{visible(text, backslash=True)}'"
    return where


def command_line(finding: Finding) -> str:
    """The repair as a line for a shell; "" where there is none."""
    command = finding.repair.command
    return "" if command is None else " ".join(map(_word, command))


def _word(word: str) -> str:
    """A word as a POSIX shell reads it; $'...' for what cannot be shown."""
    if visible(word) == word:
        return shlex.quote(word)
    return f"$'{''.join(map(_in_quotes, word))}'"


def _in_quotes(char: str) -> str:
    if char in "\\'":
        return f"\\{char}"
    shown = visible(char)
    if shown == char or shown in ("\\n", "\\r", "\\t"):
        return shown
    # Octal digits are three; how many hexadecimal ones are read depends on the shell.
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))


def print_rules(rules: Sequence[Rule], color: str) -> None:
    """Print id, severity, name and summary of each rule."""
    from rich.text import Text

    console = make_console(color)
    widths = [max(len(word) for word in column) for column in zip(*map(_words, rules), strict=True)]
    for rule in rules:
        line = Text(
            "  ".join(word.ljust(width) for word, width in zip(_words(rule), widths, strict=True))
        )
        line.append(f"  {rule.summary}")
        console.print(line)


def _words(rule: Rule) -> tuple[str, str, str]:
    return rule.id, rule.severity, rule.name
