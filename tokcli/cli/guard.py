"""The one place where what went wrong becomes a line on stderr and an exit status."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable

from tokcli.cli.report import report
from tokcli.errors import TokcliError

__all__ = ["FINDING", "UNUSABLE", "guarded", "reader_is_gone", "silence_stdout"]

FINDING = 1
UNUSABLE = 3
INTERRUPTED = 130


def guarded(action: Callable[[], int | None], *, debug: Callable[[], bool]) -> int:
    """Run `action` and return the exit status: its own (None is 0), or that of what it raised.
    Output that nobody reads to the end changes nothing about it.

    debug: asked when something was raised, whether to print the traceback as well.
    """
    status = 0
    try:
        status = action() or 0
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return INTERRUPTED
    except TokcliError as error:
        _print_traceback(debug())
        report("error", str(error))
        return error.exit_code
    except OSError as error:
        if reader_is_gone(error):
            silence_stdout()
            return status
        _print_traceback(debug())
        report("error", _describe(error))
        return UNUSABLE
    except MemoryError:
        _print_traceback(debug())
        report("error", "there is not enough memory for this; give it more, or a smaller input")
        return UNUSABLE
    except Exception as error:
        if hasattr(error, "exit_code"):  # Typer's own, about how the command was called
            raise
        _print_traceback(debug())
        again = "" if debug() else "; run it again with --debug and report the traceback"
        what = type(error).__name__ + (f": {error}" if str(error) else "")
        report("error", f"tokcli failed on this ({' '.join(what.split())}){again}")
        return UNUSABLE


def _describe(error: OSError) -> str:
    reason = error.strerror or str(error)
    if error.filename is None:
        return f"cannot read or write: {reason}"
    name = os.fsdecode(error.filename) or "''"
    return f"cannot use {name}: {reason}"


def _print_traceback(debug: bool) -> None:
    if debug:
        import traceback

        traceback.print_exc()


def reader_is_gone(error: OSError) -> bool:
    """Whether writing failed since nobody reads the pipe any more."""
    # On Windows that is EINVAL.
    return isinstance(error, BrokenPipeError) or (error.errno == errno.EINVAL and os.name == "nt")


def silence_stdout() -> None:
    """Let what is printed from now on, and what is still to be flushed, go nowhere."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
    except (OSError, ValueError, AttributeError):
        pass
