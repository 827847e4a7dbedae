"""The entry point of `tokcli` and of `python -m tokcli`.

Typer costs more to import than a short prompt costs to tokenize, so what everybody runs all day
(`tokcli tokenize` with plain flags) and `--version` are answered without it.
"""

from __future__ import annotations

import gc
import os
import sys

INTERRUPTED = 130


def end(status: int) -> None:
    """End the process without freeing the vocabulary object by object, which takes as long as
    reading it did."""
    from contextlib import suppress

    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            # What stdout did not take has been reported, and is still there to fail again.
            with suppress(OSError):
                stream.flush()
    os._exit(status)


def print_version() -> None:
    """Print the version, at once."""
    from tokcli._version import __version__

    print(f"tokcli {__version__}", flush=True)


def main() -> None:
    """Run the command in sys.argv and end the process with its exit status."""
    try:
        run(sys.argv[1:])
    except KeyboardInterrupt:
        # While modules were still being imported; later, guarded() sees to it.
        end(INTERRUPTED)


def run(argv: list[str]) -> None:
    """Run the command that `argv` asks for."""
    if argv == ["--version"]:
        try:
            print_version()
        except OSError:
            # Imported late, for it takes longer than all of the above.
            from tokcli.cli.guard import guarded

            end(guarded(print_version, debug=lambda: False))
        return
    # The collector would walk through all cached words time and again, and find nothing: one
    # command makes few cycles.
    gc.disable()
    # numpy's linear algebra would start a thread for each processor, and none of it is used.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if argv[:1] == ["tokenize"]:
        from tokcli.cli import fast

        status = fast.run(argv[1:])
        if status is not None:
            end(status)
    from tokcli.cli.app import app

    try:
        app(prog_name="tokcli")
    except SystemExit as ended:
        if not isinstance(ended.code, int):
            raise
        end(ended.code)


if __name__ == "__main__":
    main()
