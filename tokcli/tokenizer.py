"""The whole way from text to tokens and back, for one file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from tokcli import algorithms, events
from tokcli.algorithms.base import Algorithm, Fragment
from tokcli.detokenize import Detokenizer
from tokcli.errors import VocabError
from tokcli.gguf_metadata import Metadata, read_metadata
from tokcli.loading.vocab_loader import load_vocab
from tokcli.partition import Partitioner, TextFragment
from tokcli.text.unicode import to_bytes
from tokcli.vocab import TokenId, Vocab, VocabType

if TYPE_CHECKING:
    from tokcli.explain import Explanation

__all__ = ["HEEDS_ADD_BOS", "AddRule", "Tokenizer", "added_specials", "builtin_path", "load"]

# Types that put in BOS and EOS as add_bos and add_eos say; the others have rules of their own.
HEEDS_ADD_BOS = (
    VocabType.SPM,
    VocabType.BPE,
    VocabType.UGM,
    VocabType.PLAMO2,
    VocabType.PLAMO3,
)


class AddRule(NamedTuple):
    """Which special token add_special puts in, and the setting that asks for it: "add_special"
    itself where llama.cpp heeds no other, as in WPM."""

    role: Literal["BOS", "EOS", "SEP"]
    setting: str


def added_specials(vocab: Vocab) -> tuple[AddRule | None, AddRule | None]:
    """What add_special puts before a text and behind it."""
    if vocab.type == VocabType.WPM:
        return AddRule("BOS", "add_special"), AddRule("SEP", "add_special")
    if vocab.type not in HEEDS_ADD_BOS:
        return None, None
    return (
        AddRule("BOS", "add_bos") if vocab.flag("add_bos") else None,
        AddRule("EOS", "add_eos") if vocab.flag("add_eos") else None,
    )


def builtin_path() -> str:
    """Where the built-in GPT-2 vocabulary lies."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "gpt-2.gguf")


def load(
    path: str | os.PathLike[str] | None = None, overrides: Mapping[str, object] | None = None
) -> Tokenizer:
    """The tokenizer in the GGUF file at `path`, or the built-in GPT-2 one.

    `overrides` maps keys to plain values that take the place of the file's
    (see Metadata.with_overrides).

    Raises GgufError for a file that cannot be read, VocabError for one whose tokenizer llama.cpp
    would not load.
    """
    metadata = read_metadata(builtin_path() if path is None else path)
    if overrides:
        metadata = metadata.with_overrides(overrides)
    return Tokenizer(metadata)


class Tokenizer:
    """A loaded tokenizer: immutable, safe to share between threads.

    `vocab` and `metadata` are what it was built from.
    """

    def __init__(self, metadata: Metadata) -> None:
        """Raises VocabError where llama.cpp would not load the file."""
        self.metadata = metadata
        self.vocab: Vocab = load_vocab(metadata)
        self._detokenizer = Detokenizer(self.vocab)
        if self.vocab.type in (VocabType.PLAMO2, VocabType.PLAMO3):
            # The only algorithm with demands on the tokens that llama.cpp checks while loading.
            _ = self._algorithm

    @cached_property
    def _algorithm(self) -> Algorithm:
        return algorithms.create(self.vocab)

    @cached_property
    def partitioner(self) -> Partitioner:
        """Finds the vocabulary's special tokens in text."""
        return Partitioner(self.vocab)

    def tokenize(
        self,
        text: str | bytes,
        *,
        add_special: bool = True,
        parse_special: bool = True,
        trace: events.TraceSink | None = None,
    ) -> list[TokenId]:
        """The ids that llama.cpp's llama_tokenize gives for `text`.

        text: UTF-8 bytes, well-formed or not; lone surrogates of a str stand for its bytes.
        add_special: put in BOS, EOS and SEP as the vocabulary's settings say.
        parse_special: take the text of control and unknown tokens for the tokens.
        trace: receives every step as an event; the ids are the same with and without it.

        Raises TokenizeError where llama.cpp would end its process.

        >>> import tokcli
        >>> tokcli.load().tokenize("How are")
        [2437, 389]
        """
        data = to_bytes(text)
        algorithm = self._algorithm
        output: list[TokenId] = []
        before, behind = added_specials(self.vocab) if add_special else (None, None)
        self._add(before, output, trace)
        first = after_special = True
        for fragment in self.partitioner.partition(data, parse_special):
            if isinstance(fragment, TextFragment):
                start, end = fragment
                if trace is not None:
                    trace(events.FragmentText(start, end))
                algorithm.tokenize(
                    Fragment(data[start:end], start, first, after_special), output, trace
                )
                after_special = False
            else:
                if trace is not None:
                    start, end, id, strip_start, strip_end = fragment
                    rule = self.partitioner.rule(id)
                    trace(events.FragmentSpecial(id, start, end, rule, strip_start, strip_end))
                output.append(fragment.id)
                after_special = True
            first = False
        self._add(behind, output, trace)
        return output

    def _add(
        self, added: AddRule | None, output: list[TokenId], trace: events.TraceSink | None
    ) -> None:
        if added is None:
            return
        role, setting = added
        id = self.vocab.special_id(role.lower())
        if id is None:
            raise VocabError(
                f"{setting} asks for {role}, but the vocabulary has no {role} token, on which "
                f"llama.cpp aborts; tokenize without special tokens or set its key"
            )
        output.append(id)
        if trace is not None:
            trace(events.SpecialAdded(role, id, setting))

    def detokenize(
        self,
        ids: Iterable[TokenId],
        *,
        remove_special: bool = False,
        unparse_special: bool = True,
    ) -> bytes:
        """The bytes that llama.cpp's llama_detokenize gives for `ids`.

        remove_special: leave out a leading BOS and a trailing EOS that the vocabulary adds.
        unparse_special: let control and unknown tokens give their text.

        Raises TokenIdError for an id outside the vocabulary, TypeError for what is no integer.
        """
        return self._detokenizer.detokenize(
            ids, remove_special=remove_special, unparse_special=unparse_special
        )

    def piece(self, id: TokenId, *, special: bool = True, lstrip: int = 0) -> bytes:
        """The bytes of one token as llama.cpp's llama_token_to_piece gives them.

        special: whether control and unknown tokens give their text; lstrip: how many leading
        spaces to leave out at most.

        Raises TokenIdError for an id outside the vocabulary.
        """
        return self._detokenizer.piece(id, special=special, lstrip=lstrip)

    def explain(
        self, text: str | bytes, *, add_special: bool = True, parse_special: bool = True
    ) -> Explanation:
        """Tokenize `text` and keep every step (see tokcli.explain.Explanation)."""
        from tokcli.explain import explain

        return explain(self, text, add_special=add_special, parse_special=parse_special)
