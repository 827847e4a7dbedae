"""The file under examination: its raw key-values, and the vocabulary where it loads."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from tokcli.check.finding import Evidence
from tokcli.check.offsets import FileOffsets
from tokcli.errors import VocabError
from tokcli.gguf_metadata import Metadata
from tokcli.gguf_strings import STRING_ARRAY
from tokcli.listing.merge_rows import split_merge
from tokcli.loading.model_rules import MODELS, ModelRules
from tokcli.pretokenizer_table import PRE_TOKENIZERS, PreTokenizerRules
from tokcli.text.byte_escapes import escape
from tokcli.vocab import TokenId, TokenType, Vocab, VocabType

if TYPE_CHECKING:
    from tokcli.chat.messages import Conversation
    from tokcli.check.judged import Judgement
    from tokcli.tokenizer import Tokenizer

__all__ = [
    "MERGES", "MODEL", "PRE", "SCORES", "TOKENS", "TYPES",
    "Subject", "counted", "listed", "quoted",
]  # fmt: skip

MODEL = "tokenizer.ggml.model"
PRE = "tokenizer.ggml.pre"
TOKENS = "tokenizer.ggml.tokens"
TYPES = "tokenizer.ggml.token_type"
SCORES = "tokenizer.ggml.scores"
MERGES = "tokenizer.ggml.merges"

# How many of many offenders a finding names.
NAMED = 5


class Subject:
    """What the rules look at. Columns of another type than llama.cpp expects are empty here: that
    is a finding of its own.

    replaced: the keys of `metadata` that overrides changed. conversation: what to judge the chat
    templates on, None for small ones of our own.
    """

    def __init__(
        self,
        metadata: Metadata,
        *,
        replaced: frozenset[str] = frozenset(),
        conversation: Conversation | None = None,
    ) -> None:
        self.metadata = metadata
        self.conversation = conversation
        self.offsets = FileOffsets(metadata, replaced)

    @cached_property
    def _loaded(self) -> Tokenizer | VocabError:
        from tokcli.tokenizer import Tokenizer

        try:
            return Tokenizer(self.metadata)
        except VocabError as error:
            return error

    @property
    def tokenizer(self) -> Tokenizer | None:
        """The tokenizer, or None where llama.cpp does not load the file."""
        return None if isinstance(self._loaded, VocabError) else self._loaded

    @property
    def vocab(self) -> Vocab | None:
        """The vocabulary, or None where llama.cpp does not load the file."""
        return None if isinstance(self._loaded, VocabError) else self._loaded.vocab

    @property
    def load_error(self) -> VocabError | None:
        """Why llama.cpp does not load the file."""
        return self._loaded if isinstance(self._loaded, VocabError) else None

    def text(self, key: str) -> str | None:
        """The value of a string key up to a NUL, as llama.cpp reads it."""
        return self.metadata.text(key)

    @property
    def later_shard(self) -> int | None:
        """Which shard of a split model this is, from 2; None for the first, and for whole models.

        llama.cpp reads nothing from the others but tensors and split.no.
        """
        entry = self.metadata.get("split.no")
        if entry is None or not isinstance(entry.value, int) or entry.value < 1:
            return None
        return entry.value + 1

    @cached_property
    def rules(self) -> ModelRules | None:
        """What the model name implies, None where it is missing or unknown."""
        return MODELS.get(self.text(MODEL) or "")

    @property
    def type(self) -> VocabType | None:
        """The vocabulary type that the model name implies."""
        return None if self.rules is None else self.rules.type

    @cached_property
    def pre_rules(self) -> PreTokenizerRules | None:
        """The rules of the pre-tokenizer in use (of 'default' where its name is unknown); None
        where none is."""
        if self.type != VocabType.BPE:
            return None
        if self.text(MODEL) == "gemma4":
            return PRE_TOKENIZERS["gemma4"]
        return PRE_TOKENIZERS.get(self.text(PRE) or "", PRE_TOKENIZERS["default"])

    @cached_property
    def raw_texts(self) -> list[bytes]:
        """The token texts of the file."""
        entry = self.metadata.get(TOKENS)
        value = None if entry is None else entry.value
        return value if isinstance(value, list) else []

    @cached_property
    def texts(self) -> list[bytes]:
        """The token texts that llama.cpp looks up: cut at a NUL, and named where they are empty."""
        texts = self.raw_texts
        if b"\0" in b"".join(texts):
            texts = [text.partition(b"\0")[0] for text in texts]
        if b"" in texts:
            texts = [text or b"[EMPTY_%d]" % id for id, text in enumerate(texts)]
        return texts

    @cached_property
    def token_to_id(self) -> dict[bytes, TokenId]:
        """From text to id; of several with one text, the last."""
        return dict(zip(self.texts, range(len(self.texts)), strict=True))

    @cached_property
    def types(self) -> Sequence[int] | None:
        """The type number of each token; None where the file has none, or too few."""
        return self._numbers(TYPES)

    @cached_property
    def scores(self) -> Sequence[float] | None:
        """The score of each token; None where the file has none, or too few."""
        return self._numbers(SCORES)

    def _numbers(self, key: str) -> array[int] | None:
        entry = self.metadata.get(key)
        value = None if entry is None else entry.value
        if not isinstance(value, array) or len(value) < len(self.raw_texts):
            return None
        return value[: len(self.raw_texts)]

    def type_of(self, id: TokenId) -> int:
        """The token's type number."""
        return TokenType.NORMAL.value if self.types is None else self.types[id]

    @cached_property
    def normal_ids(self) -> list[TokenId]:
        """The tokens that are ordinary text, after llama.cpp's overrides."""
        special = self.special_ids
        if not special:
            return self.typed_normal_ids
        return [id for id in self.typed_normal_ids if id not in special]

    @cached_property
    def typed_normal_ids(self) -> list[TokenId]:
        """The tokens whose type in the file is normal; all where it has no types."""
        types = self.types
        if types is None:
            return list(range(len(self.texts)))
        normal = TokenType.NORMAL.value
        return [id for id, type_ in enumerate(types) if type_ == normal]

    @cached_property
    def special_ids(self) -> frozenset[TokenId]:
        """The tokens that are cut out of text before tokenizing; none where nothing loads."""
        vocab = self.vocab
        return frozenset() if vocab is None else frozenset(vocab.special_token_ids)

    @cached_property
    def merges(self) -> Sequence[bytes]:
        """The merges of a BPE vocabulary, raw."""
        if self.type != VocabType.BPE:
            return []
        entry = self.metadata.get(MERGES)
        value = None if entry is None else entry.value
        return value if isinstance(value, STRING_ARRAY) else []

    @cached_property
    def chat(self) -> Judgement:
        """What the chat templates make of conversations; nothing where the file does not load."""
        from tokcli.check.judged import Judgement, judge_templates

        if self.tokenizer is None:
            return Judgement()
        return judge_templates(self.tokenizer, self.conversation)

    @cached_property
    def merge_pairs(self) -> list[tuple[bytes, bytes] | None]:
        """The two sides of each merge as llama.cpp reads them, cut at the first space past the
        first byte; None where it finds no two."""
        return [_sides(merge) for merge in self.merges]

    @cached_property
    def made_by_merges(self) -> frozenset[bytes]:
        """The texts that merges make."""
        return frozenset(pair[0] + pair[1] for pair in self.merge_pairs if pair is not None)

    @cached_property
    def long_normal_ids(self) -> list[TokenId]:
        """The tokens of type normal that are longer than one character."""
        texts = self.texts
        return [id for id in self.normal_ids if _is_long(texts[id])]

    def at_key(self, key: str) -> Evidence:
        """Evidence: a key, with its value where that is text."""
        entry = self.metadata.get(key)
        text = entry.value if entry is not None and isinstance(entry.value, bytes) else None
        return Evidence(key, None, self.offsets.key(key), text)

    def at_item(self, key: str, index: int) -> Evidence:
        """Evidence: an item of an array, with its text where it is one."""
        entry = self.metadata[key]
        value = entry.value
        text = value[index] if isinstance(value, STRING_ARRAY) and index < len(value) else None
        return Evidence(key, index, self.offsets.item(key, index), text)

    def at_tokens(self, ids: Iterable[TokenId]) -> tuple[Evidence, ...]:
        """Evidence: the first few of these tokens."""
        return tuple(self.at_item(TOKENS, id) for id in list(ids)[:NAMED])

    def token(self, id: TokenId) -> str:
        """A token as messages name it: its id and text."""
        return f"{id} {quoted(self.texts[id])}"

    def tokens(self, ids: Sequence[TokenId]) -> str:
        """Several tokens, or the first few of many."""
        return listed([self.token(id) for id in ids[: NAMED + 1]], len(ids))


def _sides(merge: bytes) -> tuple[bytes, bytes] | None:
    left, right = split_merge(merge.split(b"\0", 1)[0])
    return (left, right) if right else None


def _is_long(text: bytes) -> bool:
    # Most texts need no decoding to tell.
    return len(text) > 4 or len(text.decode("utf-8", "replace")) > 1


def counted(number: int, noun: str) -> str:
    """The number and the noun, in the plural where it is one.

    >>> counted(1, "token"), counted(2, "token")
    ('1 token', '2 tokens')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def quoted(text: bytes) -> str:
    """`text` in quotes, on one line, without control characters, and not too long."""
    shown = escape(text)
    return f"'{shown}'" if len(shown) <= 60 else f"'{shown[:57]}...'"


def listed(items: Sequence[str], count: int | None = None) -> str:
    """The first few of `count` items, and how many more there are."""
    count = len(items) if count is None else count
    shown = ", ".join(items[:NAMED])
    return shown if count <= NAMED else f"{shown} and {count - NAMED} more"
