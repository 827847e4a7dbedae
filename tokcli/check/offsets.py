"""Where in a file a key, its value or an item of its array lies."""

from __future__ import annotations

import mmap
import struct

from tokcli.gguf_metadata import ARRAY, SCALAR_CODES, STRING, Metadata
from tokcli.gguf_strings import STRING_ARRAY

__all__ = ["FileOffsets"]

# Magic, version and two counts.
HEADER = 24


class FileOffsets:
    """Byte offsets into the file that `metadata` was read from.

    The reader keeps no offsets, so a key is searched for as it is written: its length, its bytes,
    the number of its type. Offsets are None for keys in `replaced`, which overrides changed.
    """

    def __init__(self, metadata: Metadata, replaced: frozenset[str] = frozenset()) -> None:
        self._metadata = metadata
        self._replaced = replaced
        self._order = ">" if metadata.byte_order == "big" else "<"
        self._keys: dict[str, int | None] = {}

    def key(self, key: str) -> int | None:
        """Where the key-value begins."""
        if key not in self._keys:
            self._keys[key] = self._find(key)
        return self._keys[key]

    def value(self, key: str) -> int | None:
        """Where the value of a scalar key begins."""
        start = self.key(key)
        return None if start is None else start + 8 + len(_raw(key)) + 4

    def item(self, key: str, index: int) -> int | None:
        """Where item `index` of an array begins (a text's length, or a number)."""
        start = self.value(key)
        if start is None:
            return None
        entry = self._metadata[key]
        start += 4 + 8
        if entry.item_type == STRING:
            assert isinstance(entry.value, STRING_ARRAY)
            return start + sum(8 + len(text) for text in entry.value[:index])
        assert entry.item_type is not None
        return start + index * struct.calcsize("=" + SCALAR_CODES[entry.item_type])

    def byte(self, offset: int) -> int:
        """The byte of the file at `offset`."""
        with open(self._metadata.path, "rb") as file:
            file.seek(offset)
            return file.read(1)[0]

    def _find(self, key: str) -> int | None:
        entry = self._metadata.get(key)
        if entry is None or key in self._replaced:
            return None
        raw = _raw(key)
        pattern = struct.pack(self._order + "Q", len(raw)) + raw
        pattern += struct.pack(self._order + "I", ARRAY if entry.item_type else entry.type)
        try:
            with (
                open(self._metadata.path, "rb") as file,
                mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view,
            ):
                found = view.find(pattern, HEADER)
        except (OSError, ValueError):
            # A pipe, or metadata that never was in a file.
            return None
        return None if found < 0 else found


def _raw(key: str) -> bytes:
    return key.encode("utf-8", "surrogateescape")
