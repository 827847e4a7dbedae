from __future__ import annotations

from pathlib import Path

import pytest

from tests.check.builders import CASES, Case
from tokcli.chat.messages import Conversation
from tokcli.check.finding import Finding
from tokcli.check.registry import RULES
from tokcli.check.run import check_file


def found(path: Path, case: Case) -> tuple[Finding, ...]:
    conversation = None if case.messages is None else Conversation(list(case.messages))
    return check_file(path, conversation=conversation)


def test_every_rule_has_a_case() -> None:
    assert list(CASES) == [rule.id for rule in RULES]


@pytest.mark.parametrize("rule_id", CASES)
def test_a_file_that_trips_it(rule_id: str, tmp_path: Path) -> None:
    findings = found(CASES[rule_id].trips(tmp_path / "m.gguf"), CASES[rule_id])
    rule = next(rule for rule in RULES if rule.id == rule_id)
    mine = [finding for finding in findings if finding.rule_id == rule_id]

    assert mine
    assert {finding.name for finding in mine} == {rule.name}
    assert rule.severity in {finding.severity for finding in mine}
    for finding in mine:
        assert "\n" not in finding.message
        assert finding.repair.advice


@pytest.mark.parametrize("rule_id", CASES)
def test_a_file_that_does_not(rule_id: str, tmp_path: Path) -> None:
    findings = found(CASES[rule_id].clean(tmp_path / "m.gguf"), CASES[rule_id])

    assert rule_id not in {finding.rule_id for finding in findings}
