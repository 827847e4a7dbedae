"""tokcli check: lints the tokenizer in GGUF files, for people and for CI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tokcli.cli.chat_options import Messages
from tokcli.cli.guard import FINDING
from tokcli.cli.options import Color, Debug, Model, OverrideKv, Pre, check_choice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokcli.chat.messages import Conversation
    from tokcli.check.finding import Rule
    from tokcli.check.report import FileReport

__all__ = ["check"]

FORMATS = ("text", "json", "sarif", "github")
THRESHOLDS = ("error", "warning", "never")


def check(
    context: typer.Context,
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="GGUF files.", show_default=False),
    ] = None,
    model: Model = None,
    messages: Messages = None,
    select: Annotated[
        list[str] | None,
        typer.Option(
            "--select",
            metavar="RULES",
            help="Only these rules: ids (TOK101), beginnings of ids (TOK1), names (missing-pre); "
            "repeatable, or separated by commas.",
            show_default=False,
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", metavar="RULES", help="Not these rules.", show_default=False),
    ] = None,
    fail_on: Annotated[
        str,
        typer.Option(
            "--fail-on",
            metavar="|".join(THRESHOLDS),
            callback=lambda value: check_choice(value, THRESHOLDS),
            help="Exit with 1 on findings of this severity or a higher one.",
        ),
    ] = "error",
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="|".join(FORMATS),
            callback=lambda value: check_choice(value, FORMATS),
            help="github: annotations of a workflow; sarif: version 2.1.0, for code scanning.",
        ),
    ] = "text",
    explain: Annotated[
        str | None,
        typer.Option("--explain", metavar="RULE", help="Print a rule's page.", show_default=False),
    ] = None,
    list_rules: Annotated[
        bool, typer.Option("--list-rules", help="List the rules, one a line.")
    ] = False,
    override_kv: OverrideKv = None,
    pre: Pre = None,
    color: Color = "auto",
    debug: Debug = False,
) -> int:
    """Lint the tokenizer in GGUF files: what is wrong, the proof, and the repair.

    Nothing is printed about a healthy file. -m/--model names one more file;
    $TOKCLI_MODEL is examined where no file is named.
    With --messages the chat template is judged on that conversation, else on small ones.
    Exit status: 1 when there are findings (see --fail-on), 3 when a file cannot be read.

    \b
    tokcli check model.gguf
    tokcli check *.gguf --fail-on warning --ignore TOK504
    tokcli check model.gguf --messages chat.json --format sarif > tokenizer.sarif
    tokcli check --explain TOK101
    """
    from tokcli.check.registry import find_rule, select_rules

    rules = select_rules(select or (), ignore or ())
    if explain is not None:
        from tokcli.check.pages import rule_page
        from tokcli.render.lines import write_bytes

        write_bytes(rule_page(find_rule(explain)).encode())
        return 0
    if list_rules:
        from tokcli.render.check_text import print_rules

        print_rules(rules, color)
        return 0
    from tokcli.cli.overrides import read_overrides
    from tokcli.cli.report import report, report_warning
    from tokcli.tokenizer import builtin_path

    overrides = read_overrides(override_kv, pre, report_warning)
    conversation = _conversation(messages)
    if not files and model is None:
        report("note", "no FILE is given, so this is about the built-in GPT-2 vocabulary")
    paths = files or []
    source = context.get_parameter_source("model")
    if not paths or (source is not None and source.name == "COMMANDLINE"):
        paths = [builtin_path() if model is None else model, *paths]
    reports = [_examine(path, overrides, conversation, rules) for path in paths]
    _write(reports, rules, format, color)
    return _status(reports, fail_on)


def _conversation(messages: str | None) -> Conversation | None:
    from tokcli.cli.conversation import read_conversation

    return None if messages is None else read_conversation(messages)


def _examine(
    path: str,
    overrides: dict[str, object],
    conversation: Conversation | None,
    rules: Sequence[Rule],
) -> FileReport:
    from tokcli.check.report import FileReport
    from tokcli.check.run import check_file
    from tokcli.cli.report import report
    from tokcli.errors import GgufError

    try:
        findings = check_file(path, overrides=overrides, conversation=conversation, rules=rules)
    except GgufError as error:
        report("error", str(error))
        return FileReport(path, (), error)
    return FileReport(path, findings)


def _write(reports: Sequence[FileReport], rules: Sequence[Rule], format: str, color: str) -> None:
    from tokcli.render.lines import write_lines

    if format == "text":
        from tokcli.render.check_text import print_reports

        print_reports(reports, color)
    elif format == "json":
        from tokcli.render.check_json import check_document

        write_lines([check_document(reports)])
    elif format == "sarif":
        from tokcli.render.check_sarif import sarif_document

        write_lines([sarif_document(reports, rules)])
    else:
        from tokcli.render.check_github import annotation_lines

        write_lines(annotation_lines(reports))


def _status(reports: Sequence[FileReport], fail_on: str) -> int:
    from tokcli.check.run import reaches

    errors = [report.error for report in reports if report.error is not None]
    if errors:
        return errors[0].exit_code
    found = (finding.severity for report in reports for finding in report.findings)
    return FINDING if any(reaches(severity, fail_on) for severity in found) else 0
