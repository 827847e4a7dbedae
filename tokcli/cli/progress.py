"""A progress bar on stderr, for long runs that a human watches."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from tokcli.render.terminal import is_terminal, visible

if TYPE_CHECKING:
    import threading

__all__ = ["Progress"]

PATIENCE = 1.0  # seconds until the line shows up
INTERVAL = 0.2  # seconds between updates
WIDTH = 24  # characters of the bar
MOVING = "####"  # what moves in a bar of unknown length
CLEAR = "\r\x1b[K"


class Progress:
    """Draws how many bytes are done, from a thread of its own, if stderr is a terminal.

    Nothing is drawn in the first second. Between pause() and the next start() the line is gone, so
    that other output does not mix with it. While the first of the inputs is under way, or one of
    unknown size, part of the bar moves to and fro.
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
        self._started = time.monotonic()
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
            self.pause()

    def start(self, label: str, size: int) -> None:
        """Work on an input of `size` bytes begins."""
        if self.enabled:
            with self._lock:
                self._label, self._current, self._active = label, size, True

    def pause(self) -> None:
        """The work is done, and its result is about to be printed."""
        if self.enabled:
            with self._lock:
                self.done += self._current
                self._current, self._active = 0, False
                if self._drawn:
                    self._write(CLEAR)
                    self._drawn = False
            if self._until_result:
                self.enabled = False

    def line(self, seconds: float) -> str:
        """The text of the line after `seconds` of work."""
        name = f" {visible(self._label)}" if self._label else ""
        if self.total and self.done:
            part = min(1.0, self.done / self.total)
            bar = ("#" * int(part * WIDTH)).ljust(WIDTH)
            return f"[{bar}] {part:4.0%}{name}"
        size = (self.done + self._current) / 1e6
        way = WIDTH - len(MOVING)
        bar = (" " * abs((int(seconds / INTERVAL) + way) % (2 * way) - way) + MOVING).ljust(WIDTH)
        return f"[{bar}] tokenizing{name}, {size:.1f} MB, {seconds:.0f} s"

    def _run(self) -> None:
        if self._stop.wait(PATIENCE):
            return
        while not self._stop.wait(INTERVAL):
            with self._lock:
                if self._active:
                    self._write(CLEAR + self.line(time.monotonic() - self._started))
                    self._drawn = True

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:
            self.enabled = False


def _size(files: Sequence[str]) -> int | None:
    """The bytes of all files together, or None where that cannot be known."""
    try:
        return sum(os.path.getsize(path) for path in files) or None
    except OSError:
        return None
