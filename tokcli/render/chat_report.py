"""What `tokcli chat` has to tell, in words: the tokens of one caller, and the verdict on all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tokcli.chat.messages import Conversation
from tokcli.chat.template import ChatTemplate
from tokcli.chat.verdict import BosSource, Caller, Verdict
from tokcli.partition import Partitioner, SpecialFragment
from tokcli.tokenizer import Tokenizer
from tokcli.vocab import TokenId

__all__ = ["Part", "Report", "caller_title", "caller_users", "problem", "source_text"]

# What a way of tokenizing is called, and who tokenizes like that.
_CALLERS = {
    "add_special": (
        "with add_special",
        "a raw prompt: llama-server /completion, llama-tokenize, llama-cpp-python llm(prompt)",
    ),
    "no_add_special": (
        "without add_special",
        "transformers apply_chat_template, llama-cpp-python create_chat_completion",
    ),
    "llama-server": ("in llama-server", "/v1/chat/completions, and llama-cli"),
}


class Part(NamedTuple):
    """A stretch of the prompt: plain text, or a special token `id`; `added` ones are not in the
    text, the tokenizer adds them."""

    data: bytes
    id: TokenId | None = None
    added: bool = False


@dataclass(frozen=True)
class Report:
    """One judged conversation. `caller` is the one whose tokens are shown; `judged` names those
    that the exit status is about."""

    tokenizer: Tokenizer
    model: str
    template: ChatTemplate
    conversation: Conversation
    verdict: Verdict
    caller: Caller
    judged: tuple[str, ...]

    @property
    def wrong(self) -> list[Caller]:
        """The judged callers whose prompt does not begin with the BOS it should."""
        callers = self.verdict.callers
        return [c for c in callers if c.name in self.judged and not c.right]

    @property
    def also_wrong(self) -> list[Caller]:
        """The callers that are wrong and not judged."""
        callers = self.verdict.callers
        return [c for c in callers if c.name not in self.judged and not c.right]

    @cached_property
    def ids(self) -> tuple[TokenId, ...]:
        """The tokens of `caller`."""
        if self.caller.name == "add_special":
            return self.verdict.ids
        ids = self.tokenizer.tokenize(
            self.caller.prompt, add_special=self.caller.add_special, parse_special=True
        )
        return tuple(ids)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The prompt of `caller`, special tokens apart, with what the tokenizer adds."""
        data = self.caller.prompt
        parts: list[Part] = []
        for fragment in Partitioner(self.tokenizer.vocab).partition(data, parse_special=True):
            text = data[fragment.start : fragment.end]
            parts.append(
                Part(text, fragment.id) if isinstance(fragment, SpecialFragment) else Part(text)
            )
        if not self.caller.add_special:
            return tuple(parts)
        # Of an empty text they are all that there is: BOS, then EOS or SEP.
        added = self.tokenizer.tokenize(b"", add_special=True)
        extra = [Part(self.tokenizer.piece(id), id, added=True) for id in added]
        n_first = sum(source.added_by == "vocabulary" for source in self.caller.sources)
        return (*extra[:n_first], *parts, *extra[n_first:])


def caller_title(caller: Caller) -> str:
    """What this way of tokenizing is called."""
    return _CALLERS[caller.name][0]


def caller_users(caller: Caller) -> str:
    """Programs that tokenize this way."""
    return _CALLERS[caller.name][1]


def source_text(source: BosSource) -> str:
    """Who added a BOS, and where: "the template, line 1: {{ bos_token }}"."""
    if source.added_by == "message":
        return f"a message: {source.detail} spells it"
    line = f", line {source.template_line}" if source.template_line is not None else ""
    return f"the {source.added_by}{line}: {source.detail}"


def problem(caller: Caller, expected: int) -> str:
    """What is wrong with the number of BOS for this caller, and who is to blame."""
    title = caller_title(caller)
    if caller.count == 0:
        nobody = "the template writes none"
        if caller.add_special:
            nobody += ", and the vocabulary adds none"
        return f"NO BOS {title}: {nobody}"
    verbs = {"vocabulary": "the vocabulary adds", "template": "the template writes"}
    by = [source.added_by for source in caller.sources]
    blame = " and ".join(
        f"{verbs.get(who, 'a message spells')} {'one' if by.count(who) == 1 else by.count(who)}"
        for who in dict.fromkeys(by)
    )
    if expected == 0:
        head = "A BOS that nothing asks for"
    else:
        head = "DOUBLE BOS" if caller.count == 2 else f"{caller.count} BOS"
    return f"{head} {title}: {blame}"
