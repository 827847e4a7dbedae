"""How UGM normalizes a fragment: NFC, character map, white space (llm_tokenizer_ugm_session)."""

from __future__ import annotations

import re
from bisect import bisect
from functools import cached_property

from tokcli.text.charsmap import CharsMap
from tokcli.text.nfc import normalize_nfc
from tokcli.text.unicode import METASPACE, REPLACEMENT, decode, encode, sequence_length
from tokcli.vocab import TokenType, Vocab

__all__ = ["ESCAPED_BYTE", "Normalizer"]

# What "surrogateescape" makes of a byte that is no UTF-8.
ESCAPED_BYTE = re.compile("[\udc80-\udcff]")

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
        if any(byte in text[1:] for text in self._user_defined):
            return True
        return self._charsmap is not None and self._charsmap.holds_inside(byte)

    def starts_user_defined(self, byte: int) -> bool:
        """Whether a user-defined token starts with `byte`."""
        return byte in self._user_defined_starts

    @property
    def uses_nfc(self) -> bool:
        """Whether normalizer.nfc is on."""
        return self._nfc

    @cached_property
    def _user_defined(self) -> list[bytes]:
        """The texts of user-defined tokens, sorted."""
        vocab = self._vocab
        return sorted(vocab.texts[id] for id in vocab.ids_of_type(TokenType.USER_DEFINED))

    @cached_property
    def _user_defined_starts(self) -> frozenset[int]:
        return frozenset(text[0] for text in self._user_defined if text)

    @cached_property
    def _longest_user_defined(self) -> int:
        return max(map(len, self._user_defined), default=0)

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
        if data[start] in self._user_defined_starts:
            length = self._user_defined_way(data, start)
            return data[start : start + length], length
        if self._charsmap is not None:
            found = self._charsmap.longest_prefix(data, start)
            if found is not None:
                return found[1], found[0]
        length = sequence_length(data, start)
        return (data[start : start + length], length) if length else (REPLACEMENT, 1)

    def _user_defined_way(self, data: bytes, start: int) -> int:
        """How far the text at `start` goes along with a user-defined token. As in the reference,
        which takes the longest way into its trie, no token need end there."""
        texts = self._user_defined
        rest = data[start : start + self._longest_user_defined]
        place = bisect(texts, rest)
        # What has the longest common start with `rest` is next to it in order.
        return max(_common_start(rest, text) for text in texts[max(0, place - 1) : place + 1])


def _common_start(left: bytes, right: bytes) -> int:
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[:middle] == right[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _split_spaces(piece: bytes) -> list[bytes]:
    """`piece` cut into single spaces and what lies between them."""
    if b" " not in piece:
        return [piece] if piece else []
    parts = []
    for part in piece.split(b" "):
        parts += [part, b" "]
    return [part for part in parts[:-1] if part]
