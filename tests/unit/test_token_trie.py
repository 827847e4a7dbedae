from __future__ import annotations

import numpy as np

from tokcli.batch.token_trie import NO_ID, STOP, TokenTrie

TOKENS = {b"a": 5, b"ab": 0, b"abcd": 7, b"b": 2, b"cd": 3}


def trie(tokens: dict[bytes, int]) -> TokenTrie:
    return TokenTrie(
        np.frombuffer(b"".join(tokens), np.uint8),
        np.array(list(map(len, tokens)), np.int64),
        np.array(list(tokens.values()), np.int32),
    )


def text(data: bytes) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array([*data, STOP], np.int32)


def test_matches_of_each_length() -> None:
    found = [
        (length, places.tolist(), ids.tolist())
        for length, places, ids in trie(TOKENS).matches(text(b"abcdxab"), 1)
    ]

    # Three characters of a token are no token.
    assert found == [
        (1, [0, 1, 5, 6], [5, 2, 5, 2]),
        (2, [0, 2, 5], [0, 3, 0]),
        (3, [], []),
        (4, [0], [7]),
    ]


def test_matches_of_texts_side_by_side() -> None:
    # "ab" and "cd" as columns.
    codes = np.array([*b"acbd", STOP, STOP], np.int32)
    found = [(length, places.tolist()) for length, places, _ in trie(TOKENS).matches(codes, 2)]

    assert found == [(1, [0, 2]), (2, [0, 1])]


def test_longest() -> None:
    ids, lengths = trie(TOKENS).longest(text(b"abcabcdxc"), np.array([0, 2, 3, 7, 1, 8]))

    # "abc" leads on, but not to a token.
    assert ids.tolist() == [0, NO_ID, 7, NO_ID, 2, NO_ID]
    assert lengths.tolist() == [2, 0, 4, 0, 1, 0]


def test_many_tokens_share_a_full_table() -> None:
    tokens = {
        bytes([first, second]): first * 256 + second for first in b"abc" for second in range(256)
    }
    ids, lengths = trie(tokens).longest(text(b"".join(tokens)), np.arange(0, 2 * len(tokens), 2))

    assert ids.tolist() == list(tokens.values())
    assert set(lengths.tolist()) == {2}


def test_no_tokens() -> None:
    assert list(trie({}).matches(text(b"ab"), 1)) == []
