"""Between which characters byte-level BPE can merge, for cutting long words of other scripts.

A merge that crosses the place between two characters joins a symbol that ends there with one that
starts there. If no merge's left side ends as the first character does (in all of its bytes, or
consisting of its last bytes alone) while its right side starts as the second does, then nothing
ever merges across that place, and the text on either side can be merged by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from tokcli.merging.memo import Memo
from tokcli.text.byte_alphabet import BYTE_TO_CHAR, CHAR_TO_BYTE
from tokcli.text.unicode import encode

__all__ = ["CharacterJoints"]

CONTINUATIONS = frozenset(BYTE_TO_CHAR[0x80:0xC0])
LEADS = frozenset(BYTE_TO_CHAR[0xC0:])


class CharacterJoints:
    """Cuts text where the merges of a byte-level vocabulary, "left right" each, never join two
    neighbours. Only places between two non-ASCII characters are looked at."""

    def __init__(self, merges: Sequence[bytes]) -> None:
        self._merges = merges
        self._meet = Memo(self._may_meet)
        self._parts = Memo(_parts)

    def split(self, text: str) -> list[str]:
        """The pieces of `text` that merge by themselves; together they are `text`."""
        meet = self._meet
        pieces = []
        start = 0
        for end in range(1, len(text)):
            if not meet[text[end - 1 : end + 1]]:
                pieces.append(text[start:end])
                start = end
        pieces.append(text[start:])
        return pieces

    def _may_meet(self, pair: str) -> bool:
        first, second = pair[0], pair[1]
        if first.isascii() or second.isascii():
            return True
        joints = self._joints
        last_parts, _ = self._parts[first]
        _, first_parts = self._parts[second]
        return any(not first_parts.isdisjoint(joints.get(part, ())) for part in last_parts)

    @cached_property
    def _joints(self) -> dict[str, set[str]]:
        """How the sides of merges meet: the last character of left sides, in the byte alphabet, or
        what there is of it, and with each the first characters of right sides."""
        joints: dict[str, set[str]] = {}
        for merge in self._merges:
            left, _, right = merge.decode("utf-8", "replace").partition(" ")
            if left[-1:] in CONTINUATIONS and right[:1] in LEADS:
                joints.setdefault(_last_character(left), set()).add(_first_character(right))
        return joints


def _parts(char: str) -> tuple[frozenset[str], frozenset[str]]:
    """What a symbol may hold of a character that it ends with, and of one that it starts with."""
    mapped = "".join(map(BYTE_TO_CHAR.__getitem__, encode(char)))
    size = len(mapped)
    return (
        frozenset(mapped[start:] for start in range(size)),
        frozenset(mapped[:end] for end in range(1, size + 1)),
    )


def _last_character(mapped: str) -> str:
    for start in range(len(mapped) - 1, max(-1, len(mapped) - 5), -1):
        if mapped[start] in LEADS:
            return mapped[start:]
    return mapped


def _first_character(mapped: str) -> str:
    lead = CHAR_TO_BYTE[mapped[0]]
    return mapped[: 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4]
