"""A dictionary that computes what it lacks and keeps it, within bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Memo"]

Key = TypeVar("Key", bound="str | bytes")
Value = TypeVar("Value")

LONGEST_KEY = 64
MOST_KEYS = 1 << 18


class Memo(dict[Key, Value], Generic[Key, Value]):
    """Text or bytes -> value, filled by `compute` on first use.

    Looking up a key that is there costs what a dict costs. Keys longer than LONGEST_KEY are
    computed each time; past MOST_KEYS entries the memo starts afresh, so that memory stays bounded
    on any input.
    """

    __slots__ = ("_compute",)

    def __init__(self, compute: Callable[[Key], Value]) -> None:
        self._compute = compute

    def __missing__(self, key: Key) -> Value:
        value = self._compute(key)
        if len(key) <= LONGEST_KEY:
            if len(self) >= MOST_KEYS:
                self.clear()
            self[key] = value
        return value
