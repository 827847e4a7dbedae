"""`tokcli chat --format json`; tokcli/schemas/chat.schema.json describes it."""

from __future__ import annotations

import re
from typing import Any

from tokcli.chat.verdict import Caller, Finding
from tokcli.render.chat_report import Report
from tokcli.render.json_layout import json_document

__all__ = ["SCHEMA_VERSION", "document"]

SCHEMA_VERSION = 1
# A list of numbers that the layout has put on a line each.
_NUMBERS = re.compile(r"\[\n\s*(\d+(?:,\n\s*\d+)*)\n\s*\]")


def document(report: Report) -> str:
    """The document, laid out for reading, without a line feed at its end."""
    return _NUMBERS.sub(_on_one_line, json_document(_document(report)))


def _on_one_line(match: re.Match[str]) -> str:
    return f"[{', '.join(match[1].split())}]".replace(",,", ",")


def _document(report: Report) -> dict[str, Any]:
    verdict, conversation = report.verdict, report.conversation
    vocab = report.tokenizer.vocab
    rendered = verdict.rendering.text.encode("utf-8", "surrogateescape")
    return {
        "schema_version": SCHEMA_VERSION,
        "model": report.model,
        "vocab": {
            "type": vocab.type.label,
            "model": vocab.model,
            "pre": vocab.pre,
            "n_tokens": len(vocab),
        },
        "template": {"name": report.template.name, "key": report.template.key},
        "messages": len(conversation.messages),
        "tools": None if conversation.tools is None else len(conversation.tools),
        "rendered": _text(rendered),
        "rendered_bytes": rendered.hex(),
        "caller": report.caller.name,
        "ids": list(report.ids),
        "count": len(report.ids),
        "bos": {
            "id": verdict.bos_id,
            "text": verdict.bos_text if verdict.bos_id is not None else None,
            "expected": verdict.expected,
            "asked_by": verdict.asked_by,
            "counts": {caller.name: caller.count for caller in verdict.callers},
            "callers": [_caller(caller, verdict.expected) for caller in verdict.callers],
            "judged": list(report.judged),
            "verdict": "wrong" if report.wrong else "right",
        },
        "findings": [_finding(finding) for finding in verdict.findings],
    }


def _text(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _caller(caller: Caller, expected: int) -> dict[str, Any]:
    word = "right" if caller.right else "missing" if caller.count < expected else "too-many"
    return {
        "name": caller.name,
        "count": caller.count,
        "verdict": word,
        "sources": [
            {
                "added_by": source.added_by,
                "detail": source.detail,
                "byte": source.byte,
                "line": source.line,
                "template_line": source.template_line,
            }
            for source in caller.sources
        ],
        "dropped": list(caller.dropped),
        "fix": caller.fix,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "message": finding.message,
        "evidence": dict(finding.evidence),
        "fix": finding.fix,
    }
