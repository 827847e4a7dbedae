"""`tokcli chat` for people: the prompt with its special tokens marked, then the verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from tokcli.chat.verdict import Caller, Finding
from tokcli.render.chat_report import (
    Part,
    Report,
    caller_title,
    caller_users,
    problem,
    source_text,
)
from tokcli.render.lines import write_lines
from tokcli.render.terminal import is_terminal, make_console, visible, wants_color
from tokcli.text.byte_escapes import SPECIAL_CHARACTERS
from tokcli.vocab import CONTROL, UNKNOWN

__all__ = ["print_report"]

STYLES = {
    "title": "bold",
    "bad": "bold red",
    "good": "bold green",
    "fix": "bold yellow",
    "dim": "dim",
    "control": "bold magenta",
    "user_defined": "cyan",
    "bos": "bold white on #8b2f97",
    "added": "bold white on #1f6fa8",
    "escape": "dim",
    "": "",
}
# What marks special tokens: without colours, and with them.
PLAIN = (("«a special token»", ""), ("«+one that the tokenizer adds»", ""))
COLORED = ((" special token ", "control"), (" BOS ", "bos"), (" the tokenizer adds it ", "added"))
_ESCAPE = re.compile(f"[{SPECIAL_CHARACTERS}]")


class Span(NamedTuple):
    """Text in a style of STYLES."""

    text: str
    style: str = ""


class Line(NamedTuple):
    """A line of output; where it does not fit the terminal it goes on `indent` columns in.

    One that is `whole` is left to the terminal to fold, so that a command in it can be copied.
    """

    indent: int
    spans: tuple[Span, ...]
    whole: bool = False


def print_report(report: Report, color: str) -> None:
    """Print everything, coloured where `color` says so, wrapped on a terminal only."""
    colored = wants_color(color)
    lines = _lines(report, colored)
    if not colored and not is_terminal():
        write_lines(" " * line.indent + "".join(s.text for s in line.spans) for line in lines)
        return
    from rich.text import Text

    console = make_console(color)
    for line in lines:
        text = Text()
        for span in line.spans:
            text.append(span.text, style=STYLES[span.style])
        if line.whole:
            console.print(Text(" " * line.indent) + text, soft_wrap=True)
            continue
        for row in text.wrap(console, max(1, console.width - line.indent), overflow="fold"):
            console.print(Text(" " * line.indent) + row)


def _lines(report: Report, colored: bool) -> Iterator[Line]:
    yield from _head(report, colored)
    yield from _prompt(report, colored)
    yield _line()
    yield from _bos(report)
    yield _line()
    if report.verdict.findings:
        yield from _findings(report.verdict.findings)
        yield _line()
    yield from _verdict(report)


def _line(*spans: Span, indent: int = 0, whole: bool = False) -> Line:
    return Line(indent, spans, whole)


def _head(report: Report, colored: bool) -> Iterator[Line]:
    template, conversation = report.template, report.conversation
    key = visible(template.key)
    where = key if template.name == template.key else f"{key} of {visible(report.model)}"
    number = len(conversation.messages)
    what = f"{number} message{'' if number == 1 else 's'}"
    if conversation.tools:
        what += f", {len(conversation.tools)} tool{'' if len(conversation.tools) == 1 else 's'}"
    yield _line(Span("Template:", "title"), Span(f" {where}; {what}"))
    count = len(report.ids)
    yield _line(
        Span("Prompt:", "title"),
        Span(f" {count} token{'' if count == 1 else 's'} {caller_title(report.caller)}"),
        *_legend(report, colored),
    )


def _legend(report: Report, colored: bool) -> Iterator[Span]:
    marks = COLORED if colored else PLAIN
    for text, style in marks if any(part.added for part in report.parts) else marks[:-1]:
        yield Span("  ")
        yield Span(text, style)


def _prompt(report: Report, colored: bool) -> Iterator[Line]:
    """The prompt, a line for each of its lines."""
    spans: list[Span] = []
    for part in report.parts:
        if part.id is not None:
            spans.append(_special(report, part, colored))
            continue
        for text in part.data.splitlines(keepends=True) if part.data else ():
            spans.extend(_text(text))
            if text.endswith(b"\n"):
                yield Line(2, tuple(spans))
                spans = []
    if spans:
        yield Line(2, tuple(spans))


def _special(report: Report, part: Part, colored: bool) -> Span:
    text = visible(part.data)
    if not colored:
        return Span(f"«{'+' if part.added else ''}{text}»")
    if part.added:
        return Span(text, "added")
    if part.id == report.verdict.bos_id:
        return Span(text, "bos")
    assert part.id is not None
    control = report.tokenizer.vocab.attr(part.id) & (CONTROL | UNKNOWN)
    return Span(text, "control" if control else "user_defined")


def _text(data: bytes) -> Iterator[Span]:
    """Plain text; line feeds and what else is invisible stand out."""
    text = data.decode("utf-8", "backslashreplace")
    end = 0
    for match in _ESCAPE.finditer(text):
        yield Span(text[end : match.start()])
        yield Span(visible(match[0]), "escape")
        end = match.end()
    yield Span(text[end:])


def _bos(report: Report) -> Iterator[Line]:
    verdict = report.verdict
    if verdict.bos_id is None:
        yield _line(Span("BOS:", "title"), Span(" this vocabulary has none"))
    else:
        yield _line(
            Span("BOS:", "title"),
            Span(" "),
            Span(verdict.bos_text, "control"),
            Span(f" (id {verdict.bos_id}); the prompt should begin with "),
            Span(str(verdict.expected) if verdict.expected else "none", "title"),
            Span(f", since {verdict.asked_by}"),
        )
    for caller in verdict.callers:
        yield from _caller(caller)


def _caller(caller: Caller) -> Iterator[Line]:
    mark = Span("right", "good") if caller.right else Span("WRONG", "bad")
    yield _line(
        mark,
        Span(f" {caller.count} "),
        Span(caller_title(caller), "title"),
        Span(f" ({caller_users(caller)})", "dim"),
        indent=2,
    )
    if caller.dropped:
        dropped = " and ".join(caller.dropped)
        yield _line(Span(f"takes the {dropped} off the rendering first"), indent=10)
    for number, source in enumerate(caller.sources, 1):
        yield _line(Span(f"{number}. {source_text(source)}"), indent=10)


def _findings(findings: Sequence[Finding]) -> Iterator[Line]:
    yield _line(Span("Findings:", "title"))
    for finding, after in zip_longest(findings, findings[1:]):
        style = "bad" if finding.severity == "error" else "fix"
        yield _line(
            Span(f"{finding.severity}:", style),
            Span(f" {finding.message} [{finding.code}]"),
            indent=2,
        )
        # Several findings with one cure are told together.
        if after is None or after.fix != finding.fix:
            yield _line(Span("fix:", "fix"), Span(f" {finding.fix}"), indent=4, whole=True)


def _verdict(report: Report) -> Iterator[Line]:
    verdict = report.verdict
    if not report.wrong:
        titles = [caller_title(verdict.caller(name)) for name in report.judged]
        everyone = len(titles) > 1 and not report.also_wrong
        whom = "for every caller" if everyone else " and ".join(titles)
        number = f"{verdict.expected} BOS" if verdict.expected else "no BOS, and none is asked for,"
        yield _line(Span("Verdict:", "title"), Span(" right", "good"), Span(f", {number} {whom}"))
    for word, style, callers in (
        ("Verdict:", "bad", report.wrong),
        ("Note:", "fix", report.also_wrong),
    ):
        for caller in callers:
            told = problem(caller, verdict.expected)
            yield _line(Span(word, "title"), Span(" "), Span(told, style))
            yield _line(Span("Fix:", "fix"), Span(f" {caller.fix}"), indent=2, whole=True)
