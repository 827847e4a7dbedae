"""Which regexes and settings each `tokenizer.ggml.pre` name stands for: data only.

Source: llama.cpp b12211, llama_vocab::impl::load (names and settings) and llm_tokenizer_bpe (regex
lists). The patterns are quoted as published; splitters.py says how llama.cpp runs them.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["PRE_TOKENIZERS", "REGEXES", "PreTokenizerRules"]


class PreTokenizerRules(NamedTuple):
    """What a name implies: the key of its regex list in REGEXES, and defaults of settings.

    `variant` names rules of its own around the regexes; `default_bos` is False where the usual
    default (BOS is token 11) does not hold; `lowercase` is the default of normalizer.lowercase.
    """

    regexes: str
    clean_spaces: bool = False
    ignore_merges: bool = False
    add_bos: bool = False
    add_sep: bool = False
    escape_whitespaces: bool = False
    byte_encode: bool = True
    default_bos: bool = True
    lowercase: bool = True
    variant: Literal["gemma4", "mmbert", "soprano"] | None = None


REGEXES: dict[str, tuple[str, ...]] = {
    "gpt2": (r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)",),
    "starcoder": (
        r"\p{N}",
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)",
    ),
    "llama3": (
        r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
        r"|[^\r\n\p{L}\p{N}]?\p{L}+"
        r"|\p{N}{1,3}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+"
        r"|\s+(?!\S)"
        r"|\s+",
    ),
    "qwen2": (
        r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
        r"|[^\r\n\p{L}\p{N}]?\p{L}+"
        r"|\p{N}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+"
        r"|\s+(?!\S)"
        r"|\s+",
    ),
    "qwen35": (
        r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
        r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+"
        r"|\p{N}"
        r"| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+"
        r"|\s+(?!\S)"
        r"|\s+",
    ),
    "deepseek3": (
        r"\p{N}{1,3}",
        r"[一-龥぀-ゟ゠-ヿ]+",
        "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"
        "|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
        "| ?[\\p{P}\\p{S}]+[\r\n]*"
        "|\\s*[\r\n]+"
        r"|\s+(?!\S)"
        r"|\s+",
    ),
    "spark2_5": (
        r"\p{N}{1,3}",
        r"[一-龥぀-ゟ゠-ヿ]+",
        "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"
        "|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
        r"| ?[\p{P}\p{S}]+"
        "|[\r\n]"
        r"|\s+(?!\S)"
        r"|\s+",
        r"\p{N}",
    ),
    "deepseek_llm": (
        "[\r\n]",
        r"\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+",
        r"\s?[!-/:-~！-／：-～‘-‟　-。]+",
        r"\s+$",
        r"[一-龥ࠀ-一가-퟿]+",
        r"\p{N}+",
    ),
    "deepseek_coder": (
        "[\r\n]",
        r"\s?\p{L}+",
        r"\s?\p{P}+",
        r"[一-龥ࠀ-一가-퟿]+",
        r"\p{N}",
    ),
    "falcon": (
        r"[\p{P}\$\+<=>\^~\|`]+",
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)",
        r"[0-9][0-9][0-9]",
    ),
    "bloom": (r" ?[^(\s|.,!?…。，、।۔،)]+",),
    "viking": (
        r" ?[^(\s|.,!?…。，、।۔،)]+",
        r"\p{N}",
    ),
    "tekken": (
        r"[^\r\n\p{L}\p{N}]?((?=[\p{L}\p{M}])([^a-z]))*((?=[\p{L}\p{M}])([^A-Z]))+"
        r"|[^\r\n\p{L}\p{N}]?((?=[\p{L}\p{M}])([^a-z]))+((?=[\p{L}\p{M}])([^A-Z]))*"
        r"|\p{N}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n/]*"
        r"|\s*[\r\n]+"
        r"|\s+(?!\S)"
        r"|\s+",
    ),
    "gpt4o": (
        r"[^\r\n\p{L}\p{N}]?((?=[\p{L}\p{M}])([^a-z]))*((?=[\p{L}\p{M}])([^A-Z]))+(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?"
        r"|[^\r\n\p{L}\p{N}]?((?=[\p{L}\p{M}])([^a-z]))+((?=[\p{L}\p{M}])([^A-Z]))*(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?"
        r"|\p{N}{1,3}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n/]*"
        r"|\s*[\r\n]+"
        r"|\s+(?!\S)"
        r"|\s+",
    ),
    "tiny_aya": (
        r"\d{1,3}(?=(?:\d{3})*\b)",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?"
        r"|\p{N}{1,3}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n/]*"
        r"|\s*[\r\n]+"
        r"|\s+(?!\S)"
        r"|\s+",
    ),
    "youtu": (
        r"[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥぀-ゟ゠-ヿ]+",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?"
        r"|\p{N}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n/]*"
        r"|\s*[\r\n]+"
        r"|\s+(?!\S)"
        r"|\s+",
    ),
    "chameleon": (
        r"<sentinel:[0-9]+>",
        r"(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z",
        r"([\t\n]|    |  )",
        r"\p{N}",
        r"[\p{P}!-/:-@\[-`{-~]",
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)",
    ),
    "kimi_k2": (r"\p{Han}+",),
    "superbpe": (
        r"\p{N}+",
        r"(?=(\d{3})+(?!\d))",
    ),
    "bailingmoe": (
        r"'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])"
        r"|[^\r\n\p{L}\p{N}]?\p{L}+"
        r"|\p{N}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]"
        r"|\s+(?!\S)"
        r"|\s+",
    ),
    "seed_coder": (
        r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
        r"|[^\r\n\p{L}\p{N}]?\p{L}+"
        r"|\p{N}{1}"
        r"| ?[^\s\p{L}\p{N}\r\n]+"
        r"|\s*[\r\n]+"
        r"|\s+(?!\S)"
        r"|\s+",
    ),
    "afmoe": (
        r"\p{AFMoE_digits}",
        r"[一-鿿㐀-䶿豈-﫿぀-ゟ゠-ヿ･-ﾟ⼀-⿟เ-๿຀-໿ក-៿က-႟ꩠ-ꩿꧠ-꧿가-힯ᄀ-ᇿ]+",
        "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"
        r"|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
        r"| ?[\p{P}\p{S}]+[\r\n]*"
        r"|\s*[\r\n]+"
        r"|\s+(?!\S)"
        r"|\s+",
    ),
    "laguna": (
        r"[^\n]+|[\n]+",
        r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
        r"|[^\r\n\p{L}\p{N}]?\p{L}+"
        r"|\p{N}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+"
        r"|\s+(?!\S)"
        r"|\s+",
    ),
    "exaone_moe": (
        r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
        r"|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+"
        r"|\p{N}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n/]?"
        r"|\s*[\r\n]"
        r"|\s+(?!\S)"
        r"|\s+",
    ),
    "jais2": (
        r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
        r"|[^\r\n\p{L}\p{N}]?\p{L}+"
        r"|\p{N}{1,3}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+"
        r"|\s{512}(?!\S)"
        r"|\s{256}(?!\S)"
        r"|\s{128}(?!\S)"
        r"|\s{64}(?!\S)"
        r"|\s{32}(?!\S)"
        r"|\s{16}(?!\S)"
        r"|\s{8}(?!\S)"
        r"|\s{4}(?!\S)"
        r"|\s{1,2}(?!\S)"
        r"|\s{1}",
    ),
    "minicpm5": (
        r"\p{N}{1,3}",
        r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
        r"|[^\r\n\p{L}\p{N}]?\p{L}+"
        r"|\p{N}+"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+"
        r"|\s+(?!\S)"
        r"|\s+",
    ),
    "ufakzeka": (
        r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    ),
    "newlines": (r"[^\n]+|[\n]+",),
    "whitespace": (r"\S+",),
    "default": (
        r"[\p{P}\$\+<=>\^~\|]+",
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)",
        r"\p{N}+",
        r"[0-9][0-9][0-9]",
    ),
    "k2_horizon": (
        r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
        r"|[^\r\n\p{L}\p{N}]?(?:\p{L}|\p{M}|\u200C|\u200D)+"
        r"|\p{N}{1,3}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+"
        r"|\s+(?!\S)"
        r"|\s+",
    ),
    "flint": (
        r"\p{N}{1,3}",
        r"[一-龥぀-ゟ゠-ヿ]+",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?"
        r"| ?[\p{P}\p{S}]+[\r\n]*"
        r"|\s*[\r\n]+"
        r"|\s+(?!\S)"
        r"|\s+",
    ),
    "tekken_num3": (
        r"[^\r\n\p{L}\p{N}]?((?=[\p{L}\p{M}])([^a-z]))*((?=[\p{L}\p{M}])([^A-Z]))+"
        r"|[^\r\n\p{L}\p{N}]?((?=[\p{L}\p{M}])([^a-z]))+((?=[\p{L}\p{M}])([^A-Z]))*"
        r"|\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))"
        r"|\p{N}{1,2}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n/]*"
        r"|\s*[\r\n]+"
        r"|\s+(?!\S)"
        r"|\s+",
    ),
    "soprano": (
        r"\p{N}",
        r"\s+|[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+",
    ),
}


PRE_TOKENIZERS: dict[str, PreTokenizerRules] = {
    "a.x-4.0": PreTokenizerRules("gpt2", clean_spaces=True),
    "afmoe": PreTokenizerRules("afmoe"),
    "bailingmoe": PreTokenizerRules("bailingmoe"),
    "bailingmoe2": PreTokenizerRules("bailingmoe"),
    "bloom": PreTokenizerRules("bloom", clean_spaces=True),
    "chameleon": PreTokenizerRules("chameleon", add_bos=True),
    "chatglm-bpe": PreTokenizerRules("llama3", default_bos=False),
    "codeshell": PreTokenizerRules("starcoder", clean_spaces=True),
    "cohere2moe": PreTokenizerRules("tiny_aya"),
    "command-r": PreTokenizerRules("starcoder"),
    "dbrx": PreTokenizerRules("llama3"),
    "deepseek-coder": PreTokenizerRules("deepseek_coder"),
    "deepseek-llm": PreTokenizerRules("deepseek_llm"),
    "deepseek-r1-qwen": PreTokenizerRules("qwen2"),
    "deepseek-v3": PreTokenizerRules("deepseek3"),
    "default": PreTokenizerRules("default", clean_spaces=True),
    "domyn-small": PreTokenizerRules(
        "newlines", clean_spaces=True, escape_whitespaces=True, byte_encode=False
    ),
    "exaone": PreTokenizerRules("starcoder", clean_spaces=True),
    "exaone-moe": PreTokenizerRules("exaone_moe", clean_spaces=True),
    "exaone4": PreTokenizerRules("gpt2"),
    "f2llmv2": PreTokenizerRules("qwen2"),
    "falcon": PreTokenizerRules("falcon", clean_spaces=True),
    "falcon-h1": PreTokenizerRules("llama3", clean_spaces=True, ignore_merges=True, add_bos=True),
    "falcon3": PreTokenizerRules("llama3", clean_spaces=True, ignore_merges=True, add_bos=True),
    "flint": PreTokenizerRules("flint"),
    "gemma4": PreTokenizerRules(
        "newlines", add_bos=True, escape_whitespaces=True, byte_encode=False, variant="gemma4"
    ),
    "gigachat": PreTokenizerRules("gpt2", clean_spaces=True),
    "glm4": PreTokenizerRules("llama3", ignore_merges=True, default_bos=False),
    "glm5": PreTokenizerRules("llama3", ignore_merges=True, default_bos=False),
    "gpt-2": PreTokenizerRules("gpt2", clean_spaces=True),
    "gpt-4o": PreTokenizerRules("gpt4o"),
    "gpt3-finnish": PreTokenizerRules("bloom", clean_spaces=True),
    "granite-docling": PreTokenizerRules("gpt2"),
    "granite-embed-multi-311m": PreTokenizerRules(
        "newlines", add_bos=True, escape_whitespaces=True, byte_encode=False, variant="gemma4"
    ),
    "granite-embed-multi-97m": PreTokenizerRules("gpt4o", ignore_merges=True),
    "grok-2": PreTokenizerRules("qwen2"),
    "hunyuan": PreTokenizerRules("qwen2"),
    "hunyuan-dense": PreTokenizerRules("deepseek3"),
    "hy_v4": PreTokenizerRules("deepseek3"),
    "jais": PreTokenizerRules("gpt2", clean_spaces=True),
    "jais-2": PreTokenizerRules("jais2", clean_spaces=True),
    "jina-de": PreTokenizerRules("gpt2", clean_spaces=True),
    "jina-es": PreTokenizerRules("gpt2", clean_spaces=True),
    "jina-v1-en": PreTokenizerRules("gpt2", clean_spaces=True, add_sep=True),
    "jina-v2-code": PreTokenizerRules("gpt2", clean_spaces=True, add_sep=True),
    "jina-v2-de": PreTokenizerRules("gpt2", clean_spaces=True),
    "jina-v2-es": PreTokenizerRules("gpt2", clean_spaces=True),
    "jina-v5-nano": PreTokenizerRules(
        "llama3", clean_spaces=True, ignore_merges=True, add_bos=True
    ),
    "joyai-llm": PreTokenizerRules("deepseek3"),
    "k2-horizon": PreTokenizerRules("k2_horizon"),
    "kanana2": PreTokenizerRules("gpt4o"),
    "kimi-k2": PreTokenizerRules("kimi_k2"),
    "kormo": PreTokenizerRules("qwen2"),
    "laguna": PreTokenizerRules("laguna"),
    "lfm2": PreTokenizerRules("llama3", ignore_merges=True, add_bos=True),
    "llada-moe": PreTokenizerRules("bailingmoe"),
    "llama-bpe": PreTokenizerRules("llama3", clean_spaces=True, ignore_merges=True, add_bos=True),
    "llama-v3": PreTokenizerRules("llama3", clean_spaces=True, ignore_merges=True, add_bos=True),
    "llama3": PreTokenizerRules("llama3", clean_spaces=True, ignore_merges=True, add_bos=True),
    "llama4": PreTokenizerRules("gpt4o"),
    "megrez": PreTokenizerRules("qwen2", clean_spaces=True),
    "mellum": PreTokenizerRules("gpt2", clean_spaces=True),
    "mellum2": PreTokenizerRules("starcoder"),
    "midm-2.0": PreTokenizerRules("llama3", clean_spaces=True, ignore_merges=True, add_bos=True),
    "minerva-7b": PreTokenizerRules("starcoder", clean_spaces=True),
    "minicpm5": PreTokenizerRules("minicpm5", ignore_merges=True),
    "minimax-m2": PreTokenizerRules("gpt4o"),
    "mmbert": PreTokenizerRules(
        "newlines", clean_spaces=True, escape_whitespaces=True, byte_encode=False, variant="mmbert"
    ),
    "modern-bert": PreTokenizerRules("gpt2", clean_spaces=True),
    "mpt": PreTokenizerRules("gpt2", clean_spaces=True),
    "nemotron-3.5-embed": PreTokenizerRules(
        "tekken", clean_spaces=True, ignore_merges=True, add_bos=True
    ),
    "olmo": PreTokenizerRules("gpt2", clean_spaces=True),
    "phi-2": PreTokenizerRules("gpt2", clean_spaces=True),
    "pixtral": PreTokenizerRules("tekken", ignore_merges=True, add_bos=True),
    "poro-chat": PreTokenizerRules("bloom"),
    "qwen2": PreTokenizerRules("qwen2"),
    "qwen35": PreTokenizerRules("qwen35"),
    "refact": PreTokenizerRules("starcoder", clean_spaces=True),
    "roberta-bpe": PreTokenizerRules("gpt2", clean_spaces=True, add_sep=True),
    "sarvam-moe": PreTokenizerRules("newlines", escape_whitespaces=True, byte_encode=False),
    "seed-coder": PreTokenizerRules("seed_coder"),
    "smaug-bpe": PreTokenizerRules("llama3", clean_spaces=True),
    "smollm": PreTokenizerRules("starcoder"),
    "solar-open": PreTokenizerRules("qwen2"),
    "soprano": PreTokenizerRules(
        "soprano", clean_spaces=True, byte_encode=False, variant="soprano"
    ),
    "spark2_5": PreTokenizerRules("spark2_5"),
    "stablelm2": PreTokenizerRules("qwen2", clean_spaces=True),
    "starcoder": PreTokenizerRules("starcoder", clean_spaces=True),
    "superbpe": PreTokenizerRules("superbpe"),
    "talkie": PreTokenizerRules("gpt4o"),
    "tekken": PreTokenizerRules("tekken", ignore_merges=True, add_bos=True),
    "tekken-num3": PreTokenizerRules("tekken_num3", ignore_merges=True, add_bos=True),
    "tiny_aya": PreTokenizerRules("tiny_aya"),
    "trillion": PreTokenizerRules("gpt2"),
    "ufakzeka": PreTokenizerRules("ufakzeka"),
    "viking": PreTokenizerRules("viking"),
    "whitespace": PreTokenizerRules(
        "whitespace", clean_spaces=True, byte_encode=False, lowercase=False
    ),
    "youtu": PreTokenizerRules("youtu", ignore_merges=True),
}
