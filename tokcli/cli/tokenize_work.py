"""Tokenizing the inputs of `tokcli tokenize`, one after the other or in several processes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from tokcli.cli.io import Input
from tokcli.cli.progress import Progress
from tokcli.cli.tokenize_inputs import inputs
from tokcli.cli.tokenize_options import TokenizeRequest
from tokcli.prompt_warnings import prompt_warnings
from tokcli.render.tokenized import Tokenized
from tokcli.tokenizer import Tokenizer

if TYPE_CHECKING:
    from tokcli.cli.tokenize_jobs import Jobs

__all__ = ["How", "results", "tokenize_input"]


class How(NamedTuple):
    """What tokenizing depends on besides vocabulary and text. `with_spans`: say for each token
    where it is."""

    add_special: bool
    parse_special: bool
    with_spans: bool = False


def tokenize_input(tokenizer: Tokenizer, unit: Input, how: How) -> Tokenized:
    """The tokens of one input and the warnings about them. Raises TokcliError."""
    add_special, parse_special, with_spans = how
    spans = None
    if with_spans:
        from tokcli.token_spans import spanned_tokens

        ids, spans = spanned_tokens(
            tokenizer, unit.data, add_special=add_special, parse_special=parse_special
        )
    else:
        ids = tokenizer.tokenize(unit.data, add_special=add_special, parse_special=parse_special)
    warnings = prompt_warnings(
        tokenizer, unit.data, ids, add_special=add_special, parse_special=parse_special
    )
    return Tokenized(ids, spans, warnings, unit.file, unit.line)


def results(
    request: TokenizeRequest,
    tokenizer: Tokenizer,
    how: How,
    note: Callable[[str], None],
    progress: Progress,
    jobs: Jobs | None,
) -> Iterator[tuple[Input, Tokenized]]:
    """Each input with its result, in order, from `jobs` if there are any.

    Raises what inputs() and tokenize_input() raise, once the results before it are out.
    """
    if jobs is not None:
        notes: deque[str] = deque()
        progress.start("", 0)
        units = inputs(request, tokenizer, notes.append)
        for unit, result in jobs.results(units, notes, note):
            progress.start(unit.label, _size(unit))
            progress.pause()
            yield unit, result
        return
    for unit in inputs(request, tokenizer, note):
        progress.start(unit.label, _size(unit))
        result = tokenize_input(tokenizer, unit, how)
        progress.pause()
        yield unit, result


def _size(unit: Input) -> int:
    """The bytes of an input in its file, the newline of a line among them."""
    return len(unit.data) + (unit.line is not None)
