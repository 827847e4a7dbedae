"""The Jinja2 environment that chat templates are rendered in.

The helpers, filters and rules are those of the transformers library, whose templates these are;
what it leaves unbounded goes through a Budget. Importing this module imports Jinja2 (40 ms), so
it is imported inside the functions that render.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, NoReturn

import jinja2
from jinja2 import ext, nodes
from jinja2.compiler import CodeGenerator
from jinja2.parser import Parser
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import MAX_RANGE, ImmutableSandboxedEnvironment, safe_range
from jinja2.utils import Namespace, missing

from tokcli.chat.budget import Budget, LimitError, TimeLimit
from tokcli.chat.guards import Guards, Steps, check_method, guarded_filter

__all__ = ["ChatEnvironment"]


class GenerationTag(ext.Extension):
    """`{% generation %}...{% endgeneration %}` marks what the model writes; it prints its body.

    The body is a block of its own, as in transformers: what is set inside is not seen outside.
    """

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> nodes.Node:
        """Read the tag up to its end."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        call = self.call_method("_print_body")
        return nodes.CallBlock(call, [], [], body).set_lineno(line)

    def _print_body(self, caller: Callable[[], str]) -> str:
        return caller()


class TimedCodeGenerator(CodeGenerator):
    """Looks at the clock at every node: blocks inside of blocks are analysed again and again."""

    environment: ChatEnvironment

    def visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> Any:
        """Write the code of a node. Raises LimitError."""
        self.environment.budget.look()
        return super().visit(node, *args, **kwargs)


class ChatEnvironment(ImmutableSandboxedEnvironment):
    """The environment of one rendering, with its budget and its clock.

    limit: the time that it has.
    """

    code_generator_class = TimedCodeGenerator

    # An operator named here is not computed while the template is compiled either.
    intercepted_binops = frozenset(["*", "**", "+", "%"])

    def __init__(
        self, clock: Callable[[], datetime] = datetime.now, limit: TimeLimit | None = None
    ) -> None:
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=[GenerationTag, ext.loopcontrols],
            # Computing what is constant takes time with the cube of an expression's depth.
            optimized=False,
            finalize=self._printable,
        )
        budget = self.budget = Budget(limit)
        self._clock = clock
        for name, function in self.filters.items():
            self.filters[name] = guarded_filter(name, function, budget)
        self.filters["tojson"] = self._tojson
        self.globals["raise_exception"] = raise_exception
        self.globals["strftime_now"] = self._strftime_now
        self.globals["range"] = _range
        self.globals["dict"] = _Dict()
        self.globals["namespace"] = _Namespace
        del self.globals["lipsum"]  # random words have no place in a prompt

    def _generate(
        self,
        source: nodes.Template,
        name: str | None,
        filename: str | None,
        defer_init: bool = False,
    ) -> str:
        return super()._generate(Guards().visit(source), name, filename, defer_init)

    def _load_template(self, name: object, globals: object) -> NoReturn:
        raise LimitError("it asks for another template: put that one's text into this one")

    def steps(self, items: Any) -> Steps:
        """The iterable of a loop."""
        self.entered(items)
        return Steps(items, self.budget)

    def entered(self, items: Any) -> None:
        """Hook: what a loop is about to go over."""

    def joined(self, *parts: Any) -> str:
        """The `~` operator."""
        return self.concat(str(self._printable(part)) for part in parts)

    def made(self, value: Any) -> Any:
        """A slice, or a list, tuple or mapping that the template wrote."""
        self.budget.charge(value)
        self.budget.measure(value)
        return value

    def concat(self, parts: Iterable[str]) -> str:
        """Join what a block or a macro put out."""
        texts: list[str] = []
        total = 0
        for text in parts:
            total += len(text)
            self.budget.length(total)
            texts.append(text)
        result = "".join(texts)
        self.budget.charge(result)
        return result

    def _printable(self, value: Any) -> Any:
        self.budget.measure(value)
        return value

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """`*`, `**`, `+` and `%`, refused where the result would be too large."""
        budget = self.budget
        sequences = (str, bytes, list, tuple)
        if isinstance(left, int) and isinstance(right, int):
            if operator == "*":
                budget.integer(left.bit_length() + right.bit_length())
            elif operator == "**":
                budget.integer(left.bit_length() * abs(right))
        elif operator == "*":
            for number, items in ((left, right), (right, left)):
                if isinstance(number, int) and isinstance(items, sequences):
                    budget.length(number * len(items))
        elif operator == "%" and isinstance(left, (str, bytes)):
            budget.percent(left, right if isinstance(right, tuple) else (right,))
        elif operator == "+" and isinstance(left, sequences) and isinstance(right, sequences):
            budget.length(len(left) + len(right))
        result = super().call_binop(context, operator, left, right)
        budget.charge(result)
        return result

    def call(
        __self,  # noqa: N805  a template may pass an argument named self
        __context: Context,
        __obj: Any,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Every call that a template makes: of a macro, a method, a helper."""
        if getattr(__obj, "__func__", None) in _GUARDS:
            return __obj(*args)
        if isinstance(__obj, jinja2.Undefined) and _is_name(__obj):
            raise jinja2.TemplateRuntimeError(f"No function named {__obj._undefined_name!r}.")
        budget = __self.budget
        budget.step()
        # Compiled templates pass these two of their own along.
        named = [v for k, v in kwargs.items() if k not in ("_loop_vars", "_block_vars")]
        values = (*args, *named)
        for value in values:
            budget.measure(value)
        if isinstance(__obj, LoopContext) and args:  # a recursive loop
            args = (__self.steps(args[0]), *args[1:])
        check_method(budget, __obj, values)
        result = super().call(__context, __obj, *args, **kwargs)
        budget.charge(result)
        budget.measure(result)
        return result

    def _tojson(
        self,
        value: Any,
        ensure_ascii: bool = False,
        indent: int | str | None = None,
        separators: tuple[str, str] | None = None,
        sort_keys: bool = False,
    ) -> str:
        """JSON without HTML escapes; the arguments are those of transformers' filter."""
        self.budget.step()
        self.budget.measure(value)
        for width in (indent, *(separators or ())):
            self.budget.width(width * 100 if isinstance(width, int) else width)
        text = json.dumps(
            value,
            ensure_ascii=ensure_ascii,
            indent=indent,
            separators=separators,
            sort_keys=sort_keys,
        )
        self.budget.charge(text)
        return text

    def _strftime_now(self, format: str) -> str:
        self.budget.width(format)
        self.budget.strftime(format)
        return self._clock().strftime(format)


_GUARDS = frozenset([ChatEnvironment.steps, ChatEnvironment.joined, ChatEnvironment.made])


def raise_exception(message: Any) -> None:
    raise jinja2.exceptions.TemplateError(message)


def _is_name(undefined: jinja2.Undefined) -> bool:
    """Whether nothing has this name, rather than an object no such attribute."""
    return undefined._undefined_obj is missing and undefined._undefined_hint is None


def _range(*args: Any) -> range:
    try:
        return safe_range(*args)
    except OverflowError:
        raise LimitError(f"it asks for a range of more than {MAX_RANGE} numbers") from None


class _Dict:
    """`dict` for templates: makes dictionaries, and is not the type."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args)


class _Namespace(Namespace):
    """`namespace` for templates: holds no names that begin with an underscore."""

    def __init__(*args: Any, **kwargs: Any) -> None:
        # No parameter of its own has a name, so that namespace(self=...) works.
        values = dict(*args[1:], **kwargs)
        for name in values:
            _check_name(name)
        Namespace.__init__(args[0], values)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_name(name)
        super().__setitem__(name, value)

    def __repr__(self) -> str:
        # Namespaces can hold each other, and the attributes of one are not text for a prompt.
        return "<Namespace>"


def _check_name(name: object) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise jinja2.exceptions.SecurityError(f"a namespace cannot hold {name!r}: underscore names")
