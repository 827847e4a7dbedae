"""The pages say what the rules do, and show what they print."""

from __future__ import annotations

import pytest

from scripts.write_rule_pages import INDEX, PAGES, index, with_example
from tokcli.check.finding import Rule
from tokcli.check.pages import rule_page
from tokcli.check.registry import RULES

by_id = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)


@by_id
def test_every_rule_has_a_page(rule: Rule) -> None:
    title, _, line, *rest = rule_page(rule).splitlines()

    assert title == f"# {rule.id} {rule.name}"
    assert line == f"Severity: {rule.severity}. In a line: {rule.summary}."
    assert [text for text in rest if text.startswith("## ")] == [
        "## Why it hurts",
        "## Repair",
        "## Example",
    ]


@by_id
def test_the_example_is_what_is_printed(rule: Rule) -> None:
    page = rule_page(rule)

    assert with_example(rule, page) == page


def test_the_index_is_up_to_date() -> None:
    assert INDEX.read_text("utf-8") == index()


def test_there_is_no_page_without_a_rule() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == {rule.id for rule in RULES}
