"""Builds a precompiled_charsmap, the table by which SentencePiece normalises text.

The blob: the size of the trie in bytes (u32), the trie as a double array (u32 units), and the
replacements, each ended by a NUL. A unit holds the distance to its children (bits 10-30, shifted
by 8 where bit 9 is set), whether a text ends here (bit 8), and its own byte (bits 0-7). The unit
at a child position of byte 0 holds the offset of the replacement, with bit 31 set.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

HAS_VALUE = 1 << 8
IS_VALUE = 1 << 31
LARGEST_OFFSET = 1 << 21


def precompiled_charsmap(replacements: Mapping[str, str]) -> bytes:
    """The blob for `replacements`, from the text that is replaced to what stands for it."""
    pool = bytearray()
    offsets: dict[bytes, int] = {}
    for text in sorted(replacements, key=str.encode):
        offsets[text.encode()] = len(pool)
        pool += replacements[text].encode() + b"\0"
    units: dict[int, int] = {0: 0}
    _place_children(units, {0}, 0, b"", offsets)
    # A byte moves the walk within its block of 256 units, so the last block has to be whole.
    n_units = (max(units) // 256 + 1) * 256
    array = [units.get(index, 0) for index in range(n_units)]
    trie = struct.pack(f"<{len(array)}I", *array)
    return struct.pack("<I", len(trie)) + trie + bytes(pool)


def _place_children(
    units: dict[int, int], bases: set[int], node: int, prefix: bytes, offsets: Mapping[bytes, int]
) -> None:
    """Find room for the children of `node`, whose text is `prefix`, and go on below them."""
    labels = {text[len(prefix)] for text in offsets if text.startswith(prefix) and text != prefix}
    if prefix in offsets:
        labels.add(0)
    base = 1
    while base in bases or any(base ^ label in units for label in labels):
        base += 1
    distance = node ^ base
    if distance >= LARGEST_OFFSET:
        raise ValueError("too many replacements for this simple builder")
    bases.add(base)
    units[node] |= distance << 10
    for label in labels:
        units[base ^ label] = label
    if prefix in offsets:
        units[node] |= HAS_VALUE
        units[base] = IS_VALUE | offsets[prefix]
    for label in sorted(labels - {0}):
        _place_children(units, bases, base ^ label, prefix + bytes([label]), offsets)
