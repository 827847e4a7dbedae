"""Tokens back to bytes (llama_vocab::impl::token_to_piece and detokenize in llama.cpp)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from operator import index

from tokcli.picking import picked
from tokcli.text.byte_alphabet import CHAR_TO_BYTE, read_from_alphabet
from tokcli.text.rwkv_escapes import unescape
from tokcli.text.unicode import METASPACE, NO_UTF8, decode, encode
from tokcli.vocab import BYTE, CONTROL, NORMAL, UNKNOWN, USER_DEFINED, TokenId, Vocab, VocabType

__all__ = ["Detokenizer"]

BATCH = 1 << 10


class Detokenizer:
    """The way back from ids to bytes for one vocabulary."""

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab
        # Of the ids that came up so far; the plain ones are without the text of control and unknown
        # tokens.
        self._pieces: dict[TokenId, bytes] = {}
        self._plain_pieces: dict[TokenId, bytes] = {}
        self._normal_pieces = self._normal_rule()

    def piece(self, id: TokenId, *, special: bool = True, lstrip: int = 0) -> bytes:
        """The bytes of one token. Control and unknown tokens give nothing unless `special`; up to
        `lstrip` leading spaces are left out.

        Raises TokenIdError for an id outside the vocabulary.
        """
        piece = self._pieces.get(id)
        if piece is None:
            piece = self._pieces[self._vocab.check_id(id)] = self._render(id)
        if not special and self._vocab.attr(id) & (CONTROL | UNKNOWN):
            return b""
        while lstrip > 0 and piece.startswith(b" "):
            piece = piece[1:]
            lstrip -= 1
        return piece

    def detokenize(
        self, ids: Iterable[TokenId], *, remove_special: bool, unparse_special: bool
    ) -> bytes:
        """The bytes of a run of tokens.

        `remove_special` leaves out a leading BOS and a trailing EOS where the vocabulary adds them;
        `unparse_special` lets control and unknown tokens give their text.

        Raises TokenIdError for an id outside the vocabulary, TypeError for what is no integer.
        """
        vocab = self._vocab
        if not isinstance(ids, list):
            ids = list(ids)
        strip_space = vocab.flag("add_space_prefix") or (
            vocab.type == VocabType.BPE and vocab.settings["prepend_scheme"].value == "first"
        )
        if remove_special:
            if vocab.flag("add_bos") and ids[:1] == [vocab.special_id("bos")]:
                strip_space = False
                ids = ids[1:]
            if vocab.flag("add_eos") and ids[-1:] == [vocab.special_id("eos")]:
                ids = ids[:-1]
        if not ids:
            return b""
        text = self._pieces_joined(ids, unparse_special)
        if strip_space and self.piece(ids[0], special=unparse_special).startswith(b" "):
            text = text[1:]
        return clean_spaces(text) if vocab.flag("clean_spaces") else text

    def _pieces_joined(self, ids: list[TokenId], special: bool) -> bytes:
        known = self._pieces if special else self._plain_pieces
        try:
            return _joined(ids, known)
        except KeyError:
            self._learn(ids, known, special)
        return _joined(ids, known)

    def _learn(self, ids: list[TokenId], known: dict[TokenId, bytes], special: bool) -> None:
        """Have the piece of each of `ids` in `known`."""
        vocab = self._vocab
        unknown = set(map(index, set(ids).difference(known)))
        # There may be none by now, where another thread learns too.
        if min(unknown, default=0) < 0 or max(unknown, default=0) >= len(vocab):
            # The error is to name the first of these, not any.
            for id in ids:
                vocab.check_id(id)
        pieces_of = self._normal_pieces
        if pieces_of is not None and (normal := vocab.normal_ids(unknown)):
            texts = list(map(vocab.texts.__getitem__, normal))
            known.update(zip(normal, pieces_of(texts), strict=True))
            unknown.difference_update(normal)
        for id in unknown:
            known[id] = self.piece(id, special=special)

    def _render(self, id: TokenId) -> bytes:
        vocab = self._vocab
        attr = vocab.attr(id)
        text = vocab.texts[id]
        if vocab.type == VocabType.TEST:
            return b"%x" % id
        if vocab.type == VocabType.RWKV:
            return unescape(text)
        if vocab.type in (VocabType.PLAMO2, VocabType.PLAMO3):
            return _plamo_byte(text) if attr & BYTE else text
        if attr & (CONTROL | UNKNOWN | USER_DEFINED):
            return text
        if attr & NORMAL:
            return text if self._normal_pieces is None else self._normal_pieces([text])[0]
        if attr & BYTE:
            return bytes((_hex(text[3:5]),))
        return b""

    def _normal_rule(self) -> Callable[[list[bytes]], list[bytes]] | None:
        """What makes pieces of the texts of normal tokens; None where these are not all alike, or
        are the pieces."""
        vocab = self._vocab
        if vocab.type in (VocabType.TEST, VocabType.RWKV, VocabType.PLAMO2, VocabType.PLAMO3):
            return None
        if vocab.type != VocabType.BPE or vocab.flag("escape_whitespaces"):
            return _with_spaces
        return None if vocab.pre == "soprano" else _from_byte_alphabet


def _joined(ids: list[TokenId], pieces: dict[TokenId, bytes]) -> bytes:
    """The pieces of `ids`, a batch at a time, which stays within the processor's caches."""
    starts = range(0, len(ids), BATCH)
    return b"".join([b"".join(picked(pieces, ids[start : start + BATCH])) for start in starts])


def _with_spaces(texts: list[bytes]) -> list[bytes]:
    pieces = NO_UTF8.join(texts).replace(METASPACE, b" ").split(NO_UTF8)
    if len(pieces) == len(texts):
        return pieces
    return [text.replace(METASPACE, b" ") for text in texts]


def _plamo_byte(text: bytes) -> bytes:
    if len(text) == 6 and text.startswith(b"<0x") and text.endswith(b">"):
        try:
            return bytes.fromhex(text[3:5].decode("ascii"))
        except ValueError:
            pass
    return text


def _hex(digits: bytes) -> int:
    """C's strtol to base 16 of at most two bytes, modulo 256: white space and a sign may lead,
    what is no digit ends the number."""
    digits = digits.lstrip(b" \t\n\v\f\r")
    if digits[:1] in (b"+", b"-"):
        return (-1 if digits[:1] == b"-" else 1) * _hex_digits(digits[1:]) & 0xFF
    return _hex_digits(digits)


def _hex_digits(digits: bytes) -> int:
    value = 0
    for byte in digits:
        digit = b"0123456789abcdef".find(bytes((byte,)).lower())
        if digit < 0:
            break
        value = value << 4 | digit
    return value


def _from_byte_alphabet(texts: list[bytes]) -> list[bytes]:
    try:
        return read_from_alphabet(texts)
    except UnicodeError:
        if len(texts) == 1:
            return [_with_unknown_bytes(texts[0])]
        return [_from_byte_alphabet([text])[0] for text in texts]


def _with_unknown_bytes(text: bytes) -> bytes:
    result = bytearray()
    for char in decode(text):
        byte = CHAR_TO_BYTE.get(char)
        if byte is None:
            # The reference repeats the whole token for each character outside the alphabet.
            result += b"[UNK_BYTE_0x" + encode(char).hex().encode() + text + b"]"
        else:
            result.append(byte)
    return bytes(result)


def clean_spaces(text: bytes) -> bytes:
    """Leave out spaces as llama.cpp's three passes do: before ?!., then around a lone apostrophe,
    then before 's 'm 're 've."""
    text = _BEFORE_PUNCTUATION.sub(b"", text)
    text = text.replace(b" ' ", b"'")
    return _BEFORE_CONTRACTION.sub(rb"'\1", text)


_BEFORE_PUNCTUATION = re.compile(rb" (?=[?!.,])")
_BEFORE_CONTRACTION = re.compile(rb" '([sm]|re|ve)")
