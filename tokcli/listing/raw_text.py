"""Token text as the vocabulary writes it ("Ġare", "▁are") and as plain text (" are")."""

from __future__ import annotations

from tokcli.text.byte_alphabet import BYTE_TO_UTF8, CHAR_TO_BYTE
from tokcli.text.unicode import METASPACE
from tokcli.vocab import Vocab, VocabType

__all__ = ["raw_forms", "to_plain", "to_raw"]

# The characters that stand for the bytes which GPT-2's alphabet moved out of the way.
FIRST_MOVED, LAST_MOVED = 0x100, 0x143


def to_raw(vocab: Vocab, text: bytes) -> bytes:
    """Plain text as the vocabulary writes it: in the byte alphabet, or with U+2581 for spaces."""
    if _byte_level(vocab):
        return b"".join(BYTE_TO_UTF8[byte] for byte in text)
    return text.replace(b" ", METASPACE) if vocab.flag("escape_whitespaces") else text


def to_plain(vocab: Vocab, raw: bytes) -> bytes:
    """The plain text of raw text; raw text that is not in the byte alphabet stands for itself."""
    if not _byte_level(vocab):
        return raw.replace(METASPACE, b" ") if vocab.flag("escape_whitespaces") else raw
    try:
        return bytes(CHAR_TO_BYTE[char] for char in raw.decode())
    except (UnicodeDecodeError, KeyError):
        return raw


def raw_forms(vocab: Vocab, text: bytes) -> list[bytes]:
    """The raw texts that `text` may mean, the likelier first: plain text, or already raw.

    The byte alphabet borrows Latin letters, so "é" may be the letter or a byte. It is the letter,
    unless a character is one for a moved byte ("Ġ", "Ċ"), which nobody types by chance.
    """
    plain = to_raw(vocab, text)
    if plain == text:
        return [text]
    chars = text.decode("utf-8", "replace")
    moved = any(FIRST_MOVED <= ord(char) <= LAST_MOVED for char in chars)
    return [text, plain] if moved else [plain, text]


def _byte_level(vocab: Vocab) -> bool:
    return vocab.type == VocabType.BPE and vocab.flag("byte_encode")
