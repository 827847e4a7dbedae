"""Special tokens: ids by key, by default or by text; end of generation; attribute overrides.

Where several texts compete for one guessed slot, llama.cpp's choice is the order of a hash map;
here the lowest id wins, and a note says so.
Source: llama_vocab::impl::load in llama.cpp b12211.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Sequence
from functools import cached_property

from tokcli.errors import VocabError
from tokcli.gguf_metadata import UINT32
from tokcli.loading.model_rules import ModelRules
from tokcli.loading.special_tokens import (
    ALWAYS_USER_DEFINED,
    END_OF_GENERATION_TEXTS,
    GUESSED_TEXTS,
    SLOT_KEYS,
)
from tokcli.loading.typed_keys import TypedKeys
from tokcli.pretokenizer_table import PreTokenizerRules
from tokcli.vocab import (
    BYTE,
    CONTROL,
    LSTRIP,
    NORMAL,
    RSTRIP,
    SPECIAL_ATTRS,
    TYPE_ATTRS,
    UNUSED,
    USER_DEFINED,
    Provenance,
    SpecialId,
    TokenId,
)

__all__ = ["SpecialIds"]

_NOT_NORMAL = re.compile(rb"[^\x01]")


class SpecialIds:
    """Resolves the special tokens of one vocabulary.

    `special`: slot -> id and origin. `attrs`: attribute bits of the tokens whose type was
    overridden. `eog_ids`: tokens that end generation. `cut_out`: tokens that are cut out of the
    input before tokenizing, longest text first.
    """

    def __init__(
        self,
        keys: TypedKeys,
        texts: list[bytes],
        token_to_id: dict[bytes, TokenId],
        types: Sequence[int] | None,
    ) -> None:
        self._keys = keys
        self._texts = texts
        self._token_to_id = token_to_id
        self._types = types
        self.special: dict[str, SpecialId] = {}
        self.attrs: dict[TokenId, int] = {}
        self.eog_ids: frozenset[TokenId] = frozenset()
        self.cut_out: list[TokenId] = []

    def resolve(self, rules: ModelRules, pre_rules: PreTokenizerRules | None, pre: str) -> None:
        """Fill `special`, `attrs`, `eog_ids` and `cut_out`."""
        self._read_ids(rules, pre_rules, pre)
        self._guess_ids()
        self._mark_unused()
        self.eog_ids = self._end_of_generation()
        # Before the strip attributes, which change nothing about what is cut out.
        self.cut_out = sorted(self._ids_with(SPECIAL_ATTRS), key=lambda id: -len(self._texts[id]))
        self._strip_attributes()

    def _read_ids(self, rules: ModelRules, pre_rules: PreTokenizerRules | None, pre: str) -> None:
        by_type = Provenance("type", f"default of {rules.type.label}")
        defaults = dict(rules.ids)
        sources = dict.fromkeys(SLOT_KEYS, by_type)
        if pre_rules is not None and not pre_rules.default_bos:
            defaults.pop("bos", None)
            sources["bos"] = Provenance("absent", f"pre-tokenizer '{pre}' has no default BOS")
        for slot, keys in SLOT_KEYS.items():
            id = defaults.get(slot)
            source = sources[slot]
            if id is None and source.kind == "type":
                source = Provenance("absent", "no key, no default")
            if id is not None and id >= len(self._texts):
                self._keys.note(
                    "default-out-of-range",
                    f"the default {slot.upper()} id {id} is outside the vocabulary and dropped",
                )
                id, source = None, Provenance("absent", f"default {id} is out of range")
            for key in keys:
                value = self._keys.get(key, UINT32)
                if value is None:
                    continue
                assert isinstance(value, int)
                if value < len(self._texts):
                    id, source = value, Provenance("key", key)
                else:
                    kept = "none" if id is None else str(id)
                    self._keys.note(
                        "bad-special-id",
                        f"{key} is {value}, outside the vocabulary of {len(self._texts)} tokens; "
                        f"llama.cpp keeps the default ({kept})",
                    )
                    source = Provenance(
                        source.kind, f"{key} = {value} is out of range; {source.detail}"
                    )
            self.special[slot] = SpecialId(id, source)

    def _attr(self, id: TokenId) -> int:
        if id in self.attrs:
            return self.attrs[id]
        return NORMAL if self._types is None else TYPE_ATTRS.get(self._types[id], 0)

    def _make_control(self, id: TokenId, text: str) -> None:
        attr = self._attr(id)
        if not attr & CONTROL:
            self.attrs[id] = attr | CONTROL
            self._keys.note(
                "control-looking",
                f"token {id} '{text}' looks like a control token but is not typed as one; "
                "llama.cpp overrides its type",
            )

    def _find(self, texts: tuple[str, ...]) -> list[tuple[TokenId, str]]:
        found = ((self._token_to_id.get(text.encode()), text) for text in texts)
        return sorted((id, text) for id, text in found if id is not None)

    def _guess_ids(self) -> None:
        for slot, texts in GUESSED_TEXTS.items():
            if self.special[slot].id is not None:
                continue
            found = self._find(texts)
            if not found:
                continue
            id, text = found[0]
            self.special[slot] = SpecialId(id, Provenance("text", f"token text '{text}'"))
            self._make_control(id, text)
            if len(found) > 1:
                others = ", ".join(f"{other} '{name}'" for other, name in found[1:])
                self._keys.note(
                    "guess-tie",
                    f"{slot.upper()} is guessed from the text: {id} '{text}' (the lowest id) also "
                    f"competes with {others}; llama.cpp's choice depends on its build",
                )

    def _mark_unused(self) -> None:
        for id in self._ids_with(CONTROL):
            # strstr on a C string: nothing after a NUL is looked at.
            if b"unused" in self._texts[id].split(b"\0", 1)[0]:
                self.attrs[id] = self._attr(id) | UNUSED

    def byte_ids(self) -> list[TokenId]:
        """The tokens whose piece is the byte that their text names."""
        rendered_as_text = SPECIAL_ATTRS | NORMAL
        return [id for id in self._ids_with(BYTE) if not self._attr(id) & rendered_as_text]

    @cached_property
    def _not_normal(self) -> list[tuple[TokenId, int]]:
        """Tokens that the file types as anything but normal: few of the many."""
        if self._types is None:
            return []
        types = self._types[: len(self._texts)]
        raw = array("i", types).tobytes()
        low = raw[:: len(raw) // len(types)] if sys.byteorder == "little" else b""
        if raw.count(0) - low.count(0) == len(raw) - len(types):
            # One byte a token holds every type: searching bytes takes a tenth of the time.
            return [(match.start(), match[0][0]) for match in _NOT_NORMAL.finditer(low)]
        return [(id, type_) for id, type_ in enumerate(types) if type_ != 1]

    def _ids_with(self, bits: int) -> list[TokenId]:
        """The tokens with any of `bits`, which must not include NORMAL."""
        ids = {id for id, attr in self.attrs.items() if attr & bits}
        wanted = {type_ for type_, attr in TYPE_ATTRS.items() if attr & bits}
        ids.update(id for id, type_ in self._not_normal if type_ in wanted and id not in self.attrs)
        return sorted(ids)

    def _end_of_generation(self) -> frozenset[TokenId]:
        ids: set[TokenId] = set()
        for slot in ("fim_pad", "fim_rep", "fim_sep"):
            id = self.special[slot].id
            if id is not None:
                ids.add(id)
        for id, text in self._find(END_OF_GENERATION_TEXTS):
            ids.add(id)
            self._make_control(id, text)
        for id, text in self._find(ALWAYS_USER_DEFINED):
            if self._attr(id) != USER_DEFINED:
                self._keys.note("user-defined", f"llama.cpp types token {id} '{text}' user-defined")
            self.attrs[id] = USER_DEFINED
        for slot in ("eos", "eot", "eom"):
            id = self.special[slot].id
            if id is not None and id not in ids:
                ids.add(id)
                self._keys.note(
                    "eog-by-id",
                    f"{slot.upper()} is token {id}, whose text is not among those that llama.cpp "
                    "knows to end generation; it is added to them",
                )
        by_text = {self._texts[id]: id for id in ids}
        end = by_text.get(b"<|end|>")
        calls = b"<|call|>" in by_text or b"<|calls|>" in by_text
        if end is not None and calls and (b"<|return|>" in by_text or b"<|flush|>" in by_text):
            ids.discard(end)
            self.attrs[end] = USER_DEFINED
            self._keys.note(
                "eog-dropped", f"token {end} '<|end|>' does not end generation beside '<|call|>'"
            )
        strike = by_text.get(b"</s>")
        if strike is not None and (b"<|tool_response>" in by_text or b"<|plamo:eos|>" in by_text):
            ids.discard(strike)
            self.attrs[strike] = NORMAL
            self._keys.note("eog-dropped", f"token {strike} '</s>' is a normal token here")
        return frozenset(ids)

    def _strip_attributes(self) -> None:
        pre = self._keys.get_text("tokenizer.ggml.pre") or ""
        architecture = self._keys.get_text("general.architecture") or ""
        name = (self._keys.get_text("general.name") or "").lower()
        jina = ("jina-v2-de", "jina-v2-es", "jina-v2-code")
        if (
            any(part in pre for part in jina)
            or pre == "mmbert"
            or any(part in architecture for part in ("nomic-bert-moe", "jina-bert-v3"))
        ):
            self._set_lstrip(b"<mask>")
        elif "phi-3" in name or "phi3" in name:
            for id in self.cut_out:
                self.attrs[id] = self._attr(id) | RSTRIP
            for text in (b"</s>", b"<unk>", b"<s>", b"<|endoftext|>"):
                found = self._token_to_id.get(text)
                if found is None:
                    raise VocabError(
                        f"general.name says Phi-3, but there is no token '{text.decode()}', and "
                        "llama.cpp does not load such a file; change general.name"
                    )
                attr = self._attr(found)
                self.attrs[found] = attr | RSTRIP if text == b"</s>" else attr & ~RSTRIP
        elif "modern-bert" in name:
            self._set_lstrip(b"[MASK]")

    def _set_lstrip(self, text: bytes) -> None:
        id = self._token_to_id.get(text)
        if id is not None:
            self.attrs[id] = self._attr(id) | LSTRIP
        else:
            self._keys.note(
                "mask-missing", f"there is no token '{text.decode()}'; convert the model again"
            )
