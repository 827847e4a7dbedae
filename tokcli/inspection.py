"""What there is to say about the tokenizer in a file, as data: effective settings, special tokens
and where each came from, types, templates; and what remains to be said when it is broken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tokcli.errors import TemplateError, VocabError
from tokcli.gguf_metadata import Metadata
from tokcli.listing.token_roles import attribute_names, role_name, type_name
from tokcli.pretokenizer_table import PRE_TOKENIZERS, PreTokenizerRules
from tokcli.vocab import TYPE_ATTRS, Provenance, TokenId, TokenType, Vocab, VocabType

__all__ = [
    "Inspection",
    "PreNames",
    "SettingRow",
    "SpecialRow",
    "TemplateRow",
    "TypeOverride",
    "VocabReport",
    "inspect_metadata",
    "kin_of_pre",
    "tokenizer_keys",
]

PREFIX = "tokenizer."
PRE_KEY = "tokenizer.ggml.pre"


class SpecialRow(NamedTuple):
    """A special slot: `role` as in listing.token_roles, `id` None where the vocabulary has none."""

    role: str
    id: TokenId | None
    text: bytes | None
    source: Provenance


class SettingRow(NamedTuple):
    """A setting's effective value; `remark` says where this vocabulary does not use it."""

    name: str
    value: bool | str | tuple[TokenId, ...]
    source: Provenance
    remark: str | None


class TypeOverride(NamedTuple):
    """A token that llama.cpp takes for something else than its type in the file."""

    id: TokenId
    text: bytes
    type: str
    attributes: tuple[str, ...]


class PreNames(NamedTuple):
    """Pre-tokenizer names beside a given one: those that mean exactly the same, and those that cut
    text the same but imply other settings."""

    same_rules: tuple[str, ...]
    same_regexes: tuple[str, ...]


class TemplateRow(NamedTuple):
    """A chat template: `size` in bytes."""

    name: str
    key: str
    size: int


@dataclass(frozen=True)
class VocabReport:
    """A vocabulary that llama.cpp loads. `types` counts the types of the file by name;
    `pre_source` and `pre_names` are None where no pre-tokenizer is used."""

    vocab: Vocab
    types: Mapping[str, int]
    special: Sequence[SpecialRow]
    settings: Sequence[SettingRow]
    overrides: Sequence[TypeOverride]
    pre_source: Provenance | None
    pre_names: PreNames | None


@dataclass(frozen=True)
class Inspection:
    """Everything about one file. `report` is None, and `error` says why, where the tokenizer is
    missing or broken; `template_error` where a template's key is."""

    metadata: Metadata
    report: VocabReport | None
    error: VocabError | None
    templates: Sequence[TemplateRow]
    template_error: str | None


def inspect_metadata(metadata: Metadata) -> Inspection:
    """Look at the tokenizer that `metadata` describes; nothing about it is an error here."""
    from tokcli.tokenizer import Tokenizer

    report, error = None, None
    try:
        report = _report(Tokenizer(metadata).vocab, metadata)
    except VocabError as problem:
        error = problem
    templates, template_error = _templates(metadata)
    return Inspection(metadata, report, error, templates, template_error)


def tokenizer_keys(metadata: Metadata) -> list[str]:
    """The keys that concern the tokenizer, in the file's order."""
    return [key for key in metadata if key.startswith(PREFIX)]


def kin_of_pre(name: str) -> PreNames:
    """The names that share the rules or only the regexes of the known pre-tokenizer `name`."""
    rules = PRE_TOKENIZERS[name]
    others = {
        other: found
        for other, found in PRE_TOKENIZERS.items()
        if other != name and _cut(found) == _cut(rules)
    }
    same = [
        other
        for other, found in others.items()
        if found == rules and _strips_mask(other) == _strips_mask(name)
    ]
    return PreNames(tuple(same), tuple(other for other in others if other not in same))


def _cut(rules: PreTokenizerRules) -> tuple[object, ...]:
    """What of the rules decides where text is cut."""
    return rules.regexes, rules.escape_whitespaces, rules.byte_encode, rules.variant


def _strips_mask(name: str) -> bool:
    # These three names also make <mask> eat the spaces before it (see tokcli.loading.special_ids).
    return name in ("jina-v2-de", "jina-v2-es", "jina-v2-code")


def _report(vocab: Vocab, metadata: Metadata) -> VocabReport:
    uses_pre = vocab.type == VocabType.BPE
    settings = [
        SettingRow(name, setting.value, setting.source, _remark(vocab, name))
        for name, setting in vocab.settings.items()
    ]
    return VocabReport(
        vocab=vocab,
        types=_count_types(vocab),
        special=[
            SpecialRow(
                role_name(slot),
                special.id,
                None if special.id is None else vocab.texts[special.id],
                special.source,
            )
            for slot, special in vocab.special.items()
        ],
        settings=sorted(settings, key=lambda row: row.remark is not None),
        overrides=_overrides(vocab),
        pre_source=_pre_source(vocab, metadata) if uses_pre else None,
        pre_names=kin_of_pre(vocab.pre) if uses_pre else None,
    )


def _pre_source(vocab: Vocab, metadata: Metadata) -> Provenance:
    if vocab.model == "gemma4":
        return Provenance("forced", "by model 'gemma4'")
    if metadata.text(PRE_KEY):
        return Provenance("key", PRE_KEY)
    return Provenance("absent", f"{PRE_KEY} is missing or empty, so llama.cpp takes 'default'")


def _count_types(vocab: Vocab) -> dict[str, int]:
    counts = Counter(map(vocab.type_of, range(len(vocab))))
    return {type_name(number): count for number, count in sorted(counts.items())}


def _overrides(vocab: Vocab) -> list[TypeOverride]:
    changed = []
    for id in range(len(vocab)):
        number = vocab.type_of(id)
        attr = vocab.attr(id)
        if attr != TYPE_ATTRS.get(number, 0):
            text = vocab.texts[id]
            changed.append(TypeOverride(id, text, type_name(number), attribute_names(attr)))
        elif number not in TYPE_ATTRS and number != TokenType.UNDEFINED:
            text = vocab.texts[id]
            changed.append(TypeOverride(id, text, type_name(number), ()))
    return changed


# Settings that only these vocabulary types use when they tokenize.
_USED_BY: dict[str, frozenset[VocabType]] = {
    "ignore_merges": frozenset({VocabType.BPE}),
    "escape_whitespaces": frozenset({VocabType.BPE, VocabType.UGM}),
    "byte_encode": frozenset({VocabType.BPE}),
    "prepend_scheme": frozenset({VocabType.BPE}),
    "remove_extra_whitespaces": frozenset({VocabType.UGM}),
    "nfc": frozenset({VocabType.UGM}),
    "strip_accents": frozenset({VocabType.WPM}),
    "lowercase": frozenset({VocabType.WPM}),
}


def _remark(vocab: Vocab, name: str) -> str | None:
    """Where this vocabulary does not use a setting, or not as its name has it."""
    label = vocab.type.label
    if name in ("add_bos", "add_eos"):
        if vocab.type == VocabType.WPM:
            return "WPM adds BOS and SEP"
        if vocab.type in (VocabType.RWKV, VocabType.TEST, VocabType.NONE):
            return f"unused by {label}"
    if name == "add_sep":
        return "for callers only"
    if name == "suppress_tokens":
        return "for samplers only"
    if name == "add_space_prefix" and vocab.type not in (VocabType.SPM, VocabType.UGM):
        return "in detokenizing only"
    if name == "escape_whitespaces" and vocab.type == VocabType.SPM:
        return "SPM always does"
    if name == "lowercase" and vocab.model == "whitespace":
        return None
    if name == "dna_auto_tags" and vocab.model != "hybriddna":
        return f"unused by {vocab.model}"
    used_by = _USED_BY.get(name)
    if used_by is not None and vocab.type not in used_by:
        return f"unused by {label}"
    if name == "lowercase" and vocab.type == VocabType.BPE:
        return f"unused by {vocab.model}"
    return None


def _templates(metadata: Metadata) -> tuple[list[TemplateRow], str | None]:
    from tokcli.chat.template import ChatTemplates

    try:
        found = ChatTemplates.from_metadata(metadata)
    except TemplateError as error:
        return [], str(error)
    rows = []
    for name, template in found.by_name.items():
        value = metadata[template.key].value
        rows.append(TemplateRow(name, template.key, len(value) if isinstance(value, bytes) else 0))
    missing = ", ".join(found.missing)
    if missing:
        return rows, f"tokenizer.chat_templates names {missing}, but no key holds it"
    return rows, None
