"""How pre-tokenizer patterns are run that are not run as published.

A few patterns llama.cpp runs as hand-written splitters, chosen by string equality; SPLITTERS gives
for each a pattern of the same effect. The same table replaces patterns that are slow as published:
lookaheads that count digits to the end of a run, say, or white space measured again for each piece
of it.
Source: unicode_regex_split_custom_* in llama.cpp's src/unicode.cpp.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from tokcli.pretokenizer_table import REGEXES
from tokcli.text.regex_classes import translate, whitespace

__all__ = ["SPLITTERS", "WITHIN_CHUNKS", "Splitter", "in_threes"]

CONTRACTION = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"


class Splitter(NamedTuple):
    """How a pattern is run: `matching` is the pattern in place of the published one, `regroup`
    then cuts or joins its chunks, `name` is the reference's hand-written splitter if it has one.
    `shown` is the pattern that explains the result, where it is not `matching`. `total` says that
    it matches every character wherever that stands, and so leaves nothing between its matches;
    `parts_words`, that a match ends, whatever follows, at each space that is not behind white
    space: what is before such a space and what is from there on can be split by themselves, as is
    done behind letters and digits, which are no white space to anybody."""

    matching: str
    name: str | None = None
    regroup: Callable[[list[str]], list[str]] | None = None
    shown: str | None = None
    total: bool = False
    parts_words: bool = False


def in_threes(digits: str) -> list[str]:
    """Digits in groups of three counted from the end: "1234567" -> "1", "234", "567"."""
    head = len(digits) % 3
    groups = [digits[i : i + 3] for i in range(head, len(digits), 3)]
    return [digits[:head], *groups] if head else groups


@cache
def _numbers() -> re.Pattern[str]:
    return re.compile(translate(r"\p{N}+", alphabet="all", published=r"\p{N}"))


def group_numbers(chunks: list[str]) -> list[str]:
    """Cut each run of numbers in threes from its end."""
    is_number = _numbers().match
    result = []
    for chunk in chunks:
        if len(chunk) > 3 and is_number(chunk):
            result += in_threes(chunk)
        else:
            result.append(chunk)
    return result


def group_numbers_after_text(chunks: list[str]) -> list[str]:
    """As group_numbers, but the first group stays with the text before it: the AFMoE splitter
    only ever marks ends of groups."""
    is_number = _numbers().match
    result = []
    text = ""
    for chunk in chunks:
        if is_number(chunk):
            first, *rest = in_threes(chunk)
            result += [text + first, *rest]
            text = ""
        else:
            text = chunk
    return [*result, text] if text else result


def cut_thousands(chunks: list[str]) -> list[str]:
    """Cut before each place from which ASCII digits run on in a multiple of three, nowhere else."""
    result: list[str] = []
    current: list[str] = []
    for chunk in chunks:
        is_digits = chunk[0] in "0123456789"
        for group in in_threes(chunk) if is_digits else [chunk]:
            if current and is_digits and len(group) == 3:
                result.append("".join(current))
                current = []
            current.append(group)
    return [*result, "".join(current)] if current else result


def group_whitespace(chunks: list[str]) -> list[str]:
    """Cut white space that ends no line in pieces of 512, 256, ..., 2, 1, largest first."""
    spaces = "".join(chr(c) for first, last in whitespace(False) for c in range(first, last + 1))
    result = []
    for chunk in chunks:
        if len(chunk) == 1 or chunk[-1] in "\r\n" or chunk.strip(spaces):
            result.append(chunk)
            continue
        start = 0
        for size in (512, 256, 128, 64, 32, 16, 8, 4, 2, 1):
            while len(chunk) - start >= size:
                result.append(chunk[start : start + size])
                start += size
    return result


# What regroups each chunk by itself.
WITHIN_CHUNKS = (group_numbers, group_whitespace)

AFMOE = Splitter(
    r"[^\p{N}]+|\p{N}+",
    "afmoe",
    group_numbers_after_text,
    r"[^\p{N}]*\p{N}{1,3}|[^\p{N}]+",
    total=True,
)
SPLITTERS: dict[str, Splitter] = {
    REGEXES["gpt2"][0]: Splitter(
        # A leading space is tried once; of the others no two begin alike but those with "'".
        r" (?:\p{L}+|\p{N}+|[^\s\p{L}\p{N}]+)|\p{L}+|'(?:[stmd]|re|ve|ll)|[^\s\p{L}\p{N}]+"
        r"|\s+(?!\S)|\s+|\p{N}+",
        "gpt2",
        shown=REGEXES["gpt2"][0] + r"|\s+",
        total=True,
        parts_words=True,
    ),
    REGEXES["llama3"][0]: Splitter(REGEXES["llama3"][0], "llama3", total=True, parts_words=True),
    REGEXES["qwen2"][0]: Splitter(REGEXES["qwen2"][0], "qwen2", total=True, parts_words=True),
    REGEXES["qwen35"][0]: Splitter(REGEXES["qwen35"][0], "qwen35", total=True, parts_words=True),
    REGEXES["k2_horizon"][0]: Splitter(
        # Its splitter folds case, so the long s makes a contraction too.
        REGEXES["k2_horizon"][0]
        .replace(r"(?:\p{L}|\p{M}|\u200C|\u200D)+", r"[\p{L}\p{M}\u200C\u200D]+")
        .replace("'[sS]", "'[sSſ]"),
        "k2_horizon",
    ),
    REGEXES["kimi_k2"][0]: Splitter(
        r"\p{Han}+"
        rf"|[^\r\n\p{{L}}\p{{N}}]?\p{{LnotHan}}+{CONTRACTION}?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        "kimi_k2",
    ),
    REGEXES["afmoe"][0]: AFMOE,
    REGEXES["tiny_aya"][0]: AFMOE,
    REGEXES["newlines"][0]: Splitter(REGEXES["newlines"][0], "newlines"),
    REGEXES["superbpe"][1]: Splitter(r"[0-9]+|[^0-9]+", regroup=cut_thousands, total=True),
    REGEXES["exaone_moe"][0]: Splitter(
        REGEXES["exaone_moe"][0].replace(
            r"(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+", r"\p{L}[\p{L}\p{M}]*(?: \p{L}[\p{L}\p{M}]*)*"
        ),
        shown=REGEXES["exaone_moe"][0],
    ),
    REGEXES["jais2"][0]: Splitter(
        REGEXES["jais2"][0].split(r"|\s{512}")[0] + r"|\s+(?!\S)|\s",
        regroup=group_whitespace,
        shown=REGEXES["jais2"][0],
    ),
    REGEXES["tekken_num3"][0]: Splitter(
        REGEXES["tekken_num3"][0].replace(
            r"|\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))|\p{N}{1,2}", r"|\p{N}+"
        ),
        regroup=group_numbers,
        shown=REGEXES["tekken_num3"][0],
    ),
    REGEXES["deepseek_llm"][3]: Splitter(r"(?<!\s)\s+\Z", shown=REGEXES["deepseek_llm"][3]),
}
