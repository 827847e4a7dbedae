"""Which pre-tokenizers a byte-level vocabulary can have been trained under.

Merging never crosses the chunks of the pre-tokenizer, so under the right one hardly any token of
the vocabulary is cut. Several names pass, those that cut least always: the ones that cut most come
first. A hint, no proof.
"""

from __future__ import annotations

import difflib

from tokcli.check.subject import Subject
from tokcli.pretokenize import Stage, regex_stages
from tokcli.pretokenizer_table import PRE_TOKENIZERS
from tokcli.text.byte_alphabet import CHAR_TO_BYTE

__all__ = ["fitting_pre_names"]

SAMPLED = 2000
# Fewer tokens than this say nothing.
FEWEST = 500
NAMED = 3
# Cut differently by almost every list of regexes.
PROBE = (
    "It's 12345 o'clock, HELLO wOrld's  café日本語\n\n  x+=1; don’t (e.g. ﬁ\u0301) ١٢٣\t!?...\r\n"
)


def fitting_pre_names(subject: Subject) -> list[str]:
    """Names under which none of a sample of the vocabulary's tokens is cut, the strictest first;
    of names with the same regexes only one."""
    texts = _sample(subject)
    if len(texts) < FEWEST:
        return []
    names: dict[str, list[str]] = {}
    for name, rules in PRE_TOKENIZERS.items():
        if rules.byte_encode and name != "default":
            names.setdefault(rules.regexes, []).append(name)
    fitting = []
    for regexes, sharing in names.items():
        stages = regex_stages(regexes)
        if not any(len(_cut(text, stages)) > 1 for text in texts):
            fitting.append((-len(_cut(PROBE, stages)), _best_known(regexes, sharing)))
    return [name for _, name in sorted(fitting)][:NAMED]


def _best_known(regexes: str, names: list[str]) -> str:
    """Of names that share regexes, the one that these are called after."""
    near = difflib.get_close_matches(regexes, names, n=1)
    return near[0] if near else names[0]


def _sample(subject: Subject) -> list[str]:
    ids = subject.normal_ids
    step = max(1, len(ids) // SAMPLED)
    texts = []
    for id in ids[::step]:
        try:
            chars = subject.texts[id].decode()
            text = bytes(CHAR_TO_BYTE[char] for char in chars).decode()
        except (UnicodeDecodeError, KeyError):
            continue
        if len(text) > 1:
            texts.append(text)
    return texts


def _cut(text: str, stages: list[Stage]) -> list[str]:
    pieces = [text]
    for stage in stages:
        pieces = [part for piece in pieces for part in stage.split(piece)]
    return pieces
