"""The Typer application: finds commands, imports only the one that runs, ends with its status.

A command is a function of its own name in a module of its own name, tokcli/cli/show_merges.py for
`tokcli show-merges`; its return value is the exit status (None: 0). To add one, add its line to
COMMANDS.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from tokcli._version import __version__
from tokcli.cli.guard import guarded
from tokcli.cli.options import DEBUG_KEY
from tokcli.cli.report import report

__all__ = ["COMMANDS", "app"]

# In the order in which --help lists them.
COMMANDS = {
    "tokenize": "tokcli.cli.tokenize",
    "detokenize": "tokcli.cli.detokenize",
    "explain": "tokcli.cli.explain",
    "dump-vocab": "tokcli.cli.dump_vocab",
    "show-merges": "tokcli.cli.show_merges",
    "inspect": "tokcli.cli.inspect",
    "chat": "tokcli.cli.chat",
    "check": "tokcli.cli.check",
}
SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
USAGE = 2


class CommandGroup(TyperGroup):
    """Looks commands up in COMMANDS, and has `guarded` turn errors into exit statuses."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order of COMMANDS."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import the command's module and build it, or None for an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        function = _function(cmd_name)
        single = typer.Typer(
            add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False
        )
        single.command(name=cmd_name, context_settings=SETTINGS)(function)
        return typer.main.get_command(single)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands for --help, without building them: their options take far longer."""
        rows = [(name, _summary(_function(name))) for name in COMMANDS]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that the arguments begin with."""
        # Typer offers the nearest of these for a name that it does not know.
        self.commands = dict.fromkeys(COMMANDS)  # type: ignore[assignment]
        return super().resolve_command(ctx, args)

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Parse the arguments before the command, and print the help if they ask for it."""
        made = []
        debug = "--debug" in args

        def run() -> None:
            made.append(super(CommandGroup, self).make_context(info_name, args, parent, **extra))

        # Here rather than in `main`: Typer would end with status 1 where the reader is gone.
        status = guarded(run, debug=lambda: debug)
        if not made:
            raise typer.Exit(status)
        return made[0]

    def invoke(self, ctx: Any) -> int:
        """Run the command and return its exit status."""

        def run() -> int | None:
            result: int | None = super(CommandGroup, self).invoke(ctx)
            return result

        # A function, since the command's options are parsed inside.
        return guarded(run, debug=lambda: bool(ctx.meta.get(DEBUG_KEY)))

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Parse and run; usage errors become one line and exit status 2."""
        try:
            # On Windows the shell leaves wildcards to the program, which would expand texts too.
            status = super().main(args, prog_name, complete_var, False, False, **extra)
        except (typer.Abort, EOFError):
            status = USAGE
        except Exception as error:
            # Usage errors, which have no public name of their own in every version of typer.
            if not hasattr(error, "format_message"):
                raise
            status = _usage_error(error, sys.argv[1:] if args is None else args)
        if not standalone_mode:
            return status
        sys.exit(status or 0)


def _function(command: str) -> Callable[..., int | None]:
    function: Callable[..., int | None] = getattr(
        import_module(COMMANDS[command]), command.replace("-", "_")
    )
    return function


def _summary(function: Callable[..., object]) -> str:
    """The first paragraph of its help, in one line."""
    first, _, _ = (function.__doc__ or "").strip().partition("\n\n")
    return " ".join(first.split()).rstrip(".")


def _usage_error(error: Any, args: Sequence[str]) -> int:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "tokcli"
    message = error.format_message().strip().rstrip(".")
    value = _last_value(getattr(error, "param", None), args)
    if "valid integer" in message and value is not None and f"'{value}'" not in message:
        # Typer says where, but not what.
        message = f"{message.partition(': ')[0]}: '{value}' is not a valid integer"
    if "unexpected extra argument" in message and not _takes_arguments(context):
        message += "; a model is named with -m/--model"
    report("error", f"{message}; see '{path} --help'")
    return USAGE


def _last_value(param: Any, args: Sequence[str]) -> str | None:
    """The last value that the arguments give the option `param`, where it is easily seen."""
    from itertools import pairwise

    value = None
    for name in getattr(param, "opts", ()):
        for argument, following in pairwise(args):
            value = following if argument == name else value
        for argument in args:
            value = argument[len(name) + 1 :] if argument.startswith(f"{name}=") else value
    return value


def _takes_arguments(context: Any) -> bool:
    """Whether the command that is run has arguments besides options."""
    return context is None or any(
        param.param_type_name == "argument" for param in context.command.params
    )


app = typer.Typer(
    cls=CommandGroup,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=SETTINGS,
)


def _print_version(value: bool) -> None:
    if value:
        print(f"tokcli {__version__}", flush=True)
        raise typer.Exit


@app.callback(invoke_without_command=True)
def tokcli(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """The tokenizer in a GGUF file: what it does to text, as llama.cpp does it, and why.

    Without -m/--model or $TOKCLI_MODEL, commands use the built-in GPT-2 vocabulary.
    Exit status: 0 fine, 1 a finding, 2 usage, 3 a file that cannot be read or used.
    """
    if context.invoked_subcommand is None:
        print(context.get_help(), file=sys.stderr)
        raise typer.Exit(USAGE)
