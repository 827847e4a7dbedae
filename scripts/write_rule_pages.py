"""Writes the examples in the pages of tokcli check's rules, and docs/rules/README.md, their index.

    python -m scripts.write_rule_pages

An example is what tokcli prints about the file by which the tests trip the rule.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from tests.check.builders import CASES
from tests.cli.runner import tokcli
from tokcli.check.finding import Rule
from tokcli.check.registry import RULES

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "tokcli" / "check" / "docs"
INDEX = ROOT / "docs" / "rules" / "README.md"
HEADING = "## Example\n"
GROUPS = {
    "TOK1": "Keys and settings",
    "TOK2": "Tokens and their types",
    "TOK3": "Merges and scores",
    "TOK4": "Special tokens",
    "TOK5": "Chat templates",
}


def main() -> None:
    """Write all pages and the index."""
    for rule in RULES:
        page = PAGES / f"{rule.id}.md"
        page.write_text(with_example(rule, page.read_text("utf-8")), "utf-8")
    INDEX.write_text(index(), "utf-8")


def with_example(rule: Rule, page: str) -> str:
    """The page with the present output in its last section."""
    head, heading, _ = page.partition(HEADING)
    assert heading
    return f"{head}{HEADING}\n```console\n{example(rule)}```\n"


def example(rule: Rule) -> str:
    """The command line, and what it prints about the rule's test file."""
    case = CASES[rule.id]
    arguments = ["check", "model.gguf"]
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        try:
            os.chdir(folder)
            case.trips(Path("model.gguf"))
            if case.messages is not None:
                Path("chat.json").write_text(json.dumps(case.messages), "utf-8")
                arguments += ["--messages", "chat.json"]
            arguments += ["--select", rule.id]
            run = tokcli(*arguments)
        finally:
            os.chdir(before)
    assert not run.stderr, run.stderr
    return f"$ tokcli {' '.join(arguments)}\n{run.text}"


def index() -> str:
    """The index, by group."""
    lines = [
        "# Rules of tokcli check",
        "",
        "`tokcli check --explain TOK101` prints a page, `tokcli check --list-rules` this list.",
        "",
        "An **error** is a file that llama.cpp refuses or aborts on, or that gives the model other",
        "tokens than it was made for; a **warning** is such a fault for some text, some callers or",
        "some builds; a **note** is odd, and worth knowing. Some findings of a rule are more",
        "severe than the rule, or less, as its page says.",
    ]
    for prefix, title in GROUPS.items():
        lines += ["", f"## {title}", "", "| rule | name | severity | finds |", "|---|---|---|---|"]
        lines += [
            f"| [{rule.id}](../../tokcli/check/docs/{rule.id}.md) | {rule.name} | {rule.severity} "
            f"| {rule.summary} |"
            for rule in RULES
            if rule.id.startswith(prefix)
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
