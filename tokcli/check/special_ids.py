"""TOK401 to TOK407: special tokens, the keys that name them, and what llama.cpp takes without."""

from __future__ import annotations

from collections.abc import Iterator

from tokcli.check.finding import Evidence, Problem, Repair, Severity, rule
from tokcli.check.known_keys import ID_KEYS, PREFIX
from tokcli.check.repairs import new_metadata
from tokcli.check.subject import TOKENS, Subject
from tokcli.listing.token_roles import type_name
from tokcli.loading.special_tokens import GUESSED_TEXTS, SLOT_KEYS
from tokcli.tokenizer import added_specials
from tokcli.vocab import SPECIAL_ATTRS, TokenId, Vocab, VocabType

__all__ = ["RULES"]

PLACEHOLDER = "TOKEN"
# Slots whose token appears in prompts or ends answers, so that a wrong one shows at once.
PROMINENT = ("bos", "eos", "sep", "mask")
ENCODERS = (VocabType.WPM, VocabType.UGM, VocabType.NONE, VocabType.TEST)


def _set_token(subject: Subject, slot: str, advice: str) -> Repair:
    name = ID_KEYS[SLOT_KEYS[slot][0]]
    arguments = ("--special-token", name, PLACEHOLDER)
    return new_metadata(subject, advice, *arguments, placeholders=(PLACEHOLDER,))


@rule("TOK401", "special-id-out-of-range", "error", "a special id lies outside the vocabulary")
def special_id_out_of_range(subject: Subject) -> Iterator[Problem]:
    """llama.cpp ignores such an id, and goes on with its default."""
    count = len(subject.raw_texts)
    for slot, keys in SLOT_KEYS.items():
        for key in keys:
            entry = subject.metadata.get(key)
            if entry is None or entry.type_name != "u32" or not count:
                continue
            assert isinstance(entry.value, int)
            if entry.value < count:
                continue
            message = (
                f"{key} is {entry.value}, and the last of {count} tokens is {count - 1}: "
                f"llama.cpp takes {_default(subject, slot)} for {slot.upper()}"
            )
            advice = "name the token that was meant"
            yield Problem(message, (subject.at_key(key),), _set_token(subject, slot, advice))


def _default(subject: Subject, slot: str) -> str:
    vocab = subject.vocab
    id = None if vocab is None else vocab.special[slot].id
    return "none" if id is None else f"token {subject.token(id)}"


@rule("TOK402", "default-special-id", "error", "a special id is missing, and the default is wrong")
def default_special_id(subject: Subject) -> Iterator[Problem]:
    """llama.cpp's defaults are the ids of some old model of the type, whatever is there."""
    vocab = subject.vocab
    if vocab is None:
        return
    for slot, (id, source) in vocab.special.items():
        if id is None or source.kind != "type" or vocab.attr(id) & SPECIAL_ATTRS:
            continue
        key = SLOT_KEYS[slot][0]
        if key in subject.metadata:
            continue  # out of range, and said by that rule
        severity, effect = _harm(vocab, slot, id)
        message = (
            f"{key} is missing, so llama.cpp takes token {subject.token(id)} for {slot.upper()}, "
            f"which is typed {type_name(subject.type_of(id))}{effect}"
        )
        advice = f"name the model's {slot.upper()}"
        evidence = (Evidence(key), subject.at_item(TOKENS, id))
        yield Problem(message, evidence, _set_token(subject, slot, advice), severity)


def _harm(vocab: Vocab, slot: str, id: TokenId) -> tuple[Severity, str]:
    if slot == "eos":
        return "error", ": generation ends where the model writes it"
    if slot == "bos" and added_specials(vocab)[0] is not None:
        return "error", ": every prompt begins with it"
    if slot == "bos":
        return "warning", ": chat templates print it as bos_token"
    return "warning", ""


@rule("TOK403", "ordinary-special-token", "warning", "a special id names a token that is text")
def ordinary_special_token(subject: Subject) -> Iterator[Problem]:
    """Some models mean it so; more often the id is off by some, or the type is wrong."""
    vocab = subject.vocab
    if vocab is None or subject.types is None:
        return
    for slot, (id, source) in vocab.special.items():
        if id is None or source.kind != "key" or vocab.attr(id) & SPECIAL_ATTRS:
            continue
        message = (
            f"{source.detail} names token {subject.token(id)}, which is typed "
            f"{type_name(subject.type_of(id))} and not control"
        )
        severity: Severity = "warning" if slot in PROMINENT else "note"
        advice = "name the token that was meant, if it was not this one"
        evidence = (subject.at_key(source.detail), subject.at_item(TOKENS, id))
        yield Problem(message, evidence, _set_token(subject, slot, advice), severity)


@rule("TOK404", "missing-special-token", "error", "a token is to be added that is not there")
def missing_special_token(subject: Subject) -> Iterator[Problem]:
    """llama.cpp aborts when it should add BOS, EOS or SEP and the vocabulary has none."""
    vocab = subject.vocab
    if vocab is None:
        return
    for added in added_specials(vocab):
        if added is None or vocab.special_id(added.role.lower()) is not None:
            continue
        slot = added.role.lower()
        setting = f"{PREFIX}add_{slot}_token"
        asks = setting if setting in subject.metadata else vocab.type.label
        message = (
            f"{asks} asks for {slot.upper()} in every prompt, and the vocabulary has none: "
            "llama.cpp aborts"
        )
        key = SLOT_KEYS[slot][0]
        advice = f"name the model's {slot.upper()}"
        yield Problem(message, (Evidence(key),), _set_token(subject, slot, advice))


@rule("TOK405", "no-end-of-generation", "warning", "no token ends generation")
def no_end_of_generation(subject: Subject) -> Iterator[Problem]:
    """A model that never stops of itself."""
    vocab = subject.vocab
    if vocab is None or vocab.type in ENCODERS or vocab.eog_ids:
        return
    message = "no token ends generation: there is no EOS, EOT or EOM, and no known text of one"
    repair = _set_token(subject, "eos", "name the model's EOS")
    yield Problem(message, (Evidence(SLOT_KEYS["eos"][0]),), repair)


@rule("TOK406", "ambiguous-eot", "note", "several tokens compete for a role that no key settles")
def ambiguous_eot(subject: Subject) -> Iterator[Problem]:
    """llama.cpp's choice is the order of a hash table, which differs between builds."""
    vocab = subject.vocab
    if vocab is None:
        return
    for note in vocab.notes:
        if note.code != "guess-tie":
            continue
        slot = note.message.partition(" ")[0].lower()
        ids = _competitors(vocab, slot)
        message = (
            f"no key names {slot.upper()}, and {len(ids)} tokens have a text that llama.cpp takes "
            f"for it: {subject.tokens(ids)}; which one it takes depends on its build"
        )
        name = ID_KEYS[SLOT_KEYS[slot][0]]
        text = subject.texts[ids[-1]].decode("utf-8", "replace")
        advice = f"name the one that ends the model's turns; with {text}:"
        repair = new_metadata(subject, advice, "--special-token-by-id", name, str(ids[-1]))
        yield Problem(message, subject.at_tokens(ids), repair)


def _competitors(vocab: Vocab, slot: str) -> list[TokenId]:
    found = (vocab.token_to_id.get(text.encode()) for text in GUESSED_TEXTS[slot])
    return sorted(id for id in found if id is not None)


@rule("TOK407", "missing-unknown-token", "error", "no token for what is not in the vocabulary")
def missing_unknown_token(subject: Subject) -> Iterator[Problem]:
    """llama.cpp then puts out the id -1, on which models crash."""
    vocab = subject.vocab
    if vocab is None or vocab.special["unk"].id is not None:
        return
    rules = subject.pre_rules
    if vocab.type in (VocabType.WPM, VocabType.UGM) or (
        rules is not None and rules.variant == "soprano"
    ):
        message = (
            "the vocabulary has no UNK, and text that no token covers becomes the id -1, which is "
            "no token"
        )
        key = SLOT_KEYS["unk"][0]
        yield Problem(message, (Evidence(key),), _set_token(subject, "unk", "name the model's UNK"))


RULES = (
    special_id_out_of_range,
    default_special_id,
    ordinary_special_token,
    missing_special_token,
    no_end_of_generation,
    ambiguous_eot,
    missing_unknown_token,
)
