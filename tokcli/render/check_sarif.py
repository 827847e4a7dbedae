"""Findings as SARIF 2.1.0, which code scanning services read.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from tokcli._version import __version__
from tokcli.check.finding import Evidence, Finding, Rule
from tokcli.check.pages import rule_page
from tokcli.check.report import FileReport
from tokcli.render.check_json import evidence_object
from tokcli.render.check_text import command_line
from tokcli.render.json_layout import json_document
from tokcli.render.terminal import visible

__all__ = ["sarif_document"]

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def sarif_document(reports: Sequence[FileReport], rules: Sequence[Rule]) -> str:
    """One log with one run over all files; `rules` are those that were looked for."""
    numbers = {rule.id: number for number, rule in enumerate(rules)}
    results = [
        _result(report, finding, numbers[finding.rule_id])
        for report in reports
        for finding in report.findings
    ]
    driver = {
        "name": "tokcli",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(rule) for rule in rules],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [_invocation(reports)],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return json_document({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(rule: Rule) -> dict[str, Any]:
    page = rule_page(rule)
    return {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.summary},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": rule.severity},
    }


def _invocation(reports: Sequence[FileReport]) -> dict[str, Any]:
    unreadable = [report for report in reports if report.error is not None]
    notifications = [
        {
            "level": "error",
            "message": {"text": str(report.error)},
            "locations": [{"physicalLocation": {"artifactLocation": _artifact(report.path)}}],
        }
        for report in unreadable
    ]
    return {"executionSuccessful": not unreadable, "toolExecutionNotifications": notifications}


def _result(report: FileReport, finding: Finding, number: int) -> dict[str, Any]:
    fingerprint = hashlib.sha256(f"{finding.rule_id}\n{finding.message}".encode("utf-8", "replace"))
    advice = visible(finding.repair.advice)
    repair = f"{advice}\n{command_line(finding)}".rstrip()
    return {
        "ruleId": finding.rule_id,
        "ruleIndex": number,
        "level": finding.severity,
        "message": {"text": f"{visible(finding.message)}\nRepair: {repair}"},
        "locations": [_location(report.path, evidence) for evidence in finding.evidence]
        or [_location(report.path, Evidence())],
        "partialFingerprints": {"tokcli/v1": fingerprint.hexdigest()},
        "properties": {
            "evidence": [evidence_object(evidence) for evidence in finding.evidence],
            "repair": repair,
        },
    }


def _location(path: str, evidence: Evidence) -> dict[str, Any]:
    # A GGUF file has no lines; services that show findings by line want one all the same.
    region: dict[str, Any] = {"startLine": 1}
    if evidence.offset is not None:
        region["byteOffset"] = evidence.offset
    physical = {"artifactLocation": _artifact(path), "region": region}
    location: dict[str, Any] = {"physicalLocation": physical}
    if evidence.key is not None:
        name = visible(evidence.key)
        if evidence.index is not None:
            name += f"[{evidence.index}]"
        location["logicalLocations"] = [{"fullyQualifiedName": name, "kind": "member"}]
    return location


def _artifact(path: str) -> dict[str, str]:
    if os.path.isabs(path):
        scheme = "file://" if path.startswith("/") else "file:///"
        return {"uri": scheme + quote(os.fsencode(path.replace(os.sep, "/")), safe="/:")}
    return {"uri": quote(os.fsencode(path.replace(os.sep, "/")))}
