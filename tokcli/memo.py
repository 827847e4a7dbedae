"""A dictionary that computes what it lacks and keeps it, within bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Memo"]

Value = TypeVar("Value")

LONGEST_KEY = 64
MOST_KEYS = 1 << 18


class Memo(dict[str, Value], Generic[Value]):
    """Text -> value, filled by `compute` on first use.

    Looking up a key that is there costs what a dict costs. Keys over LONGEST_KEY code points are
    computed each time; past MOST_KEYS entries the memo starts afresh, so that memory stays bounded
    on any input.
    """

    __slots__ = ("_compute",)

    def __init__(self, compute: Callable[[str], Value]) -> None:
        self._compute = compute

    def __missing__(self, key: str) -> Value:
        value = self._compute(key)
        if len(key) <= LONGEST_KEY:
            if len(self) >= MOST_KEYS:
                self.clear()
            self[key] = value
        return value
