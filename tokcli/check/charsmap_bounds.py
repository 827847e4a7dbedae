"""Does a precompiled character map stay inside itself? Format: see tokcli.text.charsmap."""

from __future__ import annotations

from array import array

from tokcli.text.charsmap import HEADER, VALUE, children, trie_and_replacements

__all__ = ["charsmap_faults"]

VALUE_NODE = VALUE + 1


def charsmap_faults(blob: bytes) -> str | None:
    """What is wrong with the map, as the end of a sentence, or None.

    Every node is looked at, those too that no text reaches.
    """
    if len(blob) < HEADER:
        return f"is {len(blob)} bytes long, too short for its own header: llama.cpp refuses it"
    size = int.from_bytes(blob[:HEADER], "little")
    if size + HEADER >= len(blob):
        return (
            f"claims a trie of {size} bytes in a map of {len(blob)}: it is cut short, and "
            "llama.cpp refuses it"
        )
    nodes, replacements = trie_and_replacements(blob)
    if not nodes:
        return "has no trie, so it maps nothing: it is damaged"
    outside = sum(_leads_outside(nodes, place) for place in range(len(nodes)))
    if outside:
        return (
            f"has {outside} nodes that lead outside its trie of {len(nodes)}: llama.cpp ends its "
            "process on text that needs them"
        )
    last = replacements.rfind(b"\0")
    lost = sum(_value(nodes, place) > last for place in range(len(nodes)))
    if lost:
        return (
            f"has {lost} entries whose replacement lies outside its {len(replacements)} bytes of "
            "replacements: llama.cpp ends its process on text that needs them"
        )
    return None


def _leads_outside(nodes: array[int], place: int) -> bool:
    packed = nodes[place]
    if packed & VALUE_NODE:
        return False
    return packed != 0 and (place ^ children(packed)) | 0xFF >= len(nodes)


def _value(nodes: array[int], place: int) -> int:
    """Where the replacement of the entry that ends at `place` begins; -1 where none ends."""
    packed = nodes[place]
    if packed & VALUE_NODE or not packed >> 8 & 1:
        return -1
    return nodes[place ^ children(packed)] & VALUE
