"""TOK104 to TOK111, TOK114, TOK199: the keys themselves, before anything is made of them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from tokcli.check.finding import Evidence, Problem, Repair, rule
from tokcli.check.known_keys import (
    ALIGNMENT,
    ARCHITECTURE,
    GENERAL_KEYS,
    ID_KEYS,
    KNOWN_KEYS,
    PREFIX,
    UNREAD_KEYS,
)
from tokcli.check.repairs import convert_again, file_argument, new_metadata
from tokcli.check.subject import MERGES, MODEL, SCORES, TOKENS, TYPES, Subject
from tokcli.gguf_metadata import BOOL, Entry
from tokcli.loading.model_rules import MODELS
from tokcli.vocab import VocabType

__all__ = ["RULES"]

FALSE, TRUE = 0, 1


@rule("TOK104", "missing-model", "error", "no tokenizer.ggml.model, so there is no tokenizer")
def missing_model(subject: Subject) -> Iterator[Problem]:
    """The key that says which kind of tokenizer this is."""
    if MODEL in subject.metadata:
        return
    shard = subject.later_shard
    if shard is not None:
        message = f"this is shard {shard} of a split model: the first has the metadata"
        yield Problem(
            message, (subject.at_key("split.no"),), Repair("check the first shard"), refused=True
        )
    else:
        message = f"{MODEL} is missing, so there is no tokenizer in this file"
        yield Problem(message, (Evidence(MODEL),), convert_again(), refused=True)


@rule("TOK105", "unknown-model", "error", "tokenizer.ggml.model is a name llama.cpp does not know")
def unknown_model(subject: Subject) -> Iterator[Problem]:
    """A model name that llama.cpp refuses."""
    model = subject.text(MODEL)
    if model is None or model in MODELS:
        return
    message = f"{MODEL} is '{model}', which llama.cpp does not know: it refuses the file"
    names = ", ".join(sorted(MODELS))
    yield Problem(
        message, (subject.at_key(MODEL),), convert_again(f"it knows {names}"), refused=True
    )


@rule("TOK106", "wrong-value-type", "error", "a key has another type than llama.cpp accepts")
def wrong_value_type(subject: Subject) -> Iterator[Problem]:
    """llama.cpp refuses a file for any key of another type that it reads."""
    for key, entry in subject.metadata.items():
        expected = KNOWN_KEYS.get(key) or GENERAL_KEYS.get(key)
        if expected is None or entry.type_name in expected or not _is_read(subject, key):
            continue
        message = (
            f"{key} has type {entry.type_name}, and llama.cpp accepts {' or '.join(expected)}: "
            "it refuses the file"
        )
        repair = _retype(subject, key, entry)
        # An alignment says nothing about the tokenizer, which loads all the same here.
        yield Problem(message, (subject.at_key(key),), repair, refused=key != ALIGNMENT)


def _is_read(subject: Subject, key: str) -> bool:
    if key == ARCHITECTURE:
        return subject.later_shard is None
    if subject.type == VocabType.NONE:
        return key not in (TOKENS, TYPES, SCORES, MERGES)
    if key == MERGES:
        return subject.type == VocabType.BPE
    if key == PREFIX + "precompiled_charsmap":
        return subject.type == VocabType.UGM
    return True


def _retype(subject: Subject, key: str, entry: Entry) -> Repair:
    name = ID_KEYS.get(key)
    if name is None:
        return convert_again("write the value with the type that llama.cpp accepts")
    if isinstance(entry.value, int) and 0 <= entry.value < len(subject.raw_texts):
        advice = "write the id as u32"
        id = str(entry.value)
        return new_metadata(subject, advice, "--special-token-by-id", name, id)
    advice = "leave the key out: the vocabulary has no such token, or llama.cpp has a default"
    return new_metadata(subject, advice, "--remove-metadata", key, "--force")


@rule("TOK107", "missing-tokens", "error", "no tokenizer.ggml.tokens, or an empty one")
def missing_tokens(subject: Subject) -> Iterator[Problem]:
    """A vocabulary without tokens."""
    entry = subject.metadata.get(TOKENS)
    if subject.rules is None or subject.type == VocabType.NONE:
        return
    if entry is None or entry.value == []:
        what = "missing" if entry is None else "empty"
        message = f"{TOKENS} is {what}, so there is no vocabulary: llama.cpp refuses the file"
        yield Problem(message, (subject.at_key(TOKENS),), convert_again(), refused=True)


@rule("TOK108", "array-lengths", "error", "scores or types are more or fewer than the tokens")
def array_lengths(subject: Subject) -> Iterator[Problem]:
    """Columns must be as long as the tokens; llama.cpp ignores what is too much."""
    count = len(subject.raw_texts)
    for key in (SCORES, TYPES):
        entry = subject.metadata.get(key)
        if entry is None or entry.type_name not in KNOWN_KEYS[key] or not count:
            continue
        assert hasattr(entry.value, "__len__")
        length = len(entry.value)
        if length == count:
            continue
        message = f"{key} has {length} values for {count} tokens: " + (
            "llama.cpp refuses the file"
            if length < count
            else f"tokens are missing, or the last {length - count} values belong to none"
        )
        evidence = (subject.at_key(key), subject.at_key(TOKENS))
        yield Problem(message, evidence, convert_again(), refused=length < count)


@rule("TOK109", "odd-bool", "warning", "a yes-or-no value is neither 0 nor 1 in the file")
def odd_bool(subject: Subject) -> Iterator[Problem]:
    """A bool whose byte is neither: readers disagree about what it means."""
    for key, entry in subject.metadata.items():
        if entry.type != BOOL:
            continue
        offset = subject.offsets.value(key)
        if offset is None:
            continue
        byte = subject.offsets.byte(offset)
        if byte in (FALSE, TRUE):
            continue
        message = f"{key} is stored as the byte {byte}, which is neither 0 (false) nor 1 (true)"
        evidence = Evidence(key, None, offset, bytes((byte,)))
        advice = "write the file anew: a plain copy stores 1"
        yield Problem(message, (evidence,), new_metadata(subject, advice))


@rule("TOK110", "bad-key-name", "warning", "a key is not the plain ASCII that GGUF asks for")
def bad_key_name(subject: Subject) -> Iterator[Problem]:
    """Keys are ASCII in the GGUF specification; others show a damaged file or a broken writer."""
    for key in subject.metadata:
        if key.isascii() and key.isprintable():
            continue
        raw = key.encode("utf-8", "surrogateescape")
        shown = raw.decode("utf-8", "backslashreplace")
        message = f"the key '{shown}' is not printable ASCII, as GGUF keys are"
        evidence = Evidence(key, None, subject.offsets.key(key), raw)
        yield Problem(message, (evidence,), convert_again("find out what wrote this key"))


@rule("TOK111", "unknown-key", "warning", "a tokenizer.ggml key that llama.cpp does not read")
def unknown_key(subject: Subject) -> Iterator[Problem]:
    """A key whose name was got wrong is a setting that is lost without a word."""
    for key, entry in subject.metadata.items():
        if not key.startswith(PREFIX) or key in KNOWN_KEYS or key in UNREAD_KEYS:
            continue
        near = _close_to(key)
        message = f"llama.cpp does not read {key}"
        evidence = (subject.at_key(key),)
        if near is None:
            repair = new_metadata(
                subject, "nothing, if another program reads it", "--remove-metadata", key, "--force"
            )
            yield Problem(f"{message}: what it says has no effect", evidence, repair, "note")
            continue
        message += f": {near} was meant, and what this says has no effect"
        yield Problem(message, evidence, _rename(subject, key, near, entry))


def _close_to(key: str) -> str | None:
    names = [known.removeprefix(PREFIX) for known in KNOWN_KEYS]
    near = difflib.get_close_matches(key.removeprefix(PREFIX), names, n=1, cutoff=0.7)
    return PREFIX + near[0] if near else None


def _rename(subject: Subject, key: str, meant: str, entry: Entry) -> Repair:
    name = ID_KEYS.get(meant)
    if name is not None and isinstance(entry.value, int) and entry.value < len(subject.raw_texts):
        arguments = ("--special-token-by-id", name, str(entry.value))
        remove = ("--remove-metadata", key, "--force")
        return new_metadata(subject, f"write {meant} in its place", *arguments, *remove)
    return convert_again(f"write the value under {meant}")


@rule("TOK114", "byte-order", "warning", "the file is in the byte order of other machines")
def byte_order(subject: Subject) -> Iterator[Problem]:
    """llama.cpp reads a file only in the byte order of the machine it runs on."""
    if subject.metadata.byte_order != "big":
        return
    message = "the file is big-endian: llama.cpp refuses it on all but a few kinds of machines"
    repair = Repair(
        "turn the byte order round, in place (it asks first)",
        ("gguf-convert-endian", file_argument(subject), "little"),
    )
    yield Problem(message, (Evidence(offset=4),), repair)


@rule("TOK199", "not-loadable", "error", "llama.cpp refuses the file for another reason")
def not_loadable(subject: Subject) -> Iterator[Problem]:
    """Stands in for the rules that say it better; tokcli.check.run drops it beside them."""
    error = subject.load_error
    if error is not None:
        message = f"llama.cpp does not load this tokenizer: {error}"
        yield Problem(message, (), convert_again())


RULES = (
    missing_model,
    unknown_model,
    wrong_value_type,
    missing_tokens,
    array_lengths,
    odd_bool,
    bad_key_name,
    unknown_key,
    byte_order,
    not_loadable,
)
