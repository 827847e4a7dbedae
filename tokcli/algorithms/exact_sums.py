"""For how much text UGM's sums of scores are exact in a double.

Where they are, the best path of a word is the best whatever comes before it, so that words can be
searched one by one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property

from tokcli.algorithms.ugm_text import ESCAPED_BYTE
from tokcli.text.unicode import METASPACE, REPLACEMENT, SIZES_BY_LEAD
from tokcli.vocab import TokenId

__all__ = ["ExactSums"]

# Scores are sums of powers of two down to this one's inverse, as 32-bit floats of 2 and more are;
# most vocabularies have none that is so fine.
FINEST = float(1 << 24)
# A double has all integers up to here.
LARGEST = float(1 << 53)


class ExactSums:
    """The sums of one vocabulary: token -> score and id, and what a character counts that is no
    token."""

    def __init__(self, tokens: Mapping[bytes, tuple[float, TokenId]], unknown_score: float) -> None:
        self._tokens = tokens
        self._unknown_score = unknown_score

    def hold_for(self, text: str, become: Callable[[str], str]) -> bool:
        """Whether they are exact for `text`. `become` tells what a character is normalized to."""
        if len(text) <= self._longest:
            return True
        return self._longest > 0 and self._most_of(text, become) <= self._largest

    @cached_property
    def _scores(self) -> list[float]:
        return [score for score, _ in self._tokens.values()]

    @cached_property
    def _single(self) -> dict[str, float]:
        """What the tokens of one character count at most."""
        return {
            text.decode("utf-8", "replace"): abs(score)
            for text, (score, _) in self._tokens.items()
            if SIZES_BY_LEAD[text[0] >> 4] == len(text)
        }

    # No best path is worse than one token, or unknown, for each character; one token more is tried
    # on top of it.

    @cached_property
    def _longest(self) -> int:
        """The most characters, whatever they are. 0 where a score is too fine."""
        if not all(map(float.is_integer, [score * FINEST for score in self._scores])):
            return 0
        a_character = max(*self._single.values(), *self._scores, abs(self._unknown_score), 1.0)
        return max(0, int((LARGEST / FINEST - self._worst) / a_character))

    @property
    def _worst(self) -> float:
        return max(map(abs, self._scores), default=0.0)

    @cached_property
    def _largest(self) -> float:
        """The largest sum, as fine as these scores are."""
        finest = max(score.as_integer_ratio()[1] for score in (*self._scores, self._unknown_score))
        return LARGEST / finest - self._worst

    def _most_of(self, text: str, become: Callable[[str], str]) -> float:
        """What all characters of `text` come to."""
        unknown = abs(self._unknown_score)
        best = max([0.0, *self._scores])

        def most(char: str) -> float:
            made = become(REPLACEMENT.decode() if ESCAPED_BYTE.match(char) else char)
            marked = made.replace(" ", METASPACE.decode())
            return sum(max(best, self._single.get(one, unknown)) for one in marked)

        # Counting takes long: what is cheap enough is not told apart.
        share = self._largest / (2 * len(text))
        cheap = "".join(char for char in map(chr, range(128)) if most(char) <= share)
        rest = re.sub(f"[{re.escape(cheap)}]+", "", text) if cheap else text
        counted = sum(count * most(char) for char, count in Counter(rest).items())
        return share * (len(text) - len(rest)) + counted
