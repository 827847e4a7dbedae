"""What an examination of several files came to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tokcli.check.finding import Finding
from tokcli.errors import GgufError

__all__ = ["FileReport"]


class FileReport(NamedTuple):
    """One file: its findings, or the `error` for which it cannot be read."""

    path: str
    findings: Sequence[Finding]
    error: GgufError | None = None
