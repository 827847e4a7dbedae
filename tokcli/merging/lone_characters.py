"""Long text in which nothing merges: a number of which each digit is a token, or a script of which
the vocabulary has single characters, or bytes, alone.

Any merging starts with two characters. Those that may merge are few where the text has none but
these characters, and looking for them takes less than importing numpy does, not to mention laying
out all merges. That is for the first long text alone: once they are laid out, the way of all other
text is quicker for such text too.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from itertools import chain
from operator import add

from tokcli.text.unicode import encode
from tokcli.vocab import TokenId, TokenIds

__all__ = ["encode_lone_characters"]

# Samples of the text, and characters in each, that are looked at first.
SAMPLES = 16
SAMPLE = 256
# More pairs are not looked for.
MOST_PAIRS = 64


def encode_lone_characters(
    text: str,
    tokens: Container[bytes],
    merging: Callable[[frozenset[str]], Sequence[str]],
    ids_of: Callable[[str], TokenIds],
) -> list[TokenId] | None:
    """The ids of `text` if no two neighbours in it merge; None if some do, or many might.

    `tokens` are those of the vocabulary. `merging` gives all pairs of these characters that merge,
    `ids_of` the ids of a character.
    """
    if _is_token_seen(text, tokens):
        return None
    characters = frozenset(text)
    pairs = merging(characters)
    if len(pairs) > MOST_PAIRS or any(pair in text for pair in pairs):
        return None
    ids = {character: ids_of(character) for character in characters}
    return list(chain.from_iterable(map(ids.__getitem__, text)))


def _is_token_seen(text: str, tokens: Container[bytes]) -> bool:
    """Whether two neighbours in one of the samples are a token, as in most other text."""
    for start in range(0, len(text), max(1, len(text) // SAMPLES)):
        sample = text[start : start + SAMPLE]
        if any(encode(pair) in tokens for pair in map(add, sample, sample[1:])):
            return True
    return False
