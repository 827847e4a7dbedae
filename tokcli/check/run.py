"""Examines a file by rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tokcli.check.finding import SEVERITIES, Finding, Rule, Severity
from tokcli.check.registry import RULES
from tokcli.check.subject import Subject
from tokcli.gguf_metadata import Metadata, read_metadata

if TYPE_CHECKING:
    import os

    from tokcli.chat.messages import Conversation

__all__ = ["check_file", "check_metadata", "reaches"]

# Says no more than that llama.cpp refuses the file.
LAST_RESORT = "TOK199"


def check_file(
    path: str | os.PathLike[str],
    *,
    overrides: Mapping[str, object] | None = None,
    conversation: Conversation | None = None,
    rules: Sequence[Rule] = RULES,
) -> tuple[Finding, ...]:
    """What `rules` find about the tokenizer in the GGUF file at `path`, by rule id.

    overrides: plain values for keys, as tokcli.load takes them. conversation: judge the chat
    template on it.

    Raises GgufError for a file that cannot be read; a tokenizer that llama.cpp would not load is a
    finding.
    """
    metadata = read_metadata(path)
    replaced = frozenset(overrides or ())
    if overrides:
        metadata = metadata.with_overrides(overrides)
    return check_metadata(metadata, replaced=replaced, conversation=conversation, rules=rules)


def check_metadata(
    metadata: Metadata,
    *,
    replaced: frozenset[str] = frozenset(),
    conversation: Conversation | None = None,
    rules: Sequence[Rule] = RULES,
) -> tuple[Finding, ...]:
    """As check_file, for metadata that was read before; `replaced` are the keys that overrides
    changed."""
    subject = Subject(metadata, replaced=replaced, conversation=conversation)
    findings = [finding for rule in rules for finding in rule.findings(subject)]
    if any(finding.refused for finding in findings):
        findings = [finding for finding in findings if finding.rule_id != LAST_RESORT]
    return tuple(findings)


def reaches(severity: Severity, threshold: str) -> bool:
    """Whether `severity` is at or above `threshold`: "error", "warning" or "never"."""
    if threshold == "never":
        return False
    order = list(SEVERITIES)
    return order.index(severity) <= order.index("error" if threshold == "error" else "warning")
