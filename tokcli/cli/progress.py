"""A progress bar on stderr, for long runs that a human watches."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

from tokcli.render.terminal import is_terminal, visible

if TYPE_CHECKING:
    import threading

__all__ = ["Progress"]

PATIENCE = 1.0  # seconds until the line shows up
INTERVAL = 0.2  # seconds between updates
WIDTH = 24  # characters of the bar
MOVING = "####"  # what moves in a bar of unknown length
CLEAR = "\r\x1b[K"
CUT = "..."  # in the place of the beginning of a name
LEAST_NAME = 8  # columns; a name is left out rather than cut to less


class Progress:
    """Draws how many bytes are done, from a thread of its own, if stderr is a terminal.

    Nothing is drawn in the first second, nor where the terminal is too narrow. Between pause() and
    the next start() the line is gone, so that other output does not mix with it; after inputs that
    take no time it stays, since it would flicker. While the first of the inputs is under way, or
    one of unknown size, part of the bar moves to and fro.
    """

    def __init__(self, files: Sequence[str] = (), *, enabled: bool | None = None) -> None:
        """files: what will be read, for the total; enabled: None asks stderr.

        When results go to the same terminal they are the progress from the first one on.
        """
        if enabled is None:
            enabled = is_terminal(sys.stderr)
        self.enabled = enabled
        self._until_result = is_terminal(sys.stdout)
        self.total = _size(files) if enabled else None
        self.done = 0
        self._current = 0
        self._label = ""
        self._started = self._since = time.monotonic()
        self._drawn = False
        self._active = False
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Progress:
        if self.enabled:
            import threading

            self._lock = threading.Lock()
            self._stop = threading.Event()
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._thread is not None:
            self._stop.set()
            self._thread.join()
            self._clear()

    def start(self, label: str, size: int) -> None:
        """Work on an input of `size` bytes begins."""
        if self.enabled:
            with self._lock:
                self._label, self._current, self._active = label, size, True
                self._since = time.monotonic()

    def pause(self) -> None:
        """The work is done, and its result is about to be printed."""
        if self.enabled:
            with self._lock:
                self.done += self._current
                self._current = 0
                if self._until_result or time.monotonic() - self._since > INTERVAL:
                    self._active = False
                    self._clear()
            if self._until_result:
                self.enabled = False

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Keeps the line away while something else is written to stderr."""
        if not self.enabled:
            yield
            return
        with self._lock:
            self._clear()
            yield

    def line(self, seconds: float, columns: int) -> str:
        """The text of the line after `seconds` of work, the name in it shortened, or left out, so
        that `columns` have room for it; "" where they still have not."""
        name = f" {visible(self._label)}" if self._label else ""
        if self.total and self.done:
            part = min(1.0, self.done / self.total)
            bar = ("#" * int(part * WIDTH)).ljust(WIDTH)
            return _fitted(f"[{bar}] {part:4.0%}", name, "", columns)
        size = (self.done + self._current) / 1e6
        way = WIDTH - len(MOVING)
        bar = (" " * abs((int(seconds / INTERVAL) + way) % (2 * way) - way) + MOVING).ljust(WIDTH)
        return _fitted(f"[{bar}] tokenizing", name, f", {size:.1f} MB, {seconds:.0f} s", columns)

    def _run(self) -> None:
        if self._stop.wait(PATIENCE):
            return
        while not self._stop.wait(INTERVAL):
            with self._lock:
                if self._active:
                    # A cursor after the last column is one of the next line on some terminals.
                    columns = _columns(sys.stderr) - 1
                    line = self.line(time.monotonic() - self._started, columns)
                    if line:
                        self._write(CLEAR + line)
                        self._drawn = True
                    else:
                        self._clear()

    def _clear(self) -> None:
        if self._drawn:
            self._write(CLEAR)
            self._drawn = False

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:
            self.enabled = False


def _fitted(head: str, name: str, tail: str, columns: int) -> str:
    from rich.cells import cell_len, chop_cells

    room = columns - cell_len(head + tail)
    if cell_len(name) > room:
        kept = room - len(f" {CUT}")
        end = chop_cells(name[::-1], kept)[0][::-1] if kept >= LEAST_NAME else ""
        name = f" {CUT}{end}" if end else ""
    return head + name + tail if cell_len(name) <= room else ""


def _columns(stream: TextIO) -> int:
    """How wide the terminal is that `stream` writes to; 80 where it does not say."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def _size(files: Sequence[str]) -> int | None:
    """The bytes of all files together, or None where that cannot be known."""
    try:
        return sum(os.path.getsize(path) for path in files) or None
    except OSError:
        return None
