"""The vocabulary of a file: columns of token data, special ids, settings, and their origins."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence, Set
from enum import IntEnum, IntFlag
from functools import cached_property
from itertools import repeat
from typing import Literal, NamedTuple

from tokcli.errors import TokenIdError

__all__ = [
    "Note",
    "Provenance",
    "Setting",
    "SpecialId",
    "TokenAttr",
    "TokenData",
    "TokenId",
    "TokenIds",
    "TokenType",
    "Vocab",
    "VocabType",
    "ranks_of",
]

TokenId = int
# The ids of a piece of text.
TokenIds = tuple[TokenId, ...]


class VocabType(IntEnum):
    """llama.cpp's LLAMA_VOCAB_TYPE_*."""

    NONE = 0
    SPM = 1
    BPE = 2
    WPM = 3
    UGM = 4
    RWKV = 5
    PLAMO2 = 6
    TEST = 7
    PLAMO3 = 8

    @property
    def label(self) -> str:
        """The name as llama.cpp prints it: "SPM", "PLaMo2", "no vocab"."""
        return {0: "no vocab", 6: "PLaMo2", 8: "PLaMo3"}.get(self.value, self.name)


class TokenType(IntEnum):
    """The numbers of `tokenizer.ggml.token_type`."""

    UNDEFINED = 0
    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


class TokenAttr(IntFlag):
    """llama.cpp's LLAMA_TOKEN_ATTR_*: what a token is after the overrides of loading."""

    UNDEFINED = 0
    UNKNOWN = 1 << 0
    UNUSED = 1 << 1
    NORMAL = 1 << 2
    CONTROL = 1 << 3
    USER_DEFINED = 1 << 4
    BYTE = 1 << 5
    NORMALIZED = 1 << 6
    LSTRIP = 1 << 7
    RSTRIP = 1 << 8
    SINGLE_WORD = 1 << 9


# Plain ints: IntFlag arithmetic costs a microsecond, and a vocabulary holds 262,144 tokens.
UNKNOWN, UNUSED, NORMAL, CONTROL, USER_DEFINED, BYTE = 1, 2, 4, 8, 16, 32
LSTRIP, RSTRIP = 128, 256
SPECIAL_ATTRS = CONTROL | USER_DEFINED | UNKNOWN
TYPE_ATTRS: dict[int, int] = {
    TokenType.NORMAL: NORMAL,
    TokenType.UNKNOWN: UNKNOWN,
    TokenType.CONTROL: CONTROL,
    TokenType.USER_DEFINED: USER_DEFINED,
    TokenType.UNUSED: UNUSED,
    TokenType.BYTE: BYTE,
}


class Provenance(NamedTuple):
    """Where a value came from.

    kind: "key" (in the file or an override), "type" (default of the vocabulary type), "pre"
    (implied by the pre-tokenizer), "text" (guessed from a token's text), "forced" (llama.cpp
    overrules the file) or "absent". `detail` is the key, or says more in words.
    """

    kind: Literal["key", "type", "pre", "text", "forced", "absent"]
    detail: str


class SpecialId(NamedTuple):
    """A special token's slot: `id` is None where the vocabulary has none."""

    id: TokenId | None
    source: Provenance


class Setting(NamedTuple):
    """An effective setting of the tokenizer."""

    value: bool | str | tuple[TokenId, ...]
    source: Provenance


class Note(NamedTuple):
    """Something about the vocabulary worth knowing; llama.cpp warns of most when it loads."""

    code: str
    message: str


class TokenData(NamedTuple):
    """One token. `text` is the effective text, `raw_text` the file's, `type` the file's number,
    `attr` the bits after overrides (see TokenAttr)."""

    id: TokenId
    text: bytes
    raw_text: bytes
    score: float
    type: int
    attr: int


class Vocab:
    """A loaded vocabulary; immutable. Built by loading.vocab_loader.

    `texts` and `raw_texts` are columns indexed by id: the effective token texts, and those of the
    file. `token_to_id` goes from raw text to id, as llama.cpp's own table does.
    """

    def __init__(
        self,
        *,
        type: VocabType,
        model: str,
        pre: str,
        raw_texts: list[bytes],
        texts: list[bytes],
        token_to_id: dict[bytes, TokenId],
        types: Sequence[int] | None,
        scores: Sequence[float] | None,
        merges: Sequence[bytes],
        attr_overrides: dict[TokenId, int],
        special: Mapping[str, SpecialId],
        settings: Mapping[str, Setting],
        eog_ids: frozenset[TokenId],
        special_token_ids: list[TokenId],
        charsmap: bytes,
        notes: tuple[Note, ...],
    ) -> None:
        self.type = type
        self.model = model
        self.pre = pre
        self.raw_texts = raw_texts
        self.texts = texts
        self.token_to_id = token_to_id
        self.merges = merges
        self.special = special
        self.settings = settings
        self.eog_ids = eog_ids
        self.special_token_ids = special_token_ids
        self.charsmap = charsmap
        self.notes = notes
        self._types = types
        self._scores = scores
        self._attr_overrides = attr_overrides

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def n_tokens(self) -> int:
        """How many tokens there are; ids run from 0 to one less."""
        return len(self.texts)

    def check_id(self, id: TokenId) -> TokenId:
        """Return `id`, or raise TokenIdError when it lies outside the vocabulary."""
        if not 0 <= id < len(self.texts):
            raise TokenIdError(
                f"token id {id} is outside the vocabulary (ids 0 to {len(self.texts) - 1})"
            )
        return id

    def type_of(self, id: TokenId) -> int:
        """The token's number in `tokenizer.ggml.token_type` (NORMAL when the file has none)."""
        self.check_id(id)
        return TokenType.NORMAL.value if self._types is None else self._types[id]

    def ids_of_type(self, type: TokenType) -> list[TokenId]:
        """The ids with that number in `tokenizer.ggml.token_type`."""
        if self._types is None:
            return list(range(len(self.texts))) if type == TokenType.NORMAL else []
        wanted = type.value
        types = self._types[: len(self.texts)]
        return [id for id, found in enumerate(types) if found == wanted]

    def normal_ids(self, ids: Set[TokenId]) -> list[TokenId]:
        """Those of `ids`, all of the vocabulary, that are NORMAL in the file and have no other
        attributes by overrides."""
        plain = ids - self._attr_overrides.keys()
        types = self._types
        if types is None:
            return list(plain)
        normal = TokenType.NORMAL.value
        return [id for id in plain if types[id] == normal]

    def attr(self, id: TokenId) -> int:
        """The token's TokenAttr bits after the overrides of loading."""
        attr = self._attr_overrides.get(id)
        return self.file_attr(id) if attr is None else attr

    def file_attr(self, id: TokenId) -> int:
        """The TokenAttr bit of the file's type alone: UGM and PLaMo build their tables before
        llama.cpp overrides attributes."""
        self.check_id(id)
        return NORMAL if self._types is None else TYPE_ATTRS.get(self._types[id], 0)

    def file_attrs(self) -> list[int]:
        """file_attr() of every id."""
        if self._types is None:
            return [NORMAL] * len(self.texts)
        return list(map(TYPE_ATTRS.get, self._types[: len(self.texts)], repeat(0)))

    def score(self, id: TokenId) -> float:
        """The token's score, a 32-bit float (0 when the file has none)."""
        self.check_id(id)
        return 0.0 if self._scores is None else float(self._scores[id])

    def token(self, id: TokenId) -> TokenData:
        """Everything about one token. Raises TokenIdError for an id outside the vocabulary."""
        self.check_id(id)
        return TokenData(
            id, self.texts[id], self.raw_texts[id], self.score(id), self.type_of(id), self.attr(id)
        )

    @cached_property
    def scores(self) -> Sequence[float]:
        """The score of each token, as 32-bit floats; a file may have more."""
        n_tokens = len(self.texts)
        if self._scores is None:
            return array("f", bytes(4 * n_tokens))
        if isinstance(self._scores, array) and self._scores.typecode == "f":
            return self._scores if len(self._scores) == n_tokens else self._scores[:n_tokens]
        return array("f", self._scores[:n_tokens])

    @cached_property
    def ranks(self) -> dict[bytes, int]:
        """Merge "left right" -> rank."""
        return ranks_of(self.merges)

    @property
    def has_ranks(self) -> bool:
        """Whether `ranks` has been built."""
        return "ranks" in self.__dict__

    def flag(self, name: str) -> bool:
        """The value of a yes-or-no setting."""
        return bool(self.settings[name].value)

    def special_id(self, slot: str) -> TokenId | None:
        """The id in a special slot ("bos", "eos", "fim_pre", ...), or None."""
        return self.special[slot].id

    def is_eog(self, id: TokenId) -> bool:
        """Whether llama.cpp stops generating at this token."""
        return id in self.eog_ids


def ranks_of(merges: Sequence[bytes]) -> dict[bytes, int]:
    """Merge "left right" -> its place; of a merge that is there twice, the first counts."""
    return dict(zip(reversed(merges), range(len(merges) - 1, -1, -1), strict=True))
