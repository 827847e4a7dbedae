"""What a template does without asking the environment, and how it is made to ask.

Compiled templates run loops, slices, `~` and literals as plain Python, and call filters and
methods whose results may be far larger than their arguments. `Guards` rewrites the former into
calls of the environment; the checks below look at the arguments of the latter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any, cast

from jinja2 import nodes
from jinja2.visitor import NodeTransformer

from tokcli.chat.budget import Budget

__all__ = ["Guards", "Steps", "check_filter", "check_method", "guarded_filter"]

# Methods of str, bytes and int that pad to a width.
PADDING = frozenset(["center", "ljust", "rjust", "zfill", "expandtabs", "to_bytes"])
# Filters that pad, indent, fill up or round to a number that they are given.
WIDTH_FILTERS = frozenset(["center", "indent", "wordwrap", "batch", "slice", "round"])
# Filters that take far longer than their input is long.
SLOW_FILTERS = frozenset(["urlize", "xmlattr", "wordwrap", "striptags", "pprint"])
SLOW_LENGTH = 1 << 16


class Guards(NodeTransformer):
    """Wraps loops, slices, `~` and literals: see the methods of ChatEnvironment named here."""

    def _call(self, method: str, *args: nodes.Expr, near: nodes.Node) -> nodes.Call:
        place = {"lineno": near.lineno, "environment": near.environment}
        function = nodes.EnvironmentAttribute(method, **place)
        return nodes.Call(function, list(args), [], None, None, **place)

    def visit_For(self, node: nodes.For) -> nodes.For:  # noqa: N802
        """Every pass of a loop is counted."""
        self.generic_visit(node)
        node.iter = self._call("steps", cast("nodes.Expr", node.iter), near=node)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Call:  # noqa: N802
        """The `~` operator, which the sandbox cannot intercept."""
        self.generic_visit(node)
        return self._call("joined", *node.nodes, near=node)

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Expr:  # noqa: N802
        """A slice makes a copy."""
        self.generic_visit(node)
        return self._call("made", node, near=node) if isinstance(node.arg, nodes.Slice) else node

    def _literal(self, node: Any) -> nodes.Expr:
        self.generic_visit(node)
        stored = getattr(node, "ctx", "load") != "load"
        constant = next(node.find_all((nodes.Name, nodes.Call)), None) is None
        return node if stored or constant else self._call("made", node, near=node)

    visit_List = visit_Tuple = visit_Dict = _literal  # noqa: N815


class Steps:
    """The iterable of a loop: counts the passes, and is as long as what it wraps."""

    def __init__(self, items: Any, budget: Budget) -> None:
        iter(items)  # a value that has no items is refused where the loop stands
        self._items = items
        self._budget = budget

    def __iter__(self) -> Iterator[Any]:
        step = self._budget.step
        for item in self._items:
            step()
            yield item

    def __len__(self) -> int:
        return len(self._items)


def guarded_filter(name: str, function: Callable[..., Any], budget: Budget) -> Callable[..., Any]:
    """The filter `function` with its arguments checked and its result charged."""
    # Some filters are handed the environment or the context before the value.
    first = 1 if getattr(function, "jinja_pass_arg", None) is not None else 0

    @wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        budget.step()
        if name == "join" and len(args) > first and not hasattr(args[first], "__add__"):
            # The parts of something lazy are known only when they are made.
            args = (*args[:first], list(Steps(args[first], budget)), *args[first + 1 :])
        check_filter(budget, name, (*args[first:], *kwargs.values()))
        result = function(*args, **kwargs)
        budget.charge(result)
        return result

    return guarded


def check_filter(budget: Budget, name: str, values: tuple[Any, ...]) -> None:
    """Refuse a filter whose result would be too large; `values[0]` is the filtered value."""
    sizes = [budget.measure(value) for value in values]
    if name in WIDTH_FILTERS:
        for value in values[1:]:
            budget.width(value)
    if name in SLOW_FILTERS and sizes[0] > SLOW_LENGTH:
        budget.length(sizes[0] * SLOW_LENGTH)
    if name in ("indent", "wordwrap"):
        budget.length(sizes[0] * max([1, *(len(v) for v in values[1:] if isinstance(v, str))]))
    elif name == "format":
        budget.percent(str(values[0]), values[1:])
    elif name == "replace" and len(values) > 2:
        _check_replace(budget, str(values[0]), str(values[1]), str(values[2]))
    elif name == "join" and isinstance(values[0], (str, list, tuple)):
        budget.length(sizes[0] + len(values[0]) * sum(sizes[1:]))
    elif name == "list" and isinstance(values[0], (str, bytes)):
        budget.length(16 * len(values[0]))
    elif name == "sum" and isinstance(values[0], (list, tuple)):
        budget.length(sum(len(v) for v in values[0] if isinstance(v, (list, tuple))))


def check_method(budget: Budget, method: Any, values: tuple[Any, ...]) -> None:
    """Refuse a method of str, bytes or int whose result would be too large."""
    # The sandbox hands out str.format wrapped, with the method itself in __wrapped__.
    owner = getattr(getattr(method, "__wrapped__", method), "__self__", None)
    name = getattr(method, "__name__", "")
    if not isinstance(owner, (str, bytes, int)):
        return
    if name in PADDING:
        for value in values:
            budget.width(value)
            if name == "expandtabs" and isinstance(value, int):
                budget.length(len(str(owner)) * value)
    elif not isinstance(owner, (str, bytes)) or not values:
        return
    elif name in ("format", "format_map"):
        budget.braces(str(owner), values)
    elif name == "replace" and len(values) > 1:
        _check_replace(budget, owner, values[0], values[1])
    elif name == "join":
        items = values[0] if hasattr(values[0], "__len__") else ()
        budget.length(budget.measure(values[0]) + len(items) * len(owner))
    elif name == "translate" and isinstance(values[0], Mapping):
        texts = [len(v) for v in values[0].values() if isinstance(v, (str, bytes))]
        budget.length(len(owner) * max([1, *texts]))


def _check_replace(budget: Budget, text: Any, old: Any, new: Any) -> None:
    if type(text) is type(old) is type(new):
        budget.length(len(text) + text.count(old) * len(new))
