"""Dictionaries that compute what they lack and keep it, within bounds."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from tokcli.errors import TokcliError

__all__ = ["BatchMemo", "Memo"]

Value = TypeVar("Value")

LONGEST_KEY = 256
MOST_KEYS = 1 << 18
# So many new keys are sooner computed together.
MANY_KEYS = 4096
SAMPLES = 512


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


class BatchMemo(Memo[Value]):
    """A memo for which thousands of keys are computed sooner together than one by one.

    `compute_all` gives keys with their values, for those of its argument that it can do.
    """

    __slots__ = ("_compute_all",)

    def __init__(
        self,
        compute: Callable[[str], Value],
        compute_all: Callable[[Sequence[str]], Iterable[tuple[str, Value]]],
    ) -> None:
        super().__init__(compute)
        self._compute_all = compute_all

    def learn(self, keys: Sequence[str]) -> None:
        """Take in those of `keys` that are not there, if there are so many that it pays."""
        if len(keys) < MANY_KEYS:
            return
        if all(map(self.__contains__, keys[:: len(keys) // SAMPLES + 1])):
            return
        new = [key for key in set(keys) if key not in self and len(key) <= LONGEST_KEY]
        if len(new) < MANY_KEYS:
            return
        if len(self) + len(new) > MOST_KEYS:
            self.clear()
            del new[MOST_KEYS:]
        # Collecting garbage would take as long as making all this, of which none is garbage.
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            self.update(self._compute_all(new))
        except TokcliError:
            # The first such key in the order of the text is to raise it, when it is asked for.
            pass
        finally:
            if was_enabled:
                gc.enable()
