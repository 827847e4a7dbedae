"""Tiny vocabularies of every type, written as GGUF files.

`write_vocab` writes any; the `tiny_*` factories write one of 20 to 320 tokens that exercises its
type. Keyword overrides replace what the factory chose, None leaves a key out:

    tiny_spm(path, add_bos_token=False, **{"normalizer.nfc": True, "general.name": "phi-3"})

tests/vocabularies.py names those that recorded answers of llama.cpp exist for: changing one calls
for recording it again (scripts/record_reference.py).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypedDict

from tests.charsmap import precompiled_charsmap
from tests.gguf_files import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED, write_vocab
from tokcli.text.byte_alphabet import BYTE_TO_CHAR

__all__ = [
    "BYTE", "CONTROL", "NORMAL", "UNKNOWN", "UNUSED", "USER_DEFINED",
    "tiny_bpe", "tiny_hybriddna", "tiny_none", "tiny_plamo2", "tiny_plamo3", "tiny_raw_bpe",
    "tiny_rwkv", "tiny_soprano", "tiny_spm", "tiny_test", "tiny_ugm", "tiny_ugm_charsmap",
    "tiny_whitespace", "tiny_wpm", "write_vocab",
]  # fmt: skip

BYTE_TOKENS = [f"<0x{byte:02X}>" for byte in range(256)]
BYTE_LEVEL = sorted(BYTE_TO_CHAR)

# Merges over the byte alphabet: words that compete ("he" + "r" against "h" + "er"), characters of
# two, three and four bytes, runs of spaces and line feeds, digits, contractions.
BYTE_LEVEL_MERGES = (
    "Ġ t|h e|e r|i n|Ġt he|o n|Ġ a|r e|h er|t h|in g|o r|Ġ w|Ġw or|l l|l d|Ġwor ld|H e|He ll|"
    "Hell o|a b|ab c|b c|' s|' t|' ll|Ġ Ġ|ĠĠ ĠĠ|Ċ Ċ|Ġ Ċ|1 2|12 3|2 3|0 0|00 0|. .|.. .|! !|"
    "Ã ©|Ã ī|æ Ĺ|æĹ ¥|æľ ¬|æĹ¥ æľ¬|ð Ł|ðŁ ĺ|ðŁĺ Ģ|Ġ ðŁĺĢ|ĉ ĉ|č Ċ|â Ģ|âĢ Ļ|Ì ģ|A B|- -|_ _|"
    "Ġ= =|= =|Ġ ==|Ġ (|( )|s e"
).split("|")

# Merges over characters, with U+2581 for the space.
RAW_MERGES = (
    "▁ t|h e|e r|i n|▁t he|o n|▁ a|r e|▁a b|a b|▁ ▁|▁▁ ▁▁|\n \n|1 2|12 3|é é|日 本|▁ 日|l l|l d|"
    "H e|He ll|Hell o|. .|▁ ."
).split("|")
RAW_CHARACTERS = "▁\n abcdefghilnorstw0123.,!'HATé日本😀"


class Columns(TypedDict):
    """The columns that go together, token by token."""

    tokens: list[str]
    types: list[int]


def _columns(*parts: tuple[int, Iterable[str]]) -> Columns:
    """Columns from runs of (type, texts); a text that came before is left out."""
    types: dict[str, int] = {}
    for kind, texts in parts:
        for text in texts:
            types.setdefault(text, kind)
    return {"tokens": list(types), "types": list(types.values())}


def _write(path: Path, overrides: Mapping[str, Any], columns: Columns, **fields: Any) -> Path:
    """Write the columns and fields with what `overrides` puts in their place."""
    return write_vocab(path, **{**columns, **fields, **overrides})


def _results(merges: Iterable[str]) -> list[str]:
    return [left + right for left, _, right in (merge.partition(" ") for merge in merges)]


def tiny_spm(path: Path, **overrides: Any) -> Path:
    """SentencePiece BPE: byte tokens, scores that tie, a piece no merge reaches."""
    pieces = (
        "▁t|he|er|in|▁the|▁a|on|▁▁|▁▁▁▁|ab|abc|bc|▁ab|the|ing|▁th|Hello|▁Hello|He|ll|llo|▁He|"
        "lo|▁w|or|ld|▁wor|▁world|日本|éé|..|unreachable|<s|▁|a|b|c|e|h|i|l|n|o|r|t|w|d|H|g|.|é|日|<|s"
    ).split("|")
    vocab = _columns(
        (UNKNOWN, ["<unk>"]),
        (CONTROL, ["<s>", "</s>"]),
        (BYTE, BYTE_TOKENS),
        (NORMAL, pieces),
        (CONTROL, ["[INST]", "<|endoftext|>"]),
        (USER_DEFINED, ["<|user|>", "<|user|>x", "\t\t"]),
        (UNUSED, ["<unused0>"]),
    )
    n_head = 3 + 256
    scores = [0.0] * n_head + [-float(i // 2) for i in range(len(vocab["tokens"]) - n_head)]
    return _write(path, overrides, vocab, model="llama", scores=scores)


def tiny_bpe(path: Path, **overrides: Any) -> Path:
    """Byte-level BPE, like GPT-2's; `pre` chooses the pre-tokenizer."""
    vocab = _columns(
        (NORMAL, BYTE_LEVEL),
        (NORMAL, _results(BYTE_LEVEL_MERGES)),
        (NORMAL, ["Ġwhole", "ĠHelloĠworld"]),
        (CONTROL, ["<|endoftext|>", "<|im_start|>"]),
        (NORMAL, ["<|fim_middle|>"]),
        (USER_DEFINED, ["<tool>", "<tool>>", "<mask>"]),
        (UNKNOWN, ["<unk>"]),
    )
    end_of_text = vocab["tokens"].index("<|endoftext|>")
    return _write(
        path,
        overrides,
        vocab,
        model="gpt2",
        pre="gpt-2",
        merges=BYTE_LEVEL_MERGES,
        bos_token_id=end_of_text,
        eos_token_id=end_of_text,
    )


def tiny_raw_bpe(path: Path, **overrides: Any) -> Path:
    """BPE over characters with byte tokens to fall back on, like Gemma 4's."""
    vocab = _columns(
        (CONTROL, ["<pad>", "<eos>", "<bos>"]),
        (UNKNOWN, ["<unk>"]),
        (CONTROL, ["<mask>", "<turn|>"]),
        (BYTE, BYTE_TOKENS[:0xF8]),
        (NORMAL, RAW_CHARACTERS),
        (NORMAL, _results(RAW_MERGES)),
        (NORMAL, ["\n\n\n", "▁\n"]),
        (USER_DEFINED, ["<|user|>"]),
    )
    return _write(
        path,
        overrides,
        vocab,
        model="gemma4",
        merges=RAW_MERGES,
        bos_token_id=2,
        eos_token_id=1,
        unknown_token_id=3,
        padding_token_id=0,
        mask_token_id=4,
    )


def tiny_soprano(path: Path, **overrides: Any) -> Path:
    """The lower-casing BPE without byte tokens: what it does not know is unknown."""
    merges = "t h|th e|i n|. .|a 1|in g|ab _|a b|i \u0307|! ?|1 2".split("|")
    vocab = _columns(
        (UNKNOWN, ["[UNK]"]),
        (CONTROL, ["[STOP]", "[TEXT]", "[START]"]),
        (NORMAL, " abcdefghinorstw0123.,!?'_-\u0307é"),
        (NORMAL, _results(merges)),
        (NORMAL, [" a"]),
        (USER_DEFINED, ["{U}"]),
    )
    return _write(
        path,
        overrides,
        vocab,
        model="gpt2",
        pre="soprano",
        merges=merges,
        unknown_token_id=0,
        bos_token_id=3,
        eos_token_id=1,
    )


def tiny_hybriddna(path: Path, **overrides: Any) -> Path:
    """Byte-level BPE outside <dna> tags, 6-mers inside; most 6-mers are missing on purpose."""
    kmers = ["".join(kmer) + "\ue000" for kmer in itertools.product("AC", repeat=6)]
    kmers += ["GATTAC\ue000", "TTTTTT\ue000", "ANNNNN\ue000", "ACNNNN\ue000", "ACGTAC\ue000"]
    merges = ["C C", "CC CC", "CCCC CC", "Ġ t", "h e", "Ġt he"]
    vocab = _columns(
        (NORMAL, BYTE_LEVEL),
        (NORMAL, _results(merges)),
        (NORMAL, ["<dna>", "</dna>", "<oov>"]),
        (NORMAL, kmers),
        (CONTROL, ["<x>"]),
    )
    return _write(path, overrides, vocab, model="hybriddna", pre="gpt-2", merges=merges)


def tiny_whitespace(path: Path, **overrides: Any) -> Path:
    """BPE on words between white space, which is dropped."""
    merges = ["a b", "ab c", "日 本", "h e", "he r", "e r"]
    vocab = _columns(
        (BYTE, BYTE_TOKENS),
        (NORMAL, "abcdefhitré日本A▁.İi\u0307"),
        (NORMAL, [*_results(merges), "a\n", "[unk]"]),
        (CONTROL, ["<s>"]),
        (USER_DEFINED, ["{u}"]),
    )
    unknown = vocab["tokens"].index("[unk]")
    return _write(
        path,
        overrides,
        vocab,
        model="whitespace",
        pre="whitespace",
        merges=merges,
        unknown_token_id=unknown,
    )


def tiny_wpm(path: Path, **overrides: Any) -> Path:
    """WordPiece: words begin with U+2581, their continuations do not."""
    starts = "a b c e é h hello i the t w world wor un 1 日 本 . , ! ' - $ ü q str A É".split()
    rest = "a b c e h i ing l ld r s t un aff able 1 23 é ü ße".split()
    vocab = _columns(
        (CONTROL, ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]),
        (NORMAL, [f"▁{text}" for text in starts]),
        (NORMAL, rest),
        (USER_DEFINED, ["[USER]"]),
    )
    return _write(
        path,
        overrides,
        vocab,
        model="bert",
        bos_token_id=2,
        unknown_token_id=1,
        seperator_token_id=3,
        padding_token_id=0,
        mask_token_id=4,
    )


def tiny_ugm(path: Path, **overrides: Any) -> Path:
    """Unigram without a character map; scores make short and long paths compete."""
    pieces = (
        "▁|a|b|ab|▁a|▁ab|abc|c|▁the|t|h|e|he|▁t|er|r|▁▁|▁Hello|H|l|o|lo|ell|w|or|ld|▁wor|d|日|本|日本|"
        "é|e\u0301|\ufffd|.|..|ﬁ|f|i|fi|1|2|12|A"
    ).split("|")
    vocab = _columns(
        (CONTROL, ["<pad>", "</s>"]),
        (UNKNOWN, ["<unk>"]),
        (NORMAL, pieces),
        (USER_DEFINED, ["{u}", "{u}a"]),
        (CONTROL, ["<extra_id_0>"]),
        (UNUSED, ["<unused>"]),
    )
    n_tokens = len(vocab["tokens"])
    scores = [0.0] * 3 + [-1.0 - 0.37 * (i % 7) for i in range(n_tokens - 3)]
    return _write(path, overrides, vocab, model="t5", scores=scores)


def tiny_ugm_charsmap(path: Path, **overrides: Any) -> Path:
    """Unigram as in T5: character map, space prefix, runs of spaces joined."""
    replacements = {
        "ﬁ": "fi", "Ａ": "A", "\u00a0": " ", "\u3000": " ", "\t": " ", "\n": " ", "½": "1⁄2",
        "e\u0301": "é", "\u200b": "", "①": "1", "A": "a", "AB": "ab",
    }  # fmt: skip
    settings = {
        "precompiled_charsmap": precompiled_charsmap(replacements),
        "add_space_prefix": True,
        "remove_extra_whitespaces": True,
    }
    return tiny_ugm(path, **(settings | overrides))


def tiny_rwkv(path: Path, **overrides: Any) -> Path:
    """RWKV: longest match over escaped texts, all 256 bytes among them."""
    words = "he|hello|hell| world| wor|the| the|日|日本|é|😀|\n\n|\r\n|  |    |'s|\\n|ab|abc|12|123"
    escaped = [_rwkv_escape(word.encode()) for word in words.split("|")]
    vocab = _columns(
        (CONTROL, ["<s>"]),
        (NORMAL, [_rwkv_escape(bytes([byte])) for byte in range(256)]),
        (NORMAL, [*escaped, "\\xe6\\x97", "\\xf0\\x9f"]),
        (USER_DEFINED, ["<|user|>"]),
    )
    return _write(path, overrides, vocab, model="rwkv", eos_token_id=0, bos_token_id=0)


def _rwkv_escape(text: bytes) -> str:
    named = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\"}
    try:
        characters = text.decode()
    except UnicodeDecodeError:
        return "".join(f"\\x{byte:02x}" for byte in text)
    return "".join(
        named.get(c) or (c if c >= " " and c != "\x7f" else f"\\x{ord(c):02x}") for c in characters
    )


def tiny_plamo2(path: Path, **overrides: Any) -> Path:
    """PLaMo 2: the cheapest path over scored pieces, byte tokens at a high cost."""
    pieces = (
        "a b aa aaa ab aab ba < | |> <| plamo : p l <|plamo: <|plamo:chat|> あ ああ 日 本 日本 "
        "1 11 é c bc the h e t he never"
    ).split(" ")
    pieces += " |  |    |b  | the|\n|\n\n|\ufeff|\ufeffa|a\uee00b|\uee00".split("|")
    vocab = _columns(
        (UNKNOWN, ["<|plamo:unk|>"]),
        (CONTROL, ["<|plamo:bos|>", "<|plamo:eos|>", "<|plamo:pad|>"]),
        (BYTE, BYTE_TOKENS),
        (NORMAL, pieces),
        (USER_DEFINED, ["{u}"]),
    )
    n_head = 4 + 256
    scores = [0.0] * n_head + [-0.5 - 0.75 * (i % 5) for i in range(len(vocab["tokens"]) - n_head)]
    scores[vocab["tokens"].index("never")] = float("-inf")
    return _write(path, overrides, vocab, model="plamo2", scores=scores)


def tiny_plamo3(path: Path, **overrides: Any) -> Path:
    """PLaMo 3: PLaMo 2's table with text cut into segments first."""
    return tiny_plamo2(path, **({"model": "plamo3"} | overrides))


def tiny_test(path: Path, **overrides: Any) -> Path:
    """llama.cpp's own test type: a hash of every five bytes."""
    vocab = _columns(
        (NORMAL, [f"token-{number}" for number in range(37)]),
        (CONTROL, ["<s>", "</s>"]),
        (USER_DEFINED, ["{u}"]),
    )
    return _write(path, overrides, vocab, model="test")


def tiny_none(path: Path, **overrides: Any) -> Path:
    """A model without a vocabulary."""
    return write_vocab(path, **({"model": "no_vocab", "tokens": None} | overrides))
