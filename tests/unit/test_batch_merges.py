from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import naive_merge
from tokcli.batch import merges
from tokcli.batch.merge_table import MOST_RANKS
from tokcli.batch.merges import LONGEST, MergeBatch, Merges
from tokcli.batch.spans import spans_of

Table = list[tuple[str, str, int]]
Ids = tuple[int, ...]
LETTERS = "abé\u2581"


@pytest.fixture(autouse=True)
def _few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merges, "FEWEST", 0)
    monkeypatch.setattr(merges, "MERGES_FOR_A_WORD", 1 << 60)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Merges with ranks in any order, equal ones too, of symbols that other merges make."""
    texts = list(LETTERS)
    table: Table = []
    for _ in range(draw(st.integers(1, 12))):
        left, right = draw(st.sampled_from(texts)), draw(st.sampled_from(texts))
        table.append((left, right, draw(st.integers(0, 6))))
        texts.append(left + right)
    return table


def in_bytes(table: Iterable[tuple[str, str, int]]) -> Merges:
    table = list(table)
    joined = spans_of((left + right).encode() for left, right, _ in table)
    sizes = np.array([len(left.encode()) for left, _, _ in table], np.int64)
    return Merges(joined, sizes, np.array([rank for _, _, rank in table], np.int32))


def priorities(table: Iterable[tuple[str, str, int]]) -> dict[bytes, int]:
    pairs = [(f"{left} {right}".encode(), rank) for left, right, rank in table]
    return dict(reversed(pairs))


def spelled(symbol: bytes) -> Ids:
    return tuple(1000 + byte for byte in symbol)


def of_size(symbol: bytes) -> Ids:
    return (len(symbol),)


def batch(
    found: Merges | None,
    tokens: dict[bytes, int] | None = None,
    symbol_ids: Callable[[bytes], Ids] = spelled,
    byte_symbols: list[bytes] | None = None,
) -> MergeBatch:
    return MergeBatch(
        0,
        lambda: found,
        token_to_id=tokens or {},
        byte_symbols=byte_symbols,
        symbol_ids=symbol_ids,
        encode_each=lambda words: [(-len(word),) for word in words],
    )


def ids_of(batch: MergeBatch, words: Iterable[str]) -> dict[str, Ids]:
    words = list(words)
    found: dict[str, Ids] = {}
    for encoded in batch.encode(words):
        ids = encoded.ids.tolist()
        for index, count in zip(encoded.words.tolist(), encoded.counts.tolist(), strict=True):
            assert words[index] not in found
            found[words[index]] = tuple(ids[:count])
            del ids[:count]
        assert not ids
    return found


WORDS = st.sets(st.text(LETTERS + "c\U0001f600", min_size=1, max_size=30), min_size=1)


@given(table=tables(), known=st.sets(st.text(LETTERS, min_size=1, max_size=3)), words=WORDS)
def test_each_word_is_merged_as_by_itself(table: Table, known: set[str], words: set[str]) -> None:
    tokens = {text.encode(): id for id, text in enumerate(sorted(known))}

    answers = ids_of(batch(in_bytes(table), tokens), words)

    assert answers.keys() == words
    for word, ids in answers.items():
        merged = naive_merge([char.encode() for char in word], priorities(table).get, b" ")
        expected = [(tokens[s],) if s in tokens else spelled(s) for s in merged]
        assert ids == tuple(id for part in expected for id in part)


@given(table=tables(), words=WORDS)
def test_and_from_bytes(table: Table, words: set[str]) -> None:
    names = [f"<{byte:02X}>" for byte in range(256)]
    byte_symbols = [name.encode() for name in names]

    def named(text: str) -> str:
        return "".join(names[byte] for byte in text.encode())

    # The merges of the table join characters, which take merges of their own to be made of bytes.
    steps = [(names[0xC3], names[0xA9], 0), (names[0xE2], names[0x96], 0)]
    steps.append((names[0xE2] + names[0x96], names[0x81], 0))
    steps += [(named(left), named(right), rank) for left, right, rank in table]
    together = batch(in_bytes(steps), symbol_ids=of_size, byte_symbols=byte_symbols)

    for word, ids in ids_of(together, words).items():
        symbols = [byte_symbols[byte] for byte in word.encode()]
        merged = naive_merge(symbols, priorities(steps).get, b" ")
        assert ids == tuple(map(len, merged))


def test_words_of_all_sizes() -> None:
    found = batch(in_bytes([("a", "a", 0), ("aa", "aa", 1)]), {b"aaaa": 4})
    words = ["a" * size for size in range(1, LONGEST + 3)]

    answers = ids_of(found, words)

    # The longest have more places than a key can tell apart.
    assert [answers[word] for word in words[LONGEST:]] == [(-LONGEST - 1,), (-LONGEST - 2,)]
    for word in words[:LONGEST]:
        fours, rest = divmod(len(word), 4)
        assert answers[word] == (4,) * fours + (1097,) * rest


def test_of_a_pair_that_is_there_twice_the_first_counts() -> None:
    found = batch(in_bytes([("a", "b", 2), ("b", "a", 1), ("a", "b", 0)]), symbol_ids=of_size)

    assert ids_of(found, ["aba"]) == {"aba": (1, 2)}


def test_a_symbol_may_come_to_no_ids() -> None:
    found = batch(in_bytes([("a", "b", 0)]), {b"a": 7}, symbol_ids=lambda symbol: ())

    assert ids_of(found, ["aab", "ab", "x", "a"]) == {"aab": (7,), "ab": (), "x": (), "a": (7,)}


def test_no_words_and_no_merges() -> None:
    found = batch(in_bytes([]), {b"a": 7})

    assert ids_of(found, []) == {}
    assert ids_of(found, ["aba"]) == {"aba": (7, 1098, 7)}


@pytest.mark.parametrize("found", [None, in_bytes([("a", "b", MOST_RANKS)])])
def test_where_merges_cannot_be_numbered_each_word_is_for_itself(found: Merges | None) -> None:
    assert ids_of(batch(found), ["ab", "abc"]) == {"ab": (-2,), "abc": (-3,)}


def test_few_words_are_not_worth_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merges, "FEWEST", 2)
    found = batch(in_bytes([("a", "b", 0)]), {b"ab": 7})

    assert ids_of(found, ["ab"]) == {"ab": (-2,)}
    # Nothing can merge in a word of one symbol.
    assert ids_of(found, ["ab", "a", "b"]) == {"ab": (-2,), "a": (-1,), "b": (-1,)}
    assert ids_of(found, ["ab", "bb"]) == {"ab": (7,), "bb": (1098, 1098)}
    assert ids_of(found, ["ab", "b"]) == {"ab": (7,), "b": (1098,)}
    assert ids_of(found, ["ab"]) == {"ab": (7,)}


@pytest.mark.parametrize("count", [100, 5000])
def test_many_merges_share_a_table(count: int) -> None:
    chars = [chr(0x4E00 + number) for number in range(count)]
    found = batch(
        in_bytes([(char, char, rank) for rank, char in enumerate(chars)]), symbol_ids=of_size
    )

    answers = ids_of(found, [*(char * 3 for char in chars), "".join(chars[:9])])

    assert set(answers.values()) == {(6, 3), (3,) * 9}
