"""What `tokcli tokenize` can be asked: the request, its options as data, and what cannot be meant.

Two parsers build a TokenizeRequest: the Typer command in tokenize.py and, for start-up's sake,
fast.py, which is driven by OPTIONS. A test holds the two against each other.
"""

# Annotations are not put off here, unlike elsewhere: as text, that of each field would be compiled
# when the module is imported, and every start of the command imports it.
from typing import Literal, NamedTuple

from tokcli.errors import UsageError

__all__ = ["FORMATS", "OPTIONS", "Option", "TokenizeRequest", "check_request"]

FORMATS = ("llama", "ids", "json", "jsonl", "table", "pieces")
# Formats that give an input more than one line.
TALL_FORMATS = ("llama", "table")


class TokenizeRequest(NamedTuple):
    """One run of `tokcli tokenize`; fields are named for the options they come from.

    add_special: None means as llama-tokenize: if the vocabulary adds BOS and no_bos is off.
    messages: a conversation to render with the model's chat template, or with `template` or the
    model's template called `template_name`, in place of any other text.
    jobs: how many processes tokenize several inputs; None: one, or more where there is much text.
    log_verbosity: as in llama.cpp, notes are shown from 3, warnings from 2, errors always.
    """

    text: str | None = None
    model: str | None = None
    override_kv: tuple[str, ...] = ()
    pre: str | None = None
    prompt: str | None = None
    file: tuple[str, ...] = ()
    stdin: bool = False
    messages: str | None = None
    template: str | None = None
    template_name: str | None = None
    hex: bool = False
    lines: bool = False
    escape: bool = True
    parse_special: bool = True
    no_bos: bool = False
    add_special: bool | None = None
    ids: bool = False
    format: str | None = None
    count_only: bool = False
    show_count: bool = False
    max_tokens: int | None = None
    truncate: int | None = None
    jobs: int | None = None
    strict: bool = False
    log_disable: bool = False
    log_verbosity: int = 3
    color: str = "auto"
    debug: bool = False


class Option(NamedTuple):
    """One option: `kind` is "value", "values" (repeatable), "number", "on" or "off"."""

    names: tuple[str, ...]
    field: str
    kind: Literal["value", "values", "number", "on", "off"]


OPTIONS = (
    Option(("-m", "--model"), "model", "value"),
    Option(("--override-kv",), "override_kv", "values"),
    Option(("--pre",), "pre", "value"),
    Option(("-p", "--prompt"), "prompt", "value"),
    Option(("-f", "--file"), "file", "values"),
    Option(("--stdin",), "stdin", "on"),
    Option(("--messages",), "messages", "value"),
    Option(("--template",), "template", "value"),
    Option(("--template-name",), "template_name", "value"),
    Option(("--hex",), "hex", "on"),
    Option(("--lines",), "lines", "on"),
    Option(("-e", "--escape"), "escape", "on"),
    Option(("--no-escape",), "escape", "off"),
    Option(("--parse-special",), "parse_special", "on"),
    Option(("--no-parse-special",), "parse_special", "off"),
    Option(("--no-bos",), "no_bos", "on"),
    Option(("--add-special",), "add_special", "on"),
    Option(("--no-special",), "add_special", "off"),
    Option(("--ids",), "ids", "on"),
    Option(("--format",), "format", "value"),
    Option(("--count",), "count_only", "on"),
    Option(("--show-count",), "show_count", "on"),
    Option(("--max-tokens",), "max_tokens", "number"),
    Option(("--truncate",), "truncate", "number"),
    Option(("-j", "--jobs"), "jobs", "number"),
    Option(("--strict",), "strict", "on"),
    Option(("--log-disable",), "log_disable", "on"),
    Option(("-lv", "--verbosity", "--log-verbosity"), "log_verbosity", "number"),
    Option(("--color",), "color", "value"),
    Option(("--debug",), "debug", "on"),
)


def check_request(request: TokenizeRequest) -> None:
    """Raise UsageError where options contradict each other."""
    output = _outputs(request)
    if request.format is not None and request.format not in FORMATS:
        raise UsageError(f"--format {request.format}: not one of {', '.join(FORMATS)}")
    if len(output) > 1:
        raise UsageError(f"{' and '.join(output)} ask for different outputs; choose one")
    if request.add_special and request.no_bos:
        raise UsageError(
            "--add-special asks for what the vocabulary adds, --no-bos for no BOS; choose one "
            "(--no-special adds nothing)"
        )
    for name, number in (("--max-tokens", request.max_tokens), ("--truncate", request.truncate)):
        if number is not None and number < 0:
            raise UsageError(f"{name} {number}: a number of tokens is 0 or more")
    if request.jobs is not None and request.jobs < 1:
        raise UsageError(f"--jobs {request.jobs}: it takes at least one process")
    if request.lines and request.format in TALL_FORMATS:
        raise UsageError(
            f"--lines gives one result a line, and --format {request.format} takes several; use "
            "ids, pieces, jsonl, json or --count"
        )
    _check_messages(request)
    if request.truncate is not None and request.max_tokens is not None:
        raise UsageError("--truncate makes the text fit, and --max-tokens fails where it does not")
    if request.truncate is not None and len(request.file) > 1 and not request.stdin:
        raise UsageError("--truncate takes one input; give one -f/--file")


def _check_messages(request: TokenizeRequest) -> None:
    if request.messages is None:
        if request.template is not None or request.template_name is not None:
            name = "--template" if request.template is not None else "--template-name"
            raise UsageError(f"{name} renders --messages, and none are given")
        return
    others = {
        "TEXT": request.text is not None,
        "-p/--prompt": request.prompt is not None,
        "-f/--file": bool(request.file),
        "--stdin": request.stdin,
        "--hex": request.hex,
        "--lines": request.lines,
    }
    for name, given in others.items():
        if given:
            raise UsageError(f"--messages is the whole input: leave out {name}")


def _outputs(request: TokenizeRequest) -> list[str]:
    """The options that say what is printed, as given."""
    asked = {
        "--ids": request.ids and request.format != "ids",
        f"--format {request.format}": request.format is not None,
        "--count": request.count_only,
        "--truncate": request.truncate is not None,
    }
    return [name for name, given in asked.items() if given]
