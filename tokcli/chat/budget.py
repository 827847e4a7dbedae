"""How much a template may do: passes of loops, bytes of values, size and shape of results.

A chat template comes with a file from anywhere. Jinja2's sandbox keeps it away from Python's
internals but lets it ask for a billion characters, so every operation that can make something
larger than its operands is charged here first.
"""

from __future__ import annotations

import sys
import time
from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView

from tokcli.chat.formats import ARGUMENT, brace_fields, percent_fields, time_fields

__all__ = ["Budget", "LimitError", "TimeLimit"]

MAX_TEXT = 16 << 20  # characters or items in one value; a prompt of four million tokens
MAX_TOTAL = 1 << 30  # bytes of all values made during one rendering
MAX_STEPS = 5_000_000  # passes of loops and calls
MAX_SECONDS = 10.0  # to compile a template, and for all renderings that one judgement takes
MAX_PARTS = 1_000_000  # parts of a nested value, a shared one as often as it would be printed
MAX_INT_BITS = 10_000
MAX_WIDTH = 10_000  # of a format specification, an indentation, a padding
STEPS_PER_LOOK = 256  # how often the clock is read

_CONTAINERS = (list, tuple, Mapping, set, frozenset, KeysView, ValuesView, ItemsView)


class LimitError(Exception):
    """The template asked for more than a chat template needs."""


class TimeLimit:
    """Time that compiling a template and several renderings have together.

    It passes inside a `with` statement only. `seconds`: MAX_SECONDS where it is None.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = self._left = MAX_SECONDS if seconds is None else seconds
        self._end = float("inf")

    def __enter__(self) -> None:
        """Let the time run. Raises LimitError where none is left."""
        self._end = time.monotonic() + self._left
        self.look()

    def __exit__(self, *_: object) -> None:
        self._left = self._end - time.monotonic()

    @property
    def spent(self) -> float:
        """The seconds that have passed inside."""
        return self._seconds - self._left

    def look(self) -> None:
        """Raises LimitError when the time is up."""
        if time.monotonic() > self._end:
            raise LimitError(f"it takes more than {self._seconds:.3g} seconds")


class Budget:
    """What one rendering has spent so far; every method raises LimitError.

    limit: whose time it spends.
    """

    def __init__(self, limit: TimeLimit | None = None) -> None:
        self._steps = 0
        self._bytes = 0
        self.limit = limit or TimeLimit()
        self._inputs: dict[int, int] = {}

    def admit(self, inputs: Mapping[str, object]) -> None:
        """Measure once, for good, what no template can change: `inputs` must outlive this."""
        for value in inputs.values():
            if isinstance(value, _CONTAINERS):
                self._parts(value, self._inputs)

    def step(self) -> None:
        """Count one pass of a loop, or one call."""
        self._steps += 1
        if self._steps % STEPS_PER_LOOK == 0:
            self.look()
        if self._steps > MAX_STEPS:
            raise LimitError(f"it makes more than {MAX_STEPS} loop passes and calls")

    def look(self) -> None:
        """Refuse to go on when the time is up."""
        self.limit.look()

    def length(self, wanted: int) -> None:
        """Refuse a value of `wanted` characters or items before it is made."""
        if wanted > MAX_TEXT:
            raise LimitError(f"it makes a value of more than {MAX_TEXT} characters or items")

    def width(self, value: object) -> None:
        """Refuse a padding, indentation or precision that no template needs."""
        size = len(value) if isinstance(value, str) else value
        if isinstance(size, int) and abs(size) > MAX_WIDTH:
            raise LimitError(f"it asks for a width of more than {MAX_WIDTH}")

    def integer(self, bits: int) -> None:
        """Refuse an integer of `bits` bits."""
        if bits > MAX_INT_BITS:
            raise LimitError(f"it makes an integer of more than {MAX_INT_BITS} bits")

    def percent(self, template: str | bytes, arguments: tuple[object, ...]) -> None:
        """Refuse what `template % arguments` would blow up."""
        text = template.decode("latin-1") if isinstance(template, bytes) else template
        self._fields(percent_fields(text), len(text), arguments)

    def braces(self, template: str, arguments: tuple[object, ...]) -> None:
        """Refuse what `template.format(*arguments)` would blow up."""
        self._fields(brace_fields(template), len(template), arguments)

    def strftime(self, template: str) -> None:
        """Refuse what `strftime(template)` would blow up."""
        self._fields(time_fields(template), len(template), ())

    def _fields(
        self, fields: Iterator[tuple[str, ...]], length: int, arguments: tuple[object, ...]
    ) -> None:
        self.look()  # long templates take long between two steps
        longest = max((self.measure(argument) for argument in arguments), default=0)
        for numbers in fields:
            self.step()
            length += longest
            for number in numbers:
                if number == ARGUMENT:
                    raise LimitError("it computes a width: write the number into the format")
                size = int(number or 0) if len(number) < 10 else MAX_WIDTH + 1
                self.width(size)
                length += size
            self.length(length)

    def charge(self, value: object) -> None:
        """Count a value that was just made."""
        if isinstance(value, (str, bytes, list, tuple, dict)):
            self.length(len(value))
            self._bytes += sys.getsizeof(value)
            if self._bytes > MAX_TOTAL:
                raise LimitError(f"it makes values of more than {MAX_TOTAL >> 20} MiB in total")

    def measure(self, value: object) -> int:
        """About how many characters `value` has when printed.

        Refuses a nest of lists that is small in memory and endless when printed or compared.
        """
        if isinstance(value, (str, bytes)):
            return len(value)
        return 16 * self._parts(value, {}) if isinstance(value, _CONTAINERS) else 16

    def _parts(self, value: object, known: dict[int, int]) -> int:
        if isinstance(value, (str, bytes)):
            return 1 + len(value) // 16
        if not isinstance(value, _CONTAINERS):
            return 1
        key = id(value)
        if key in self._inputs:
            return self._inputs[key]
        if key not in known:
            known[key] = MAX_PARTS + 1  # what holds itself never ends
            parts = 1 + sum(self._parts(item, known) for item in value)
            if isinstance(value, Mapping):
                parts += sum(self._parts(item, known) for item in value.values())
            known[key] = parts
        if known[key] > MAX_PARTS:
            raise LimitError(f"it works on a value of more than {MAX_PARTS} parts")
        return known[key]
