"""The tokenizer's settings: defaults by vocabulary type and pre-tokenizer, then the file's keys.

Source: llama_vocab::impl::load in llama.cpp b12211.
"""

from __future__ import annotations

from array import array

from tokcli.errors import VocabError
from tokcli.gguf_metadata import BOOL, INT32
from tokcli.loading.model_rules import ModelRules
from tokcli.loading.typed_keys import TypedKeys
from tokcli.pretokenizer_table import PreTokenizerRules
from tokcli.vocab import Provenance, Setting, VocabType

__all__ = ["SettingsReader"]


class SettingsReader:
    """Reads the settings of one file."""

    def __init__(self, keys: TypedKeys) -> None:
        self._keys = keys
        self._settings: dict[str, Setting] = {}

    def read(
        self, rules: ModelRules, pre_rules: PreTokenizerRules | None, pre: str
    ) -> dict[str, Setting]:
        """All settings, by name."""
        by_type = Provenance("type", f"default of {rules.type.label}")
        by_pre = Provenance("pre", f"implied by pre-tokenizer '{pre}'")
        if pre_rules is not None:
            clean, clean_source = pre_rules.clean_spaces, by_pre
            escape, escape_source = pre_rules.escape_whitespaces, by_pre
            byte_encode = pre_rules.byte_encode
            lowercase = pre_rules.lowercase
            lowercase_source = by_type if pre_rules.lowercase else by_pre
        else:
            clean, clean_source = rules.clean_spaces, by_type
            escape, escape_source = True, by_type
            byte_encode = False
            lowercase, lowercase_source = True, by_type
        for name, value, source in (
            ("ignore_merges", bool(pre_rules and pre_rules.ignore_merges), by_pre),
            ("escape_whitespaces", escape, escape_source),
            ("byte_encode", byte_encode, by_pre),
        ):
            self._settings[name] = Setting(value, source if pre_rules else by_type)
        prefix = "tokenizer.ggml."
        self._flag("add_space_prefix", prefix + "add_space_prefix", rules.add_space_prefix, by_type)
        self._flag("remove_extra_whitespaces", prefix + "remove_extra_whitespaces", False, by_type)
        self._flag("clean_spaces", prefix + "clean_spaces", clean, clean_source)
        for name, default, implied in (
            ("add_bos", rules.add_bos, pre_rules and pre_rules.add_bos),
            ("add_eos", rules.add_eos, False),
            ("add_sep", rules.add_sep, pre_rules and pre_rules.add_sep),
        ):
            source = by_pre if implied else by_type
            self._flag(name, f"{prefix}{name}_token", default or bool(implied), source)
        if pre_rules and pre_rules.variant == "gemma4" and not self._settings["add_bos"].value:
            self._settings["add_bos"] = Setting(True, Provenance("forced", f"by '{pre}'"))
            if "tokenizer.ggml.add_bos_token" in self._keys.metadata:
                self._keys.note(
                    "forced-bos",
                    "tokenizer.ggml.add_bos_token is false, but llama.cpp forces it to true for "
                    "Gemma 4",
                )
        normalizer = prefix + "normalizer."
        lowercase = self._flag("lowercase", normalizer + "lowercase", lowercase, lowercase_source)
        accents = Provenance("type", "follows normalizer.lowercase")
        self._flag("strip_accents", normalizer + "strip_accents", lowercase, accents)
        self._flag("nfc", normalizer + "nfc", False, by_type)
        self._flag("dna_auto_tags", prefix + "dna_auto_tags", False, by_type)
        self._read_prepend_scheme(rules, by_type)
        suppress = self._keys.get_array(prefix + "suppress_tokens", (INT32,))
        self._settings["suppress_tokens"] = Setting(
            tuple(suppress) if isinstance(suppress, array) else (),
            by_type if suppress is None else Provenance("key", prefix + "suppress_tokens"),
        )
        return self._settings

    def _read_prepend_scheme(self, rules: ModelRules, by_type: Provenance) -> None:
        key = "tokenizer.ggml.metaspace.prepend_scheme"
        scheme = self._keys.get_text(key)
        source = by_type if scheme is None else Provenance("key", key)
        if scheme is None:
            scheme = "never"
        if scheme not in ("never", "first", "always"):
            raise VocabError(
                f"unknown metaspace prepend_scheme in {key}: '{scheme}' (never, first or always)"
            )
        if scheme == "always" and rules.type == VocabType.BPE:
            raise VocabError(f"{key} is 'always', which llama.cpp does not support for BPE")
        self._settings["prepend_scheme"] = Setting(scheme, source)

    def _flag(self, name: str, key: str, default: bool, source: Provenance) -> bool:
        value = self._keys.get(key, BOOL)
        if value is None:
            self._settings[name] = Setting(default, source)
            return default
        self._settings[name] = Setting(bool(value), Provenance("key", key))
        return bool(value)
