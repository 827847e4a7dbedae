"""Carries out a TokenizeRequest: loads, tokenizes, renders, and finds the exit status."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from tokcli.cli.guard import FINDING, reader_is_gone, silence_stdout
from tokcli.cli.io import Input, stdout_bytes
from tokcli.cli.messages import Messages
from tokcli.cli.model_source import load_tokenizer
from tokcli.cli.progress import Progress
from tokcli.cli.report import report
from tokcli.cli.tokenize_inputs import inputs, is_batch, require_source
from tokcli.cli.tokenize_options import TokenizeRequest, check_request
from tokcli.cli.tokenize_work import How, results, tokenize_input
from tokcli.prompt_warnings import unasked_specials
from tokcli.render.terminal import is_terminal, visible
from tokcli.render.tokenized import Renderer, Tokenized
from tokcli.tokenizer import Tokenizer

if TYPE_CHECKING:
    from tokcli.cli.tokenize_jobs import Jobs

__all__ = ["run_request"]


def run_request(request: TokenizeRequest) -> int:
    """Do what `request` asks for and return the exit status.

    Raises TokcliError, and OSError for files that cannot be read.
    """
    check_request(request)
    require_source(request)
    messages = Messages(0 if request.log_disable else request.log_verbosity)
    tokenizer = load_tokenizer(
        request.model, request.override_kv, request.pre, messages.warn_of_options
    )
    add_special = asks_for_special(request, tokenizer)
    _announce_missing_special(request, tokenizer, messages)
    if request.truncate is not None:
        return _truncate(request, tokenizer, add_special, messages)
    renderer = _renderer(request, tokenizer, add_special)
    how = How(add_special, request.parse_special, renderer.needs_spans)
    over = 0
    with _jobs(request, tokenizer, how) as jobs, Progress(request.file) as progress:

        def note(message: str) -> None:
            with progress.aside():
                messages.note(message)

        for unit, result in results(request, tokenizer, how, note, progress, jobs):
            if result.warnings:
                with progress.aside():
                    for warning in result.warnings:
                        messages.warn(warning, unit.label)
                    if request.messages is not None:
                        _point_to_chat(result, messages)
            with _while_read(request):
                renderer.add(result)
            if request.max_tokens is not None and len(result.ids) > request.max_tokens:
                over += 1
                with progress.aside():
                    _report_over(unit, len(result.ids), request.max_tokens)
    with _while_read(request):
        renderer.finish()
    messages.finish()
    return FINDING if over or (request.strict and messages.n_warnings) else 0


@contextmanager
def _while_read(request: TokenizeRequest) -> Iterator[None]:
    """Prints results. Once nobody reads them, the rest is still judged where that was asked for."""
    try:
        yield
    except OSError as error:
        judges = request.max_tokens is not None or request.strict
        if not (judges and reader_is_gone(error)):
            raise
        silence_stdout()


def asks_for_special(request: TokenizeRequest, tokenizer: Tokenizer) -> bool:
    """The add_special to tokenize with: llama-tokenize's, unless the request names it."""
    if request.add_special is not None:
        return request.add_special
    return tokenizer.vocab.flag("add_bos") and not request.no_bos


def _announce_missing_special(
    request: TokenizeRequest, tokenizer: Tokenizer, messages: Messages
) -> None:
    missing = unasked_specials(tokenizer.vocab)
    if missing is None or request.add_special is not None or request.no_bos:
        return
    messages.note(
        f"no {missing} added: like llama-tokenize, this asks for special tokens only where the "
        "vocabulary adds BOS; --add-special asks for them, --no-special confirms that none are "
        "wanted"
    )


def _jobs(
    request: TokenizeRequest, tokenizer: Tokenizer, how: How
) -> AbstractContextManager[Jobs | None]:
    if request.jobs != 1 and is_batch(request):
        from tokcli.cli.tokenize_jobs import start_jobs

        return start_jobs(request, tokenizer, how) or nullcontext()
    return nullcontext()


def _point_to_chat(result: Tokenized, messages: Messages) -> None:
    if any(warning.code in ("double-bos", "no-bos") for warning in result.warnings):
        messages.note("'tokcli chat' with the same options says who adds each BOS, and the fix")


def _renderer(request: TokenizeRequest, tokenizer: Tokenizer, add_special: bool) -> Renderer:
    format = request.format or ("ids" if request.ids or request.lines else "llama")
    files = is_batch(request) and not request.lines
    if format in ("json", "jsonl") and not request.count_only:
        from tokcli.render.json import JsonDocument, JsonLines

        vocab = tokenizer.vocab
        settings = {
            "add_special": add_special,
            "parse_special": request.parse_special,
            "escape": request.escape and not request.hex and request.messages is None,
            "type": vocab.type.label,
            "pre": vocab.pre,
        }
        kind = JsonDocument if format == "json" else JsonLines
        return kind(
            tokenizer,
            stdout_bytes(),
            model=request.model or "built-in GPT-2",
            settings=settings,
            batch=is_batch(request),
        )
    if format == "table":
        from tokcli.render.table import TokenTable

        return TokenTable(
            tokenizer, color=request.color, files=files, show_count=request.show_count
        )
    from tokcli.render import text

    if request.count_only:
        writer: type[text.TextRenderer] = text.Counts
    else:
        writer = {"llama": text.LlamaLines, "ids": text.IdLists, "pieces": text.PieceLines}[format]
    return writer(
        tokenizer,
        stdout_bytes(),
        terminal=is_terminal(),
        files=files,
        lines=request.lines,
        show_count=request.show_count,
    )


def _report_over(unit: Input, count: int, limit: int) -> None:
    where = f"{unit.label}: " if unit.label else ""
    tokens = "1 token" if count == 1 else f"{count} tokens"
    report("error", f"{where}{tokens}, {count - limit} over the limit of --max-tokens {limit}")


def _truncate(
    request: TokenizeRequest, tokenizer: Tokenizer, add_special: bool, messages: Messages
) -> int:
    from tokcli.truncate import truncate

    assert request.truncate is not None
    output, terminal = stdout_bytes(), is_terminal()
    for unit in inputs(request, tokenizer, messages.note):
        prefix = truncate(
            tokenizer,
            unit.data,
            request.truncate,
            add_special=add_special,
            parse_special=request.parse_special,
        )
        how = How(add_special, request.parse_special)
        result = tokenize_input(tokenizer, unit._replace(data=prefix), how)
        for warning in result.warnings:
            messages.warn(warning, unit.label)
        if terminal:
            prefix = visible(prefix, keep="\n\t").encode()
        output.write(prefix + (b"\n" if request.lines or terminal else b""))
    messages.finish()
    return FINDING if request.strict and messages.n_warnings else 0
