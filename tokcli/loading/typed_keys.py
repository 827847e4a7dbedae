"""Keys of a file read as the types that llama.cpp insists on."""

from __future__ import annotations

from tokcli.errors import VocabError
from tokcli.gguf_metadata import ARRAY, STRING, TYPE_NAMES, Metadata
from tokcli.vocab import Note

__all__ = ["TypedKeys"]


class TypedKeys:
    """Typed access to `metadata`, and the notes that loading leaves. A key of another type raises
    VocabError, as llama.cpp refuses to load the file."""

    def __init__(self, metadata: Metadata) -> None:
        self.metadata = metadata
        self.notes: list[Note] = []

    def get(self, key: str, type_: int) -> object:
        """The value of `key`, which must be of GGUF type `type_`, or None where it is absent."""
        entry = self.metadata.get(key)
        if entry is None:
            return None
        if entry.type != type_:
            raise VocabError(
                f"key {key} has type {entry.type_name}, llama.cpp expects {TYPE_NAMES[type_]}; "
                "convert the model again, or override it with that type"
            )
        return entry.value

    def get_text(self, key: str) -> str | None:
        """The value of a string key, up to a NUL as llama.cpp reads it, or None."""
        self.get(key, STRING)
        return self.metadata.text(key)

    def get_array(self, key: str, item_types: tuple[int, ...]) -> object:
        """The items of an array of one of `item_types`, or None."""
        entry = self.metadata.get(key)
        if entry is None:
            return None
        if entry.type != ARRAY or entry.item_type not in item_types:
            wanted = " or ".join(f"arr[{TYPE_NAMES[item]}]" for item in item_types)
            raise VocabError(
                f"key {key} has type {entry.type_name}, llama.cpp expects {wanted}; "
                "convert the model again"
            )
        return entry.value

    def note(self, code: str, message: str) -> None:
        """Leave a note about the vocabulary."""
        self.notes.append(Note(code, message))
