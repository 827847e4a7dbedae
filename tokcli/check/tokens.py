"""TOK201 to TOK205, TOK209, TOK210: the texts of tokens, and types that do not go with them."""

from __future__ import annotations

from collections.abc import Iterator

from tokcli.chat.markers import MARKER
from tokcli.check.finding import Problem, Repair, rule
from tokcli.check.repairs import CONVERT_AGAIN, convert_again
from tokcli.check.subject import MODEL, Subject, counted, listed, quoted
from tokcli.text.byte_alphabet import CHAR_TO_BYTE
from tokcli.vocab import CONTROL, TokenId, VocabType

__all__ = ["RULES"]

# Also tags of HTML, and plain text where the vocabulary's own BOS and EOS are others.
TAGS = frozenset({"<s>", "</s>", "<unk>"})

OPENERS = (b"<", b"[", b"]")


@rule("TOK201", "duplicate-token", "error", "two tokens have the same text")
def duplicate_token(subject: Subject) -> Iterator[Problem]:
    """llama.cpp's tables take one id a text, and it aborts when the counts differ."""
    texts = subject.texts
    if len(subject.token_to_id) == len(texts) or subject.type == VocabType.NONE:
        return
    seen: dict[bytes, TokenId] = {}
    pairs = [(seen[text], id) for id, text in enumerate(texts) if seen.setdefault(text, id) != id]
    shown = listed([f"{first} and {id} {quoted(texts[id])}" for first, id in pairs])
    message = (
        f"{counted(len(pairs), 'pair')} of tokens with the same text, on which llama.cpp aborts: "
        f"{shown}"
    )
    ids = [id for pair in pairs for id in pair]
    yield Problem(message, subject.at_tokens(ids), convert_again(), refused=True)


@rule("TOK202", "empty-token", "warning", "a token has no text")
def empty_token(subject: Subject) -> Iterator[Problem]:
    """llama.cpp gives such a token the text [EMPTY_id], which it then takes for that token."""
    ids = [id for id, text in enumerate(subject.raw_texts) if not text]
    if ids:
        message = (
            f"{counted(len(ids), 'token')} without text ({listed([str(id) for id in ids])}): for "
            f"llama.cpp the text is [EMPTY_{ids[0]}], in prompts and in answers"
        )
        yield Problem(message, subject.at_tokens(ids), convert_again())


@rule("TOK203", "nul-in-token", "error", "a token's text is cut at a NUL byte")
def nul_in_token(subject: Subject) -> Iterator[Problem]:
    """llama.cpp reads token texts as C strings."""
    ids = [id for id, text in enumerate(subject.raw_texts) if b"\0" in text]
    if ids:
        shown = listed([f"{id} {quoted(subject.raw_texts[id])}" for id in ids[:6]], len(ids))
        message = f"{counted(len(ids), 'token text')} with a NUL, where llama.cpp ends it: {shown}"
        advice = "write the byte as the vocabulary's type does ('Ā', '<0x00>', '\\x00')"
        yield Problem(message, subject.at_tokens(ids), convert_again(advice))


@rule("TOK204", "invalid-utf8-token", "error", "a token's text is not valid UTF-8")
def invalid_utf8_token(subject: Subject) -> Iterator[Problem]:
    """Token texts are text in every type of vocabulary; bytes have spellings of their own."""
    ids = [id for id, text in enumerate(subject.raw_texts) if not _is_utf8(text)]
    if ids:
        shown = listed([f"{id} {quoted(subject.raw_texts[id])}" for id in ids[:6]], len(ids))
        message = f"{counted(len(ids), 'token text')} not in valid UTF-8: {shown}"
        yield Problem(message, subject.at_tokens(ids), convert_again())


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


@rule(
    "TOK205",
    "outside-byte-alphabet",
    "warning",
    "a byte-level token holds characters that no byte is written as",
)
def outside_byte_alphabet(subject: Subject) -> Iterator[Problem]:
    """Byte-level BPE writes each byte as one of 256 characters: no text becomes such a token."""
    rules = subject.pre_rules
    if rules is None or not rules.byte_encode or subject.text(MODEL) != "gpt2":
        return
    alphabet = frozenset(CHAR_TO_BYTE)
    ids = [
        id
        for id in subject.normal_ids
        # Letters and digits are the many, and each stands for its own byte.
        if not (text := subject.texts[id]).isalnum()
        and not alphabet.issuperset(text.decode("utf-8", "replace"))
        and _is_utf8(text)
    ]
    if ids:
        message = (
            f"{counted(len(ids), 'token')} of type normal with characters outside the byte "
            f"alphabet, so no text becomes one: {subject.tokens(ids)}"
        )
        advice = "ignore this rule if the model's own tokenizer has them so; else"
        yield Problem(message, subject.at_tokens(ids), Repair(f"{advice} {CONVERT_AGAIN}"))


@rule(
    "TOK209", "control-looking-normal", "warning", "a token looks like a control token and is text"
)
def control_looking_normal(subject: Subject) -> Iterator[Problem]:
    """Typed normal, the marker is cut into pieces wherever it is meant as one token."""
    if subject.types is None:
        return  # of none of them is the type known
    ids = [id for id in subject.normal_ids if _is_marker(subject, id)]
    if not ids:
        return
    message = (
        f"{counted(len(ids), 'token')} with the looks of a control token and the type normal, so a "
        f"prompt that spells one is cut like any text: {subject.tokens(ids)}"
    )
    yield Problem(message, subject.at_tokens(ids), _retype())


@rule(
    "TOK210",
    "normal-made-control",
    "warning",
    "llama.cpp makes a control token of one that is typed normal",
)
def normal_made_control(subject: Subject) -> Iterator[Problem]:
    """Known texts are control tokens to llama.cpp whatever their type says."""
    vocab = subject.vocab
    if vocab is None:
        return
    typed_normal = set(subject.typed_normal_ids) if subject.types is not None else ()
    ids = [
        id for id in sorted(subject.special_ids) if id in typed_normal and vocab.attr(id) & CONTROL
    ]
    ending = [id for id in ids if id in vocab.eog_ids]
    others = [id for id in ids if id not in vocab.eog_ids]
    for group, effect in ((ending, " and ends generation there"), (others, "")):
        if group:
            message = (
                f"typed normal, but llama.cpp knows the text and makes a control token of it"
                f"{effect}: {subject.tokens(group)}"
            )
            yield Problem(message, subject.at_tokens(group), _retype())


def _is_marker(subject: Subject, id: TokenId) -> bool:
    text = subject.texts[id]
    if text[:1] not in OPENERS:
        return False
    shown = text.decode("utf-8", "replace")
    if MARKER.fullmatch(shown) is None:
        return False
    return shown not in TAGS or not _has_other_bos(subject, id)


def _has_other_bos(subject: Subject, id: TokenId) -> bool:
    vocab = subject.vocab
    if vocab is None:
        return False
    return all(vocab.special[slot].id not in (None, id) for slot in ("bos", "eos"))


def _retype() -> Repair:
    return Repair(
        "if it is a marker of the model's chat format, convert the model again so that it is typed "
        "control; if it is text, keep it out of prompts and ignore this rule"
    )


RULES = (
    duplicate_token,
    empty_token,
    nul_in_token,
    invalid_utf8_token,
    outside_byte_alphabet,
    control_looking_normal,
    normal_made_control,
)
