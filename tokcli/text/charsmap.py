"""The precompiled character map of SentencePiece: longest prefix -> replacement.

A 32-bit length, then an XOR-compressed double-array trie of 32-bit nodes, then the replacements,
each ended by a NUL. A node packs its BASE (bits 10-30, scaled by 256 when bit 9 is set), LEAF (bit
8) and the label that leads to it (bits 0-7); the node behind a leaf holds the replacement's place.
Source: sentencepiece's normalizer; llm_tokenizer_ugm_session in llama.cpp.
"""

from __future__ import annotations

import sys
from array import array

from tokcli.errors import TokenizeError

__all__ = ["HEADER", "VALUE", "CharsMap", "children", "trie_and_replacements"]

HEADER = 4  # bytes
VALUE = (1 << 31) - 1
LABEL = 1 << 31 | 0xFF


class CharsMap:
    """A character map. A map that points outside itself raises TokenizeError when that part of it
    is needed; llama.cpp ends its process there. So does one that leads round in a circle, with
    which llama.cpp reads on to the end of the text for every character."""

    def __init__(self, blob: bytes) -> None:
        self._nodes, self._replacements = trie_and_replacements(blob)

    def longest_prefix(self, data: bytes, start: int) -> tuple[int, bytes] | None:
        """How many bytes of `data` from `start` the longest match takes, and what replaces them."""
        nodes = self._nodes
        length = value = 0
        passed = set()
        try:
            node = children(nodes[0])
            for offset in range(start, len(data)):
                byte = data[offset]
                if byte == 0:
                    break
                node ^= byte
                packed = nodes[node]
                if packed & LABEL != byte:
                    break
                if node in passed:
                    raise TokenizeError(
                        "tokenizer.ggml.precompiled_charsmap has a trie that leads back to itself; "
                        "it is damaged, convert the model again"
                    )
                passed.add(node)
                node ^= children(packed)
                if packed >> 8 & 1:
                    length = offset - start + 1
                    value = nodes[node] & VALUE
        except IndexError:
            raise TokenizeError(
                "tokenizer.ggml.precompiled_charsmap points outside its own trie; it is damaged, "
                "convert the model again"
            ) from None
        if not length:
            return None
        end = self._replacements.find(b"\0", value)
        if value >= len(self._replacements) or end < 0:
            raise TokenizeError(
                "tokenizer.ggml.precompiled_charsmap points outside its own replacements; it is "
                "damaged, convert the model again"
            )
        return length, self._replacements[value:end]

    def starts_entry(self, data: bytes) -> bool:
        """Whether some entry starts with `data`."""
        try:
            return self._below(data) is not None
        except IndexError:
            # longest_prefix says what is wrong, where that part of the map is needed.
            return True

    def next_bytes(self, data: bytes) -> frozenset[int]:
        """The bytes with which entries that start with `data` go on."""
        nodes = self._nodes
        try:
            below = self._below(data)
            if below is None:
                return frozenset()
            return frozenset(byte for byte in range(1, 256) if nodes[below ^ byte] & LABEL == byte)
        except IndexError:
            return frozenset(range(1, 256))

    def _below(self, data: bytes) -> int | None:
        """Where what comes after `data` starts from in the trie, if anything is there."""
        nodes = self._nodes
        node = children(nodes[0])
        for byte in data:
            node ^= byte
            packed = nodes[node]
            if byte == 0 or packed & LABEL != byte:
                return None
            node ^= children(packed)
        return node

    def goes_on(self, data: bytes) -> bool:
        """Whether some entry starts with `data` and is longer."""
        return bool(self.next_bytes(data))

    def holds_inside(self, byte: int) -> bool:
        """Whether an entry may hold `byte` past its start."""
        at_start = children(self._nodes[0]) ^ byte
        return any(
            packed & LABEL == byte and place != at_start for place, packed in enumerate(self._nodes)
        )


def trie_and_replacements(blob: bytes) -> tuple[array[int], bytes]:
    """The nodes of the trie, and the bytes after it."""
    size = int.from_bytes(blob[:HEADER], "little")
    nodes = array("I", blob[HEADER : HEADER + size // 4 * 4])
    if sys.byteorder == "big":
        nodes.byteswap()
    return nodes, blob[HEADER + size :]


def children(packed: int) -> int:
    """The BASE of a node: what its place, XORed with this and a label, leads to."""
    return packed >> 10 << ((packed & 1 << 9) >> 6)
