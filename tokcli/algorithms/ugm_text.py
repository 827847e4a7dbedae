"""How UGM normalizes a fragment: NFC, character map, white space (llm_tokenizer_ugm_session)."""

from __future__ import annotations

from functools import cached_property

from tokcli.charsmap import CharsMap
from tokcli.nfc import normalize_nfc
from tokcli.unicode import decode, encode, sequence_length
from tokcli.vocab import TokenType, Vocab

__all__ = ["Normalizer"]

METASPACE = "\u2581".encode()
REPLACEMENT = "\ufffd".encode()

# Stretches of normalized text, each with the span of the fragment that it came from.
Units = list[tuple[bytes, int, int]]


class Normalizer:
    """The normalizer of one vocabulary."""

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab
        self._nfc = vocab.flag("nfc")
        # A trie without a node maps nothing, like a file without a map.
        has_nodes = int.from_bytes(vocab.charsmap[:4], "little") >= 4
        self._charsmap = CharsMap(vocab.charsmap) if has_nodes else None
        self._prepend_space = vocab.flag("add_space_prefix")
        self._merge_spaces = vocab.flag("remove_extra_whitespaces")

    @property
    def charsmap(self) -> CharsMap | None:
        """The character map, if the file has one."""
        return self._charsmap

    @property
    def merges_spaces(self) -> bool:
        """Whether remove_extra_whitespaces is on."""
        return self._merge_spaces

    def reaches_across(self, byte: int) -> bool:
        """Whether an entry of the map or a user-defined token may hold `byte` past its start."""
        if any(byte in prefix[1:] for prefix in self._user_defined_prefixes):
            return True
        return self._charsmap is not None and self._charsmap.holds_inside(byte)

    def starts_user_defined(self, byte: int) -> bool:
        """Whether a user-defined token starts with `byte`."""
        return bytes((byte,)) in self._user_defined_prefixes

    @property
    def uses_nfc(self) -> bool:
        """Whether normalizer.nfc is on."""
        return self._nfc

    @cached_property
    def _user_defined_prefixes(self) -> frozenset[bytes]:
        vocab = self._vocab
        texts = [vocab.texts[id] for id in vocab.ids_of_type(TokenType.USER_DEFINED)]
        return frozenset(text[:end] for text in texts for end in range(1, len(text) + 1))

    def nfc(self, text: bytes) -> bytes:
        """`text` in Unicode 16.0 NFC where normalizer.nfc is on, else as it is."""
        return encode(normalize_nfc(decode(text))) if self._nfc else text

    def normalize(self, data: bytes, units: Units | None = None) -> bytes:
        """Character map and white-space rules; `units`, if given, is filled for tracing."""
        result = bytearray()
        in_word = False
        prepended = False
        offset = 0
        while offset < len(data):
            piece, consumed = self._prefix(data, offset)
            grown = len(result)
            for part in _split_spaces(piece):
                if part == b" ":
                    in_word = False
                    if not self._merge_spaces:
                        result += METASPACE
                    continue
                if not in_word:
                    in_word = True
                    if self._merge_spaces or (self._prepend_space and not prepended):
                        result += METASPACE
                        prepended = True
                result += part
            if units is not None and len(result) > grown:
                units.append((bytes(result[grown:]), offset, offset + consumed))
            offset += consumed
        return bytes(result)

    def _prefix(self, data: bytes, start: int) -> tuple[bytes, int]:
        """What the text at `start` becomes, and how many bytes of it that takes up."""
        prefixes = self._user_defined_prefixes
        end = start + 1
        # The reference takes the longest way into its trie, whether a token ends there or not.
        while end <= len(data) and data[start:end] in prefixes:
            end += 1
        if end > start + 1:
            return data[start : end - 1], end - 1 - start
        if self._charsmap is not None:
            found = self._charsmap.longest_prefix(data, start)
            if found is not None:
                return found[1], found[0]
        length = sequence_length(data, start)
        return (data[start : start + length], length) if length else (REPLACEMENT, 1)


def _split_spaces(piece: bytes) -> list[bytes]:
    """`piece` cut into single spaces and what lies between them."""
    if b" " not in piece:
        return [piece] if piece else []
    parts = []
    for part in piece.split(b" "):
        parts += [part, b" "]
    return [part for part in parts[:-1] if part]
