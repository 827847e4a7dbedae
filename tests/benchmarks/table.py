"""The table of ratios, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Row", "document"]


class Row(NamedTuple):
    """One comparison. `ours` and `theirs` are shown as they are; `ratio` is held against `target`,
    which it must not pass, or must reach where `at_least`. None: nothing to compare with, or no
    target."""

    case: str
    ours: str
    theirs: str = "-"
    ratio: float | None = None
    target: float | None = None
    at_least: bool = False
    unit: str = ""
    note: str = ""

    def cells(self) -> tuple[str, ...]:
        """The columns' texts."""
        ratio = "-" if self.ratio is None else f"{self.ratio:.2f}{self.unit}"
        if self.target is None:
            return (self.case, self.ours, self.theirs, ratio, "-", self.note)
        sign = "≥" if self.at_least else "≤"
        return (self.case, self.ours, self.theirs, ratio, f"{sign} {self.target:g}", self._result())

    def _result(self) -> str:
        if self.ratio is None or self.target is None:
            return self.note
        met = self.ratio >= self.target if self.at_least else self.ratio <= self.target
        return ", ".join(filter(None, ("met" if met else "**missed**", self.note)))


def document(
    heading: str, sections: Sequence[tuple[str, tuple[str, str, str], Sequence[Row]]]
) -> str:
    """Every section as a table: its title, the names of the columns that differ, its rows."""
    lines = [heading, ""]
    for title, names, rows in sections:
        lines += [f"### {title}", ""]
        lines.append("| case | " + " | ".join(names) + " | target | result |")
        lines.append("|---|---:|---:|---:|---:|---|")
        lines += ["| " + " | ".join(row.cells()) + " |" for row in rows]
        lines.append("")
    return "\n".join(lines)
