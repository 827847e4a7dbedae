"""Findings as JSON: the schema is tokcli/schemas/check.schema.json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tokcli.check.finding import SEVERITIES, Evidence, Finding
from tokcli.check.report import FileReport
from tokcli.render.json_layout import json_document

__all__ = ["check_document"]

VERSION = 1


def check_document(reports: Sequence[FileReport]) -> str:
    """The document about all files."""
    counts = Counter(finding.severity for report in reports for finding in report.findings)
    summary: dict[str, int] = {severity: counts[severity] for severity in SEVERITIES}
    summary["unreadable"] = sum(report.error is not None for report in reports)
    return json_document(
        {
            "version": VERSION,
            "summary": summary,
            "files": [
                {
                    "path": report.path,
                    "error": None if report.error is None else str(report.error),
                    "findings": [_finding(finding) for finding in report.findings],
                }
                for report in reports
            ],
        }
    )


def _finding(finding: Finding) -> dict[str, object]:
    repair = finding.repair
    return {
        "id": finding.rule_id,
        "name": finding.name,
        "severity": finding.severity,
        "message": finding.message,
        "evidence": [evidence_object(evidence) for evidence in finding.evidence],
        "repair": {
            "advice": repair.advice,
            "command": None if repair.command is None else list(repair.command),
            "placeholders": list(repair.placeholders),
        },
    }


def evidence_object(evidence: Evidence) -> dict[str, object]:
    """`text` is null where there is none or the bytes are not UTF-8; `bytes` is hex."""
    return {
        "key": evidence.key,
        "index": evidence.index,
        "offset": evidence.offset,
        "line": evidence.line,
        "text": _text(evidence.text),
        "bytes": None if evidence.text is None else evidence.text.hex(),
    }


def _text(data: bytes | None) -> str | None:
    if data is None:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
