"""Where `tokcli tokenize` takes its text from, and what it says about the choice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tokcli.cli.io import (
    Input,
    argument_bytes,
    from_hex,
    read_file,
    read_stdin,
    split_lines,
    stdin_is_piped,
)
from tokcli.cli.tokenize_options import TokenizeRequest
from tokcli.errors import UsageError
from tokcli.text.escapes import process_escapes

if TYPE_CHECKING:
    from tokcli.tokenizer import Tokenizer

__all__ = ["inputs", "is_batch", "require_source"]

Note = Callable[[str], None]


def is_batch(request: TokenizeRequest) -> bool:
    """Whether there may be several inputs, each with a result of its own."""
    return request.lines or (len(request.file) > 1 and not request.stdin)


def require_source(request: TokenizeRequest) -> None:
    """Raise UsageError where no text is given and stdin is a terminal or closed."""
    given = request.stdin or request.file or request.messages is not None
    if given or request.prompt is not None or request.text is not None or stdin_is_piped():
        return
    raise UsageError(
        "no text to tokenize; give TEXT, -p/--prompt, -f/--file, --stdin, --messages, or pipe it in"
    )


def inputs(request: TokenizeRequest, tokenizer: Tokenizer, note: Note) -> Iterator[Input]:
    """The inputs, escapes processed; `note` is told what a user may not expect.

    Escapes in a conversation are JSON's, and none are processed in what it is rendered to.

    Raises OSError where a file cannot be read, UsageError where --hex finds something else, and
    what rendered_messages() raises.
    """
    if request.messages is not None:
        from tokcli.cli.conversation import rendered_messages

        yield rendered_messages(
            tokenizer, request.messages, request.template, request.template_name, note
        )
        return
    from_argument = request.text is not None or request.prompt is not None
    silent = from_argument and not (request.stdin or request.file)
    for source in _sources(request, note):
        escaped = 0
        units = split_lines(source) if request.lines else iter((source,))
        for unit in units:
            if request.hex:
                yield from_hex(unit)
                continue
            data, count = process_escapes(unit.data) if request.escape else (unit.data, 0)
            escaped += count
            yield unit._replace(data=data)
        if escaped and not silent:
            what = "escape sequence was" if escaped == 1 else "escape sequences were"
            note(
                f"{source.label}: {escaped} {what} processed (\\n, \\t, \\xHH...), as "
                "llama-tokenize does in files and stdin too; --no-escape leaves them alone"
            )


def _sources(request: TokenizeRequest, note: Note) -> Iterator[Input]:
    """Whole sources, in llama-tokenize's order of precedence: --stdin, -f, -p, then TEXT."""
    given = {
        "--stdin": request.stdin,
        "-f/--file": bool(request.file),
        "-p/--prompt": request.prompt is not None,
        "TEXT": request.text is not None,
    }
    names = [name for name, is_given in given.items() if is_given]
    if len(names) > 1:
        ignored = " and ".join(names[1:])
        verb = "is" if len(names) == 2 else "are"
        note(f"the text comes from {names[0]}; {ignored} {verb} not used")
    if request.stdin:
        yield Input(read_stdin(), "-")
    elif request.file:
        for path in request.file:
            yield Input(read_file(path), path)
    elif request.prompt is not None:
        yield Input(argument_bytes(request.prompt))
    elif request.text is not None:
        yield Input(argument_bytes(request.text))
    else:
        yield Input(read_stdin(), "-")
