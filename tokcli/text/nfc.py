"""Unicode normalization form C, always that of Unicode 16.0.

llama.cpp's `tokenizer.ggml.normalizer.nfc` is Unicode 16.0 whatever it runs on, while
`unicodedata.normalize` follows the interpreter's version. The rules are those of UAX #15.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

__all__ = ["normalize_nfc"]

# Hangul syllables are composed by arithmetic (The Unicode Standard, section 3.12).
_SYLLABLE_BASE, _LEAD_BASE, _VOWEL_BASE, _TRAIL_BASE = 0xAC00, 0x1100, 0x1161, 0x11A7
_LEAD_COUNT, _VOWEL_COUNT, _TRAIL_COUNT = 19, 21, 28
_SYLLABLE_COUNT = _LEAD_COUNT * _VOWEL_COUNT * _TRAIL_COUNT


class _Tables(NamedTuple):
    decompositions: dict[int, tuple[int, ...]]  # complete, but not reordered across characters
    compositions: dict[tuple[int, int], int]
    combining_classes: dict[int, int]  # only those that are not 0
    unstable: frozenset[str]  # characters that may change, or be absorbed by one before them


def normalize_nfc(text: str) -> str:
    """The NFC form of `text`; unassigned code points and lone surrogates stay as they are.

    >>> normalize_nfc("e\\u0301") == "\\u00e9"
    True
    """
    if text.isascii():
        return text
    tables = _tables()
    parts: list[str] = []
    copied = 0
    for start, end in _unstable_segments(text, tables.unstable):
        parts += text[copied:start], _normalize_segment(text[start:end], tables)
        copied = end
    return "".join(parts) + text[copied:]


def _unstable_segments(text: str, unstable: frozenset[str]) -> Iterator[tuple[int, int]]:
    """The (start, end) of each run of unstable characters with the stable one before it."""
    start = -1
    for index, character in enumerate(text):
        if character in unstable:
            if start < 0:
                start = max(index - 1, 0)
        elif start >= 0:
            yield start, index
            start = -1
    if start >= 0:
        yield start, len(text)


def _normalize_segment(segment: str, tables: _Tables) -> str:
    decomposed: list[int] = []
    for character in segment:
        decomposed.extend(_decompose(ord(character), tables))
    return "".join(map(chr, _compose(_reorder(decomposed, tables), tables)))


def _decompose(code_point: int, tables: _Tables) -> tuple[int, ...]:
    offset = code_point - _SYLLABLE_BASE
    if not 0 <= offset < _SYLLABLE_COUNT:
        return tables.decompositions.get(code_point, (code_point,))
    vowels, trail = divmod(offset, _TRAIL_COUNT)
    lead, vowel = divmod(vowels, _VOWEL_COUNT)
    jamo = (_LEAD_BASE + lead, _VOWEL_BASE + vowel)
    return (*jamo, _TRAIL_BASE + trail) if trail else jamo


def _reorder(code_points: list[int], tables: _Tables) -> list[int]:
    """Sort each run of combining marks by combining class, keeping the order within a class."""
    classes = tables.combining_classes
    result: list[int] = []
    marks: list[int] = []
    for code_point in code_points:
        if code_point in classes:
            marks.append(code_point)
            continue
        result += sorted(marks, key=classes.__getitem__)
        marks.clear()
        result.append(code_point)
    return result + sorted(marks, key=classes.__getitem__)


def _compose(code_points: list[int], tables: _Tables) -> list[int]:
    result: list[int] = []
    starter = -1  # index in `result` of the last code point of class 0
    previous_class = 0  # class of the last code point in `result` after that starter
    for code_point in code_points:
        combining_class = tables.combining_classes.get(code_point, 0)
        adjacent = starter == len(result) - 1
        if starter >= 0 and (adjacent or previous_class < combining_class):
            composed = _compose_pair(result[starter], code_point, tables)
            if composed is not None:
                result[starter] = composed
                continue
        if combining_class == 0:
            starter = len(result)
        previous_class = combining_class
        result.append(code_point)
    return result


def _compose_pair(left: int, right: int, tables: _Tables) -> int | None:
    lead, vowel = left - _LEAD_BASE, right - _VOWEL_BASE
    if 0 <= lead < _LEAD_COUNT and 0 <= vowel < _VOWEL_COUNT:
        return _SYLLABLE_BASE + (lead * _VOWEL_COUNT + vowel) * _TRAIL_COUNT
    syllable, trail = left - _SYLLABLE_BASE, right - _TRAIL_BASE
    without_trail = 0 <= syllable < _SYLLABLE_COUNT and syllable % _TRAIL_COUNT == 0
    if without_trail and 0 < trail < _TRAIL_COUNT:
        return left + trail
    return tables.compositions.get((left, right))


@cache
def _tables() -> _Tables:
    from tokcli.text.nfc_table import COMBINING_CLASSES, EXCLUSIONS, PAIRS, SINGLETONS

    ranges = zip(
        COMBINING_CLASSES[::3], COMBINING_CLASSES[1::3], COMBINING_CLASSES[2::3], strict=True
    )
    classes = {code: value for first, last, value in ranges for code in range(first, last + 1)}

    one_step: dict[int, tuple[int, ...]] = {
        code: (target,) for code, target in zip(SINGLETONS[::2], SINGLETONS[1::2], strict=True)
    }
    compositions: dict[tuple[int, int], int] = {}
    excluded = set(EXCLUSIONS)
    for composed, left, right in zip(PAIRS[::3], PAIRS[1::3], PAIRS[2::3], strict=True):
        one_step[composed] = (left, right)
        if composed not in excluded:
            compositions[left, right] = composed

    def expand(code_point: int) -> tuple[int, ...]:
        parts = one_step.get(code_point, ())
        return tuple(code for part in parts for code in expand(part)) or (code_point,)

    decompositions = {code_point: expand(code_point) for code_point in one_step}

    # A stable character has class 0, is its own NFC form, and nothing before it can absorb it or
    # the start of its decomposition. So it begins a segment that does not depend on what went
    # before, and text without unstable characters is already normalized.
    unstable = set(classes) | set(SINGLETONS[::2]) | excluded
    unstable |= {right for _, right in compositions}
    unstable |= set(range(_VOWEL_BASE, _VOWEL_BASE + _VOWEL_COUNT))
    unstable |= set(range(_TRAIL_BASE + 1, _TRAIL_BASE + _TRAIL_COUNT))
    unstable |= {code for code, parts in decompositions.items() if parts[0] in unstable}
    return _Tables(decompositions, compositions, classes, frozenset(map(chr, unstable)))
