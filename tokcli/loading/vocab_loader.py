"""Builds a Vocab from metadata as llama_vocab::impl::load does: defaults by type and by
pre-tokenizer, then the file's keys, then special tokens by text, then attribute overrides.

Duplicate token texts, on which the reference aborts, are an error.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from tokcli.errors import VocabError
from tokcli.gguf_metadata import FLOAT32, INT8, INT32, STRING, UINT8, UINT32, Metadata
from tokcli.gguf_strings import STRING_ARRAY
from tokcli.loading.model_rules import MODELS, ModelRules
from tokcli.loading.special_ids import SpecialIds
from tokcli.loading.special_tokens import SLOT_KEYS
from tokcli.loading.typed_keys import TypedKeys
from tokcli.loading.vocab_settings import SettingsReader
from tokcli.pretokenizer_table import PRE_TOKENIZERS, PreTokenizerRules
from tokcli.text.rwkv_escapes import unescape
from tokcli.vocab import Provenance, Setting, SpecialId, TokenId, Vocab, VocabType

__all__ = ["load_vocab"]

DNA_MARKER = "\ue000".encode()


def load_vocab(metadata: Metadata) -> Vocab:
    """The vocabulary that `metadata` describes.

    Raises VocabError where llama.cpp refuses to load the file or aborts.
    """
    keys = TypedKeys(metadata)
    model = keys.get_text("tokenizer.ggml.model")
    if model is None:
        raise VocabError(f"{metadata.path}: {_explain_missing_model(metadata)}")
    rules = MODELS.get(model)
    if rules is None:
        raise VocabError(
            f"tokenizer.ggml.model is '{model}', which llama.cpp does not know "
            f"(it knows {', '.join(sorted(MODELS))})"
        )
    pre, pre_rules = _pre_tokenizer(keys, model, rules)
    keys.get("tokenizer.ggml.token_type_count", UINT32)
    settings = SettingsReader(keys).read(rules, pre_rules, pre)
    tokens = Tokens([], [], {})
    merges: Sequence[bytes] = []
    charsmap = b""
    scores = types = None
    if rules.type != VocabType.NONE:
        merges = _read_merges(keys, rules, pre)
        charsmap = _read_charsmap(keys) if rules.type == VocabType.UGM else b""
        tokens = _read_tokens(keys)
        scores = _read_column(keys, "tokenizer.ggml.scores", (FLOAT32, INT32), tokens)
        types = _read_column(keys, "tokenizer.ggml.token_type", (INT32,), tokens)
        if model == "hybriddna":
            tokens = _strip_dna_markers(tokens)
        _drop_outside_ids(settings, len(tokens.texts))
    special = SpecialIds(keys, tokens.texts, tokens.token_to_id, types)
    if rules.type != VocabType.NONE:
        special.resolve(rules, pre_rules, pre)
        _check_byte_tokens(rules.type, tokens.texts, special.byte_ids())
        if rules.type == VocabType.RWKV:
            _check_line_feed(tokens.texts)
    absent = SpecialId(None, Provenance("absent", "no key, no default"))
    return Vocab(
        type=rules.type,
        model=model,
        pre=pre,
        raw_texts=tokens.raw_texts,
        texts=tokens.texts,
        token_to_id=tokens.token_to_id,
        types=types,
        scores=scores,
        merges=merges,
        attr_overrides=special.attrs,
        special={slot: special.special.get(slot, absent) for slot in SLOT_KEYS},
        settings=settings,
        eog_ids=special.eog_ids,
        special_token_ids=special.cut_out,
        charsmap=charsmap,
        notes=tuple(keys.notes),
    )


class Tokens(NamedTuple):
    """The token texts of the file, the effective ones, and the way from text to id."""

    raw_texts: list[bytes]
    texts: list[bytes]
    token_to_id: dict[bytes, TokenId]


def _explain_missing_model(metadata: Metadata) -> str:
    shard = metadata.get("split.no")
    if shard is not None and isinstance(shard.value, int) and shard.value > 0:
        return (
            f"this is shard {shard.value + 1} of a split model; the metadata is in the first, "
            "give that one"
        )
    return "key tokenizer.ggml.model is missing, so there is no tokenizer in this file"


def _pre_tokenizer(
    keys: TypedKeys, model: str, rules: ModelRules
) -> tuple[str, PreTokenizerRules | None]:
    found = keys.get_text("tokenizer.ggml.pre")
    missing, pre = found is None, found or ""
    if rules.type != VocabType.BPE:
        return pre, None
    if model == "gemma4":
        pre = "gemma4"
    if not pre:
        keys.note(
            "missing-pre",
            f"tokenizer.ggml.pre is {'missing' if missing else 'empty'}, so llama.cpp uses "
            "'default', which fits few models; set it with --pre NAME",
        )
        pre = "default"
    pre_rules = PRE_TOKENIZERS.get(pre)
    if pre_rules is None:
        import difflib

        near = difflib.get_close_matches(pre, PRE_TOKENIZERS, n=1)
        hint = f" (did the converter mean '{near[0]}'?)" if near else ""
        raise VocabError(
            f"unknown pre-tokenizer type in tokenizer.ggml.pre: '{pre}'{hint}; "
            "choose a known one with --pre NAME"
        )
    return pre, pre_rules


def _read_merges(keys: TypedKeys, rules: ModelRules, pre: str) -> Sequence[bytes]:
    if rules.type != VocabType.BPE:
        return []
    merges = keys.get_array("tokenizer.ggml.merges", (STRING,))
    if merges is None:
        if pre == "kimi-k2":
            return []
        raise VocabError(
            "key tokenizer.ggml.merges is missing, and BPE needs merges; convert the model again"
        )
    assert isinstance(merges, STRING_ARRAY)
    # llama.cpp reads C strings, which end at a NUL.
    if isinstance(merges, list) and _hold_nul(merges):
        return [merge.split(b"\0", 1)[0] for merge in merges]
    return merges


def _hold_nul(texts: list[bytes]) -> bool:
    # A few at a time: all of them joined would take some MB of memory for the first time.
    return any(
        b"\0" in b"".join(texts[start : start + 4096]) for start in range(0, len(texts), 4096)
    )


def _read_charsmap(keys: TypedKeys) -> bytes:
    key = "tokenizer.ggml.precompiled_charsmap"
    values = keys.get_array(key, (INT8, UINT8))
    if values is None:
        return b""
    assert isinstance(values, array)
    charsmap = values.tobytes()
    if len(charsmap) < 4:
        raise VocabError(f"{key} is {len(charsmap)} bytes long, too short for its own header")
    trie_size = int.from_bytes(charsmap[:4], "little")
    if trie_size + 4 >= len(charsmap):
        raise VocabError(
            f"{key}: its header claims a trie of {trie_size} bytes, but the map is "
            f"{len(charsmap)} bytes long; convert the model again"
        )
    return charsmap


def _read_tokens(keys: TypedKeys) -> Tokens:
    raw_texts = keys.get_array("tokenizer.ggml.tokens", (STRING,))
    if raw_texts is None:
        raise VocabError("key tokenizer.ggml.tokens is missing, so there is no vocabulary")
    assert isinstance(raw_texts, list)
    if not raw_texts:
        raise VocabError("tokenizer.ggml.tokens is empty, so there is no vocabulary")
    texts = raw_texts
    if _hold_nul(raw_texts):
        texts = [text.split(b"\0", 1)[0] for text in raw_texts]
        cut = [index for index, text in enumerate(raw_texts) if b"\0" in text]
        keys.note(
            "nul-in-token",
            f"{len(cut)} token texts hold a NUL (first: id {cut[0]}), at which llama.cpp ends them",
        )
    token_to_id = dict(zip(texts, range(len(texts)), strict=True))
    if b"" in token_to_id:
        empty = [index for index, text in enumerate(texts) if not text]
        texts = [text or b"[EMPTY_%d]" % index for index, text in enumerate(texts)]
        token_to_id = dict(zip(texts, range(len(texts)), strict=True))
        keys.note(
            "empty-token",
            f"{len(empty)} token texts are empty (first: id {empty[0]}); llama.cpp names them "
            f"[EMPTY_{empty[0]}] and so on",
        )
    if len(token_to_id) != len(texts):
        _refuse_duplicates(texts)
    return Tokens(raw_texts, texts, token_to_id)


def _refuse_duplicates(texts: list[bytes]) -> None:
    seen: dict[bytes, TokenId] = {}
    for index, text in enumerate(texts):
        if text in seen:
            shown = text.decode("utf-8", "backslashreplace")
            raise VocabError(
                f"tokens {seen[text]} and {index} have the same text '{shown}', on which llama.cpp "
                "aborts; convert the model again"
            )
        seen[text] = index


def _read_column(
    keys: TypedKeys, key: str, item_types: tuple[int, ...], tokens: Tokens
) -> array[int] | None:
    values = keys.get_array(key, item_types)
    if values is None:
        return None
    assert isinstance(values, array)
    if len(values) < len(tokens.texts):
        raise VocabError(
            f"key {key} has {len(values)} values for {len(tokens.texts)} tokens; "
            "convert the model again"
        )
    return values


def _check_byte_tokens(type: VocabType, texts: list[bytes], ids: list[TokenId]) -> None:
    """llama.cpp works out the piece of every token while loading, and fails on these."""
    if type == VocabType.WPM and ids:
        raise VocabError(
            f"token {ids[0]} is typed BYTE, on which llama.cpp aborts in a WPM vocabulary; "
            "convert the model again"
        )
    if type in (VocabType.SPM, VocabType.BPE, VocabType.UGM):
        for id in ids:
            if len(texts[id]) < 3:
                shown = texts[id].decode("utf-8", "backslashreplace")
                raise VocabError(
                    f"token {id} '{shown}' is typed BYTE, but its text is not like '<0x41>', and "
                    "llama.cpp does not load such a file; convert the model again"
                )


def _check_line_feed(texts: list[bytes]) -> None:
    """llama.cpp tokenizes a line feed while loading, and RWKV does not end where tokens start with
    a byte and none matches."""
    escaped = [text for text in texts if text[:1] in (b"\\", b"\n")]
    starting = [text for text in map(unescape, escaped) if text.startswith(b"\n")]
    if starting and b"\n" not in starting:
        raise VocabError(
            "tokens start with a line feed, but none is a line feed alone, and llama.cpp never "
            "finishes loading such an RWKV vocabulary; convert the model again"
        )


def _strip_dna_markers(tokens: Tokens) -> Tokens:
    """K-mer tokens without their marker, and without the padding of those cut short."""
    oov = tokens.token_to_id.get(b"<oov>")
    if oov is None:
        return tokens
    texts = list(tokens.texts)
    for index in range(oov + 1, len(texts)):
        text = texts[index].removesuffix(DNA_MARKER)
        if text and text != texts[index]:
            texts[index] = text.rstrip(b"N") or text
    return tokens._replace(texts=texts)


def _drop_outside_ids(settings: dict[str, Setting], n_tokens: int) -> None:
    suppress = settings["suppress_tokens"]
    assert isinstance(suppress.value, tuple)
    inside = tuple(id for id in suppress.value if 0 <= id < n_tokens)
    settings["suppress_tokens"] = suppress._replace(value=inside)
