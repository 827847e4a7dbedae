"""What numpy does for long text. Nothing in here is imported before there is some: the import alone
takes as long as tokenizing some pages."""

from __future__ import annotations

import os

__all__: list[str] = []

SPINNING = "OPENBLAS_THREAD_TIMEOUT"
# The logarithm of so many cycles of the processor: below a millisecond.
SHORT = "20"


def _import_numpy() -> None:
    """Import numpy without the cost of the threads that its OpenBLAS starts, one for each
    processor: by default each of them spins for 2**26 cycles before it first sleeps, which here
    nothing gives it work to avoid. OpenBLAS reads the variable once, while it is loaded."""
    os.environ[SPINNING] = SHORT
    try:
        import numpy  # noqa: F401
    finally:
        del os.environ[SPINNING]


if SPINNING not in os.environ:
    _import_numpy()
