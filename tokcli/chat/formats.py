"""The widths and precisions that a format string asks for, read in one pass.

Each function yields one entry per field: its numbers, as runs of digits. An entry that holds
ARGUMENT takes a number from the arguments, `%*d` or `{:{}}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import Formatter

__all__ = ["ARGUMENT", "brace_fields", "percent_fields", "time_fields"]

ARGUMENT = "*"

_PARENTHESIS = re.compile(r"[()]")
# What follows "%" and its key: flags, width, precision, a length that counts for nothing.
_CONVERSION = re.compile(r"[-+ #0]*(\*|[0-9]*)(?:\.(\*|[0-9]*))?[hlL]?", re.ASCII)
_TIME_FIELD = re.compile(r"%[-+ #0_^]*([0-9]*)")
_NUMBER = re.compile(r"\d+")  # of any script: format() takes them all


def percent_fields(template: str) -> Iterator[tuple[str, ...]]:
    """The fields of `template % ...`; as there, ValueError if the "(" of a key is not closed."""
    at = template.find("%")
    while at >= 0:
        at += 1
        if template.startswith("(", at):
            at = _behind_key(template, at)
        match = _CONVERSION.match(template, at)
        assert match is not None  # it matches nothing, too
        yield tuple(number for number in match.groups() if number)
        at = template.find("%", match.end() + 1)  # one character says what to convert to


def _behind_key(template: str, start: int) -> int:
    """Where the key goes on that opens at `start`: keys may hold pairs of parentheses."""
    depth = 0
    for match in _PARENTHESIS.finditer(template, start):
        depth += 1 if match.group() == "(" else -1
        if depth == 0:
            return match.end()
    raise ValueError("incomplete format key: '%(' without its ')'")


def brace_fields(template: str) -> Iterator[tuple[str, ...]]:
    """The fields of `template.format(...)`; as there, ValueError if it cannot be read."""
    for _, name, specification, _ in Formatter().parse(template):
        if name is None:
            yield ()  # text, or an escaped brace
        elif "{" in (specification or ""):
            yield (ARGUMENT,)
        else:
            # The digits of a fill character are a run as well, and a harmless one.
            yield tuple(_NUMBER.findall(specification or ""))


def time_fields(template: str) -> Iterator[tuple[str, ...]]:
    """The fields of `strftime(template)`, with the flags and widths of the GNU C library."""
    for match in _TIME_FIELD.finditer(template):
        yield match.groups()
