"""TOK301 to TOK306: merges, and the tokens they make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tokcli.check.finding import Evidence, Problem, Repair, rule
from tokcli.check.repairs import CONVERT_AGAIN, convert_again
from tokcli.check.subject import MERGES, MODEL, PRE, Subject, counted, listed, quoted
from tokcli.text.byte_alphabet import BYTE_TO_UTF8, CHAR_TO_BYTE
from tokcli.vocab import VocabType

__all__ = ["RULES"]

WITHOUT_MERGES = "kimi-k2"


@rule("TOK301", "missing-merges", "error", "a BPE vocabulary without merges")
def missing_merges(subject: Subject) -> Iterator[Problem]:
    """Without merges, text stays in single characters (and llama.cpp wants the key)."""
    if subject.type != VocabType.BPE or subject.text(PRE) == WITHOUT_MERGES:
        return
    if MERGES not in subject.metadata:
        message = f"{MERGES} is missing: llama.cpp refuses a BPE vocabulary without it"
    elif subject.metadata[MERGES].value == [] and subject.long_normal_ids:
        message = (
            f"{MERGES} is empty: llama.cpp cuts all text into single characters, and never uses "
            f"{counted(len(subject.long_normal_ids), 'longer token')}"
        )
    else:
        return
    missing = MERGES not in subject.metadata
    yield Problem(message, (subject.at_key(MERGES),), convert_again(), refused=missing)


@rule("TOK302", "malformed-merge", "error", "a merge is not two texts with a space between")
def malformed_merge(subject: Subject) -> Iterator[Problem]:
    """llama.cpp reads an empty pair out of it, and the merge is lost."""
    ranks = [rank for rank, pair in enumerate(subject.merge_pairs) if pair is None]
    if ranks:
        message = (
            f"{counted(len(ranks), 'merge')} without two texts and a space between, which "
            f"llama.cpp never applies: {_shown(subject, ranks)}"
        )
        yield Problem(message, _at_merges(subject, ranks), convert_again())


@rule("TOK303", "merge-without-token", "error", "a merge makes a text that is no token")
def merge_without_token(subject: Subject) -> Iterator[Problem]:
    """Text that ends in such a symbol falls apart into bytes, or is dropped."""
    known = subject.token_to_id
    ranks = [
        rank
        for rank, pair in enumerate(subject.merge_pairs)
        if pair is not None and pair[0] + pair[1] not in known
    ]
    if ranks:
        message = (
            f"{counted(len(ranks), 'merge')} into a text that is no token, so llama.cpp "
            f"{_fate(subject)} what it joins: {_shown(subject, ranks)}"
        )
        yield Problem(message, _at_merges(subject, ranks), convert_again())


def _fate(subject: Subject) -> str:
    rules = subject.pre_rules
    unknown = rules is not None and rules.variant == "soprano"
    return "takes for unknown" if unknown else "drops or spells out"


@rule("TOK304", "unreachable-merge", "note", "a merge that can never be applied")
def unreachable_merge(subject: Subject) -> Iterator[Problem]:
    """One of its sides is neither a character of the text nor made by another merge."""
    alphabet = _alphabet(subject)
    sides = {side for pair in subject.merge_pairs if pair is not None for side in pair}
    never = {side for side in sides - subject.made_by_merges if not _is_symbol(side, alphabet)}
    if not never:
        return
    ranks = [
        rank
        for rank, pair in enumerate(subject.merge_pairs)
        if pair is not None and (pair[0] in never or pair[1] in never)
    ]
    message = (
        f"{counted(len(ranks), 'merge')} with a side that nothing makes, so llama.cpp never joins "
        f"the two: {_shown(subject, ranks)}"
    )
    yield Problem(message, _at_merges(subject, ranks), _as_trained())


def _alphabet(subject: Subject) -> frozenset[bytes] | None:
    """The symbols that text begins as; None where each character is one."""
    rules = subject.pre_rules
    if rules is None or not rules.byte_encode or subject.text(MODEL) == "whitespace":
        return None
    return frozenset(BYTE_TO_UTF8)


def _is_symbol(side: bytes, alphabet: frozenset[bytes] | None) -> bool:
    if alphabet is not None:
        return side in alphabet
    return len(side.decode("utf-8", "replace")) == 1


@rule("TOK305", "duplicate-merge", "warning", "a merge is there twice")
def duplicate_merge(subject: Subject) -> Iterator[Problem]:
    """The first counts in llama.cpp; other readers let the last one win, with other tokens."""
    merges = subject.merges
    if len(set(merges)) == len(merges):
        return
    first: dict[bytes, int] = {}
    ranks = [rank for rank, merge in enumerate(merges) if first.setdefault(merge, rank) != rank]
    shown = listed(
        [f"{first[merges[rank]]} and {rank} {quoted(merges[rank])}" for rank in ranks[:6]],
        len(ranks),
    )
    message = (
        f"{counted(len(ranks), 'merge')} repeated: {shown}; llama.cpp heeds the first, other "
        "programs the last"
    )
    both = [number for rank in ranks for number in (first[merges[rank]], rank)]
    yield Problem(message, _at_merges(subject, both), convert_again())


@rule("TOK306", "unmade-token", "note", "a text token that no merge makes")
def unmade_token(subject: Subject) -> Iterator[Problem]:
    """BPE makes its longer tokens by merging; others are never used for text."""
    vocab = subject.vocab
    if vocab is None or not subject.merges or vocab.model == "hybriddna":
        return
    if vocab.flag("ignore_merges"):
        return
    rules = subject.pre_rules
    whole_newlines = rules is not None and rules.variant in ("gemma4", "mmbert")
    made = subject.made_by_merges
    ids = [
        id
        for id in subject.long_normal_ids
        if (text := subject.texts[id]) not in made
        and (text.strip(b"\n") or not whole_newlines)
        and _is_spelled_right(subject, text)
    ]
    if ids:
        message = (
            f"{counted(len(ids), 'token')} of type normal, longer than a character and made by no "
            f"merge, so no text becomes one: {subject.tokens(ids)}"
        )
        yield Problem(message, subject.at_tokens(ids), _as_trained())


def _is_spelled_right(subject: Subject, text: bytes) -> bool:
    """Whether TOK204 and TOK205 have nothing to say about the text."""
    try:
        chars = text.decode()
    except UnicodeDecodeError:
        return False
    rules = subject.pre_rules
    return rules is None or not rules.byte_encode or all(char in CHAR_TO_BYTE for char in chars)


def _as_trained() -> Repair:
    return Repair(
        f"ignore this rule if the model's own tokenizer has them so; else {CONVERT_AGAIN}"
    )


def _shown(subject: Subject, ranks: Sequence[int]) -> str:
    items = [f"{rank} {quoted(subject.merges[rank])}" for rank in ranks[:6]]
    return listed(items, len(ranks))


def _at_merges(subject: Subject, ranks: Sequence[int]) -> tuple[Evidence, ...]:
    return tuple(subject.at_item(MERGES, rank) for rank in ranks[:5])


RULES = (
    missing_merges,
    malformed_merge,
    merge_without_token,
    unreachable_merge,
    duplicate_merge,
    unmade_token,
)
