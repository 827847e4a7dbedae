from __future__ import annotations

import numpy as np
import pytest

from tokcli.batch.text import code_points
from tokcli.batch.token_trie import STOP
from tokcli.batch.ugm_tokens import UgmTokens

WELL_FORMED = {
    b"a": (-1.0, 3),
    b"ab": (-2.5, 5),
    "日本".encode(): (-3.0, 1),
    "▁abab".encode(): (0.5, 8),
}
ILL_FORMED = {b"\xff": (-1.0, 2), b"a\xffb": (-4.0, 4), b"\xe6\x97": (-5.0, 6), b"\xa5": (-6.0, 9)}


@pytest.mark.parametrize(
    "tokens",
    [{}, WELL_FORMED, ILL_FORMED, {**WELL_FORMED, **ILL_FORMED}, {**ILL_FORMED, **WELL_FORMED}],
)
def test_finds_the_tokens_that_lie_in_a_text(tokens: dict[bytes, tuple[float, int]]) -> None:
    text = "▁abab日本a日"
    found = UgmTokens(tokens, 64)
    codes = code_points(text)
    matches = found.trie(codes).matches(np.append(codes, np.uint32(STOP)), 1)

    expected = {
        (start, end - start, *tokens[text[start:end].encode()])
        for start in range(len(text))
        for end in range(start + 1, len(text) + 1)
        if text[start:end].encode() in tokens
    }
    assert expected == {
        (start, length, found.scores[id], id)
        for length, starts, ids in matches
        for start, id in zip(starts.tolist(), ids.tolist(), strict=True)
    }
