"""TOK206 to TOK208, TOK211, TOK212: token types, and the tokens that stand for single bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tokcli.check.finding import Evidence, Problem, Repair, Severity, rule
from tokcli.check.repairs import CONVERT_AGAIN, convert_again
from tokcli.check.subject import TYPES, Subject, counted, listed
from tokcli.text.byte_alphabet import BYTE_TO_UTF8
from tokcli.vocab import TokenType, VocabType

__all__ = ["RULES"]

# Bytes of the UTF-8 of every character that is assigned or private: not C0, C1 and F5 to FF, which
# no UTF-8 holds, and not F1 and F2, which begin planes without characters.
USED_BYTES = frozenset(range(256)) - {0xC0, 0xC1, 0xF1, 0xF2, *range(0xF5, 0x100)}
RARE_BYTES = frozenset(range(0x20)) - {0x09, 0x0A, 0x0D} | {0x7F}
BYTE_TEXT = re.compile(rb"<0x[0-9A-Fa-f]{2}>")
BYTE_LENGTH = 6
WITHOUT_TYPES = (VocabType.NONE, VocabType.TEST)
FALL_BACK = (VocabType.SPM, VocabType.BPE)


@rule("TOK206", "incomplete-bytes", "error", "some bytes have no token to stand for them")
def incomplete_bytes(subject: Subject) -> Iterator[Problem]:
    """What no other token covers is spelled byte by byte, in the types that have such tokens."""
    if subject.type not in (*FALL_BACK, VocabType.RWKV) or not subject.texts:
        return
    used = USED_BYTES if subject.type == VocabType.BPE else frozenset(range(256))
    missing = sorted(byte for byte in used if not _has_byte(subject, byte))
    if not missing:
        return
    severity: Severity = "warning" if RARE_BYTES.issuperset(missing) else "error"
    effect = {
        VocabType.SPM: "llama.cpp ends its process on text that needs them",
        VocabType.RWKV: "llama.cpp loops for ever on text that needs them",
    }.get(subject.type, "llama.cpp drops text that needs them without a word")
    if _unknown_instead(subject):
        return
    shown = listed([f"0x{byte:02X}" for byte in missing])
    message = f"{counted(len(missing), 'byte')} without a token ({shown}): {effect}"
    advice = "ignore this rule if the model's own tokenizer lacks them too; else"
    yield Problem(message, (), Repair(f"{advice} {CONVERT_AGAIN}"), severity)


def _has_byte(subject: Subject, byte: int) -> bool:
    known = subject.token_to_id
    rules = subject.pre_rules
    if subject.type == VocabType.RWKV:
        return byte in _rwkv_bytes(subject)
    if rules is not None and rules.byte_encode:
        return BYTE_TO_UTF8[byte] in known
    raw = subject.type == VocabType.SPM or byte < 0x80
    return b"<0x%02X>" % byte in known or (raw and bytes((byte,)) in known)


def _rwkv_bytes(subject: Subject) -> frozenset[int]:
    from tokcli.text.rwkv_escapes import unescape

    single = (unescape(text) for text in subject.texts if len(text) <= 4)
    return frozenset(text[0] for text in single if len(text) == 1)


def _unknown_instead(subject: Subject) -> bool:
    """Whether what no token covers becomes the unknown token, and is not dropped."""
    rules = subject.pre_rules
    return rules is not None and rules.variant == "soprano"


@rule("TOK207", "unknown-token-type", "error", "a token's type is a number that means nothing")
def unknown_token_type(subject: Subject) -> Iterator[Problem]:
    """llama.cpp gives such a token no attribute, and writes nothing when it detokenizes it."""
    if subject.types is None or subject.type in WITHOUT_TYPES:
        return
    known = range(TokenType.NORMAL.value, TokenType.BYTE.value + 1)
    ids = [id for id, number in enumerate(subject.types) if number not in known]
    if ids:
        shown = listed([f"{subject.token(id)} has {subject.types[id]}" for id in ids[:6]], len(ids))
        message = (
            f"{counted(len(ids), 'token')} with a type that is not 1 to 6, for which llama.cpp "
            f"writes nothing: {shown}"
        )
        evidence = tuple(subject.at_item(TYPES, id) for id in ids[:5])
        yield Problem(message, evidence, convert_again())


@rule("TOK208", "missing-token-types", "error", "no tokenizer.ggml.token_type")
def missing_token_types(subject: Subject) -> Iterator[Problem]:
    """Without types all tokens are ordinary text, but for those whose text llama.cpp knows."""
    if subject.rules is None or subject.type in WITHOUT_TYPES or TYPES in subject.metadata:
        return
    if subject.raw_texts:
        message = (
            f"{TYPES} is missing: every token counts as normal text, so control tokens in prompts "
            "are cut into pieces, and answers show them"
        )
        yield Problem(message, (Evidence(TYPES),), convert_again())


@rule("TOK211", "malformed-byte-token", "error", "a token typed byte is not spelled like one")
def malformed_byte_token(subject: Subject) -> Iterator[Problem]:
    """llama.cpp reads the byte's number out of '<0x41>', and fails on texts too short for that."""
    if subject.types is None or subject.type in (VocabType.RWKV, *WITHOUT_TYPES):
        return
    typed = [id for id, number in enumerate(subject.types) if number == TokenType.BYTE.value]
    wpm = subject.type == VocabType.WPM
    ids = [id for id in typed if wpm or not BYTE_TEXT.fullmatch(subject.texts[id])]
    if ids:
        reason = (
            "on which llama.cpp aborts in a WPM vocabulary"
            if wpm
            else "whose text is not like '<0x41>', so that llama.cpp takes another byte from it, "
            "or refuses the file"
        )
        message = f"{counted(len(ids), 'token')} of type byte {reason}: {subject.tokens(ids)}"
        refused = subject.vocab is None
        yield Problem(message, subject.at_tokens(ids), convert_again(), refused=refused)


@rule("TOK212", "byte-typed-normal", "error", "a byte token is typed as text")
def byte_typed_normal(subject: Subject) -> Iterator[Problem]:
    """Such a token is written out as the six characters '<0x0A>', not as the byte."""
    if subject.types is None or subject.type not in (VocabType.SPM, VocabType.UGM, VocabType.BPE):
        return
    rules = subject.pre_rules
    if rules is not None and rules.byte_encode:
        return
    ids = sorted(
        id
        for text, id in subject.token_to_id.items()
        if len(text) == BYTE_LENGTH
        and BYTE_TEXT.fullmatch(text)
        and subject.type_of(id) == TokenType.NORMAL.value
    )
    if ids:
        message = (
            f"{counted(len(ids), 'byte token')} of type normal, for which llama.cpp writes six "
            f"characters and not the byte: {subject.tokens(ids)}"
        )
        yield Problem(message, subject.at_tokens(ids), convert_again())


RULES = (
    incomplete_bytes,
    unknown_token_type,
    missing_token_types,
    malformed_byte_token,
    byte_typed_normal,
)
