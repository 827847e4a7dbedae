"""All rules, in the order of their ids, and the choice among them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from tokcli.check import (
    chat,
    general_keys,
    keys,
    merges,
    scores,
    settings,
    special_ids,
    token_types,
    tokens,
)
from tokcli.check.finding import Rule
from tokcli.errors import UsageError

__all__ = ["RULES", "find_rule", "select_rules"]

_GROUPS = (keys, general_keys, settings, tokens, token_types, merges, scores, special_ids, chat)
RULES: tuple[Rule, ...] = tuple(
    sorted((rule for group in _GROUPS for rule in group.RULES), key=lambda rule: rule.id)
)


def select_rules(select: Sequence[str] = (), ignore: Sequence[str] = ()) -> tuple[Rule, ...]:
    """The rules that `select` names (all where it is empty), without those that `ignore` names.

    A rule is named by its id ("TOK101"), the beginning of ids ("TOK1"), or its name
    ("missing-pre"); each item may hold several, separated by commas.

    Raises UsageError for a name that no rule has, and where `select` names none.
    """
    chosen = _named(select) if select else {rule.id for rule in RULES}
    if not chosen:
        raise UsageError(
            "--select names no rule, so nothing would be checked; leave it out for all"
        )
    chosen -= _named(ignore)
    return tuple(rule for rule in RULES if rule.id in chosen)


def find_rule(name: str) -> Rule:
    """The rule of that id or name. Raises UsageError."""
    for rule in RULES:
        if name.upper() == rule.id or name.lower() == rule.name:
            return rule
    raise _unknown(name)


def _named(selectors: Iterable[str]) -> set[str]:
    ids: set[str] = set()
    for selector in selectors:
        for name in filter(None, (part.strip() for part in selector.split(","))):
            found = {
                rule.id
                for rule in RULES
                if rule.name == name.lower() or rule.id.startswith(name.upper())
            }
            if not found:
                raise _unknown(name)
            ids |= found
    return ids


def _unknown(name: str) -> UsageError:
    names = [*(rule.id for rule in RULES), *(rule.name for rule in RULES)]
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f" (near it: {near[0]})" if near else ""
    return UsageError(f"no rule is called '{name}'{hint}; see tokcli check --list-rules")
