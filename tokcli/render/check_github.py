"""Findings as annotations: workflow commands that GitHub Actions shows beside the change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tokcli.check.finding import Finding
from tokcli.check.report import FileReport
from tokcli.render.check_text import command_line
from tokcli.render.terminal import visible

__all__ = ["annotation_lines"]

LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def annotation_lines(reports: Iterable[FileReport]) -> Iterator[str]:
    """A line for each finding, and for each file that cannot be read."""
    for report in reports:
        if report.error is not None:
            yield _annotation("error", report.path, "unreadable", str(report.error))
        for finding in report.findings:
            title = f"{finding.rule_id} {finding.name}"
            yield _annotation(LEVELS[finding.severity], report.path, title, _body(finding))


def _body(finding: Finding) -> str:
    lines = [visible(finding.message), f"Repair: {visible(finding.repair.advice)}"]
    command = command_line(finding)
    return "\n".join([*lines, command] if command else lines)


def _annotation(level: str, path: str, title: str, body: str) -> str:
    return f"::{level} file={_property(visible(path))},title={_property(title)}::{_data(body)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
