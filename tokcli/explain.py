"""Tokenizing with every step kept, for `tokcli explain` and whoever wants the steps."""

from __future__ import annotations

from dataclasses import dataclass

from tokcli.partition import SpecialFragment
from tokcli.prompt_warnings import PromptWarning, prompt_warnings
from tokcli.text.unicode import to_bytes
from tokcli.tokenizer import Tokenizer
from tokcli.trace import Event
from tokcli.vocab import TokenId, Vocab

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True)
class Explanation:
    """How `input` became `ids`.

    `events`: what the engine reported, in order (see tokcli.trace). `ignored_special`: control
    tokens that the text spells while parse_special is off. `warnings`: see tokcli.prompt_warnings.
    """

    tokenizer: Tokenizer
    input: bytes
    add_special: bool
    parse_special: bool
    ids: tuple[TokenId, ...]
    events: tuple[Event, ...]
    ignored_special: tuple[SpecialFragment, ...]
    warnings: tuple[PromptWarning, ...]

    @property
    def vocab(self) -> Vocab:
        """The vocabulary in use."""
        return self.tokenizer.vocab


def explain(
    tokenizer: Tokenizer,
    text: str | bytes,
    *,
    add_special: bool = True,
    parse_special: bool = True,
) -> Explanation:
    """Tokenize `text` once, listening to the engine."""
    data = to_bytes(text)
    events: list[Event] = []
    ids = tokenizer.tokenize(
        data, add_special=add_special, parse_special=parse_special, trace=events.append
    )
    ignored = () if parse_special else tuple(tokenizer.partitioner.spelled(data))
    warnings = prompt_warnings(
        tokenizer, data, ids, add_special=add_special, parse_special=parse_special
    )
    return Explanation(
        tokenizer=tokenizer,
        input=data,
        add_special=add_special,
        parse_special=parse_special,
        ids=tuple(ids),
        events=tuple(events),
        ignored_special=ignored,
        warnings=tuple(warnings),
    )
