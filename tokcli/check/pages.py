"""The page of each rule: what it finds, why that hurts, how to repair it, an example."""

from __future__ import annotations

from importlib.resources import files

from tokcli.check.finding import Rule

__all__ = ["rule_page"]


def rule_page(rule: Rule) -> str:
    """The page of `rule`, as Markdown."""
    page = files("tokcli.check").joinpath("docs", f"{rule.id}.md")
    return page.read_text(encoding="utf-8")
