"""The keys that llama.cpp knows on its way to a vocabulary, and the types it insists on: data only.

Source: gguf_init_from_file, llama_model_loader and llama_vocab::impl::load in llama.cpp b12211;
gguf.constants of the gguf package.
"""

from __future__ import annotations

from tokcli.loading.special_tokens import SLOT_KEYS

__all__ = [
    "ALIGNMENT", "ARCHITECTURE", "GENERAL_KEYS", "ID_KEYS", "KNOWN_KEYS", "PREFIX", "UNREAD_KEYS",
]  # fmt: skip

ALIGNMENT = "general.alignment"
ARCHITECTURE = "general.architecture"
PREFIX = "tokenizer.ggml."

# Key of a special token id -> the name that gguf-new-metadata has for it.
ID_KEYS: dict[str, str] = {
    key: key.removeprefix(PREFIX).removesuffix("_token_id")
    for keys in SLOT_KEYS.values()
    for key in keys
}

# Key -> the type names that llama.cpp accepts: of the file as a whole, and of the tokenizer.
GENERAL_KEYS: dict[str, tuple[str, ...]] = {ALIGNMENT: ("u32",), ARCHITECTURE: ("str",)}
KNOWN_KEYS: dict[str, tuple[str, ...]] = {
    **{PREFIX + name: ("str",) for name in ("model", "pre", "metaspace.prepend_scheme")},
    PREFIX + "tokens": ("arr[str]",),
    PREFIX + "merges": ("arr[str]",),
    PREFIX + "token_type": ("arr[i32]",),
    PREFIX + "scores": ("arr[f32]", "arr[i32]"),
    PREFIX + "suppress_tokens": ("arr[i32]",),
    PREFIX + "precompiled_charsmap": ("arr[u8]", "arr[i8]"),
    PREFIX + "token_type_count": ("u32",),
    **dict.fromkeys(ID_KEYS, ("u32",)),
    **{
        PREFIX + name: ("bool",)
        for name in (
            "add_bos_token",
            "add_eos_token",
            "add_sep_token",
            "add_space_prefix",
            "remove_extra_whitespaces",
            "clean_spaces",
            "normalizer.lowercase",
            "normalizer.strip_accents",
            "normalizer.nfc",
            "dna_auto_tags",
        )
    },
}

# Known names that loading a vocabulary does not read.
UNREAD_KEYS = frozenset({PREFIX + "cls_token_id", PREFIX + "added_tokens"})
