"""Tokenizing several inputs at once, in processes, with everything in the order of one process.

Inputs go to the workers in batches of some size, as reading them has its price too. Notes and
errors that come up while reading wait in the same queue as the results, so that they show up where
they would without workers.
"""

from __future__ import annotations

import os
import sys
from array import array
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from tokcli.cli.guard import UNUSABLE
from tokcli.cli.io import Input
from tokcli.cli.model_source import load_tokenizer
from tokcli.cli.tokenize_inputs import is_batch
from tokcli.cli.tokenize_options import TokenizeRequest
from tokcli.cli.tokenize_work import How, tokenize_input
from tokcli.errors import TokcliError
from tokcli.render.tokenized import Tokenized
from tokcli.tokenizer import Tokenizer

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["Jobs", "start_jobs"]

# A second process pays from about here: it fills caches of its own.
LARGE_INPUT = 8_000_000
MOST_BY_DEFAULT = 4
BATCH_BYTES = 1 << 18
# Batches that are under way or done for each worker: what is read but not printed is bounded.
AHEAD = 3

# A result on its way between processes: ids as bytes, warnings.
Packed = tuple[bytes, list[Any]]
Answer = tuple[list[Packed], TokcliError | None]


def start_jobs(request: TokenizeRequest, tokenizer: Tokenizer, how: How) -> Jobs | None:
    """The processes that serve `request`, None where this one does it alone.

    Spans take longer to hand over than to find.
    """
    if how.with_spans or not is_batch(request):
        return None
    count = request.jobs or _default_count(request)
    if count == 1:
        return None
    load = partial(load_tokenizer, request.model, request.override_kv, request.pre, _no_warning)
    return Jobs(count, tokenizer, load, how)


def _default_count(request: TokenizeRequest) -> int:
    if request.stdin:
        return 1
    try:
        size = sum(map(os.path.getsize, request.file))
    except OSError:
        return 1
    return min(os.cpu_count() or 1, MOST_BY_DEFAULT) if size >= LARGE_INPUT else 1


class Jobs:
    """`count` worker processes, to be used in a `with` block and started before any thread is."""

    def __init__(
        self, count: int, tokenizer: Tokenizer, load: Callable[[], Tokenizer], how: How
    ) -> None:
        """load: gives the same tokenizer in a new process; it has to be picklable."""
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        # A fork has the tokenizer already, but is safe on Linux only.
        forks = sys.platform == "linux"
        self._ahead = count * AHEAD
        self._pool = ProcessPoolExecutor(
            count,
            multiprocessing.get_context("fork" if forks else "spawn"),
            _start_worker,
            (tokenizer if forks else load, how),
        )
        if forks:
            self._pool.submit(int).result()

    def __enter__(self) -> Jobs:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def results(
        self, units: Iterator[Input], notes: deque[str], note: Callable[[str], None]
    ) -> Iterator[tuple[Input, Tokenized]]:
        """Each input with its result, in order. `notes` receives what reading `units` has to say,
        and `note` is told when it is its turn. Raises what reading and tokenizing raise."""
        from concurrent.futures.process import BrokenProcessPool

        try:
            yield from self._results(units, notes, note)
        except BrokenProcessPool:
            raise TokcliError(
                "a process of -j was ended from outside, perhaps for want of memory; "
                "-j 1 takes less"
            ) from None

    def _results(
        self, units: Iterator[Input], notes: deque[str], note: Callable[[str], None]
    ) -> Iterator[tuple[Input, Tokenized]]:
        pending: deque[tuple[list[Input], Future[Answer]] | str | Exception] = deque()
        batches = self._batches(units, notes)
        more = True
        while more or pending:
            while more and len(pending) < self._ahead:
                step = next(batches, None)
                if step is None:
                    more = False
                elif isinstance(step, list):
                    texts = [unit.data for unit in step]
                    pending.append((step, self._pool.submit(_tokenize_batch, texts)))
                else:
                    pending.append(step)
            if not pending:
                return
            first = pending.popleft()
            if isinstance(first, str):
                note(first)
            elif isinstance(first, Exception):
                raise first
            else:
                yield from _unpacked(*first)

    def _batches(
        self, units: Iterator[Input], notes: deque[str]
    ) -> Iterator[list[Input] | str | Exception]:
        """Inputs together, notes, and the error that ended reading."""
        batch: list[Input] = []
        size = 0
        while True:
            error: Exception | None = None
            unit: Input | None = None
            try:
                unit = next(units, None)
            except (TokcliError, OSError) as raised:
                error = raised
            if batch and (notes or unit is None or size >= BATCH_BYTES):
                yield batch
                batch, size = [], 0
            while notes:
                yield notes.popleft()
            if error is not None:
                yield error
            if unit is None:
                return
            batch.append(unit)
            size += len(unit.data)


def _unpacked(units: list[Input], future: Future[Answer]) -> Iterator[tuple[Input, Tokenized]]:
    found, error = future.result()
    for unit, (packed, warnings) in zip(units, found, strict=False):
        ids = array("i")
        ids.frombytes(packed)
        yield unit, Tokenized(ids.tolist(), None, warnings, unit.file, unit.line)
    if error is not None:
        raise error


def _no_warning(_: str) -> None:
    """The parent has given it."""


_worker: tuple[Tokenizer, How] | None = None


def _start_worker(source: Tokenizer | Callable[[], Tokenizer], how: How) -> None:
    global _worker
    import signal
    from threading import Thread

    # The parent alone answers Ctrl-C, and ends the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    _worker = source if isinstance(source, Tokenizer) else source(), how


def _end_with_parent() -> None:
    """A parent that is killed ends no workers, and they hold each other's queue open."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(UNUSABLE)


def _tokenize_batch(texts: list[bytes]) -> Answer:
    """The results as far as they go, and the error that ended them."""
    assert _worker is not None
    tokenizer, how = _worker
    found: list[Packed] = []
    try:
        for data in texts:
            result = tokenize_input(tokenizer, Input(data), how)
            found.append((array("i", result.ids).tobytes(), result.warnings))
    except TokcliError as error:
        return found, error
    return found, None
