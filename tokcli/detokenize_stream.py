"""Detokenizing as ids arrive: the same bytes as all at once, each as soon as it is certain."""

from __future__ import annotations

import re

from tokcli.detokenize import clean_spaces
from tokcli.tokenizer import Tokenizer
from tokcli.vocab import TokenId, VocabType

__all__ = ["StreamDetokenizer"]

# What may turn out to be the beginning of something that clean_spaces rewrites. All of that begins
# with a space, and spaces are all that is ever removed, so nothing else can become adjacent.
_UNCERTAIN = re.compile(rb" [ ']*[rv]?\Z")


class StreamDetokenizer:
    """Gives the bytes of ids piece by piece, in whole UTF-8 characters.

    Held back until more ids come or the end does: an incomplete character, a trailing EOS that
    `remove_special` may have to leave out, and spaces that clean_spaces may have to.
    """

    def __init__(
        self, tokenizer: Tokenizer, *, remove_special: bool = False, unparse_special: bool = True
    ) -> None:
        """The settings are those of Tokenizer.detokenize."""
        vocab = tokenizer.vocab
        self._tokenizer = tokenizer
        self._unparse_special = unparse_special
        self._cleans = vocab.flag("clean_spaces")
        self._bos = self._eos = None
        if remove_special and vocab.flag("add_bos"):
            self._bos = vocab.special_id("bos")
        if remove_special and vocab.flag("add_eos"):
            self._eos = vocab.special_id("eos")
        # The rule of Detokenizer.detokenize for the first token.
        self._lstrip = int(
            vocab.flag("add_space_prefix")
            or (vocab.type == VocabType.BPE and vocab.settings["prepend_scheme"].value == "first")
        )
        self._started = False
        self._eos_held = False
        self._raw = b""
        self._ready = b""

    def feed(self, id: TokenId) -> bytes:
        """The bytes that `id` makes certain. Raises TokenIdError for an id outside the
        vocabulary."""
        self._tokenizer.vocab.check_id(id)
        if not self._started:
            self._started = True
            if id == self._bos:
                self._lstrip = 0
                return b""
        if self._eos_held and self._eos is not None:
            self._append(self._eos)
        self._eos_held = id == self._eos
        if not self._eos_held:
            self._append(id)
        return self._take(final=False)

    def finish(self) -> bytes:
        """What was held back, now that no more ids come."""
        return self._take(final=True)

    def _append(self, id: TokenId) -> None:
        self._raw += self._tokenizer.piece(id, special=self._unparse_special, lstrip=self._lstrip)
        self._lstrip = 0

    def _take(self, final: bool) -> bytes:
        if self._cleans:
            uncertain = None if final else _UNCERTAIN.search(self._raw)
            cut = len(self._raw) if uncertain is None else uncertain.start()
            self._ready += clean_spaces(self._raw[:cut])
            self._raw = self._raw[cut:]
        else:
            self._ready += self._raw
            self._raw = b""
        end = len(self._ready) if final else len(self._ready) - _incomplete(self._ready)
        result, self._ready = self._ready[:end], self._ready[end:]
        return result


def _incomplete(text: bytes) -> int:
    """How many bytes at the end begin a UTF-8 character that is not complete yet."""
    for length in range(1, min(3, len(text)) + 1):
        tail = text[-length:]
        if tail[0] & 0xC0 == 0x80:
            continue
        try:
            tail.decode("utf-8")
        except UnicodeDecodeError as error:
            return length if error.reason == "unexpected end of data" else 0
        return 0
    return 0
