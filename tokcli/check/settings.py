"""TOK101 to TOK103, TOK112, TOK113, TOK115, TOK116: what the settings do to text."""

from __future__ import annotations

import difflib
from array import array
from collections.abc import Iterator

from tokcli.check.charsmap_bounds import charsmap_faults
from tokcli.check.finding import Evidence, Problem, Repair, rule
from tokcli.check.fitting_pre import fitting_pre_names
from tokcli.check.known_keys import PREFIX
from tokcli.check.repairs import convert_again, new_metadata
from tokcli.check.subject import MODEL, PRE, Subject
from tokcli.pretokenizer_table import PRE_TOKENIZERS
from tokcli.vocab import Vocab, VocabType

__all__ = ["RULES"]

CHARSMAP = PREFIX + "precompiled_charsmap"
PLACEHOLDER = "NAME"
ADDS_NONE = (VocabType.RWKV, VocabType.TEST, VocabType.NONE)


def _uses_pre(subject: Subject) -> bool:
    return subject.type == VocabType.BPE and subject.text(MODEL) != "gemma4"


def _choose_pre(subject: Subject, meant: str | None = None) -> Repair:
    if meant is not None:
        return new_metadata(subject, f"write '{meant}'", "--pre-tokenizer", meant)
    advice = "put in the name that llama.cpp's converter has for this model's tokenizer"
    fitting = fitting_pre_names(subject)
    if fitting:
        advice += f" (none of a sample of the tokens is cut by {', '.join(fitting)})"
    arguments = ("--pre-tokenizer", PLACEHOLDER)
    return new_metadata(subject, advice, *arguments, placeholders=(PLACEHOLDER,))


@rule("TOK101", "missing-pre", "error", "a BPE vocabulary without tokenizer.ggml.pre")
def missing_pre(subject: Subject) -> Iterator[Problem]:
    """Without the name, llama.cpp cuts text by rules that fit hardly any model."""
    if not _uses_pre(subject) or subject.text(PRE):
        return
    what = "empty" if PRE in subject.metadata else "missing"
    message = (
        f"{PRE} is {what}: llama.cpp cuts text by the rules of 'default', which hardly any model "
        "was trained with"
    )
    yield Problem(message, (subject.at_key(PRE),), _choose_pre(subject))


@rule("TOK102", "unknown-pre", "error", "tokenizer.ggml.pre is a name llama.cpp does not know")
def unknown_pre(subject: Subject) -> Iterator[Problem]:
    """llama.cpp refuses a BPE vocabulary whose pre-tokenizer it does not know."""
    pre = subject.text(PRE)
    if not _uses_pre(subject) or not pre or pre in PRE_TOKENIZERS:
        return
    near = difflib.get_close_matches(pre, PRE_TOKENIZERS, n=1)
    message = f"{PRE} is '{pre}', which llama.cpp does not know: it refuses the file"
    repair = _choose_pre(subject, near[0] if near else None)
    yield Problem(message, (subject.at_key(PRE),), repair, refused=True)


@rule("TOK103", "default-pre", "warning", "a BPE vocabulary whose pre-tokenizer is 'default'")
def default_pre(subject: Subject) -> Iterator[Problem]:
    """The name that converters wrote for what they did not recognise."""
    if _uses_pre(subject) and subject.text(PRE) == "default":
        message = (
            f"{PRE} is 'default', which converters write for a tokenizer they do not recognise: "
            "its rules fit hardly any model"
        )
        yield Problem(message, (subject.at_key(PRE),), _choose_pre(subject))


@rule("TOK112", "ignored-setting", "warning", "a setting that llama.cpp ignores for this type")
def ignored_setting(subject: Subject) -> Iterator[Problem]:
    """The file asks for something, and this type of vocabulary does not do it."""
    vocab = subject.vocab
    if vocab is None:
        return
    for name, value, ignored, effect in _unheeded(vocab):
        setting = vocab.settings[name]
        if setting.source.kind != "key" or setting.value != value or not ignored:
            continue
        key = setting.source.detail
        shown = str(value).lower() if isinstance(value, bool) else f"'{value}'"
        message = f"{key} is {shown}, which {vocab.type.label} ignores: {effect}"
        advice = "leave the key out, so that the file says what happens; or see to it elsewhere"
        repair = new_metadata(subject, advice, "--remove-metadata", key, "--force")
        yield Problem(message, (subject.at_key(key),), repair)


def _unheeded(vocab: Vocab) -> list[tuple[str, bool | str, bool, str]]:
    """Setting, the value that asks for something, whether that is ignored, what happens then."""
    type_ = vocab.type
    whitespace = vocab.model == "whitespace"
    no_prefix = type_ not in (VocabType.SPM, VocabType.UGM)
    return [
        ("nfc", True, type_ != VocabType.UGM, "text is not normalized to NFC"),
        ("lowercase", True, type_ != VocabType.WPM and not whitespace, "text is not lower-cased"),
        ("strip_accents", True, type_ != VocabType.WPM, "accents are kept"),
        (
            "remove_extra_whitespaces",
            True,
            type_ != VocabType.UGM,
            "runs of spaces are tokenized as they are",
        ),
        ("dna_auto_tags", True, vocab.model != "hybriddna", "no tags are added"),
        ("prepend_scheme", "first", type_ != VocabType.BPE, "nothing is put in front of the text"),
        ("prepend_scheme", "always", type_ != VocabType.BPE, "nothing is put in front of words"),
        ("add_bos", True, type_ in ADDS_NONE, "no BOS is added"),
        ("add_eos", True, type_ in ADDS_NONE or type_ == VocabType.WPM, "no EOS is added"),
        ("add_bos", False, type_ == VocabType.WPM, "BOS is always added"),
        (
            "add_space_prefix",
            True,
            no_prefix,
            "no space is put in front of text, and one is still taken off when detokenizing",
        ),
    ]


@rule("TOK113", "forced-bos", "warning", "add_bos_token is false, and llama.cpp forces it to true")
def forced_bos(subject: Subject) -> Iterator[Problem]:
    """For Gemma 4, llama.cpp does not believe the file."""
    vocab = subject.vocab
    if vocab is None or not any(note.code == "forced-bos" for note in vocab.notes):
        return
    key = PREFIX + "add_bos_token"
    message = f"{key} is false, and llama.cpp adds BOS all the same for this pre-tokenizer"
    advice = "leave the key out, and expect a BOS"
    repair = new_metadata(subject, advice, "--remove-metadata", key, "--force")
    yield Problem(message, (subject.at_key(key),), repair)


@rule("TOK115", "damaged-charsmap", "error", "the character map points outside itself")
def damaged_charsmap(subject: Subject) -> Iterator[Problem]:
    """llama.cpp refuses such a map, or ends its process on text that needs the broken part."""
    if subject.type != VocabType.UGM:
        return
    entry = subject.metadata.get(CHARSMAP)
    if entry is None or not isinstance(entry.value, array):
        return
    fault = charsmap_faults(entry.value.tobytes())
    if fault is not None:
        evidence = (subject.at_key(CHARSMAP),)
        refused = subject.vocab is None
        yield Problem(f"{CHARSMAP} {fault}", evidence, convert_again(), refused=refused)


@rule("TOK116", "no-charsmap", "note", "a Unigram vocabulary without its character map")
def no_charsmap(subject: Subject) -> Iterator[Problem]:
    """Most Unigram tokenizers were trained on text normalized by such a map."""
    if subject.type == VocabType.UGM and CHARSMAP not in subject.metadata:
        message = (
            f"there is no {CHARSMAP}: text is tokenized without the normalization that most "
            "Unigram tokenizers were trained with"
        )
        advice = (
            "if the tokenizer was trained with an identity normalizer, ignore this rule; else "
            "convert the model again from its spiece.model or tokenizer.json"
        )
        yield Problem(message, (Evidence(CHARSMAP),), Repair(advice))


RULES = (
    missing_pre,
    unknown_pre,
    default_pre,
    ignored_setting,
    forced_bos,
    damaged_charsmap,
    no_charsmap,
)
