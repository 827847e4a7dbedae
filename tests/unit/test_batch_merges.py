from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import naive_merge
from tokcli.batch.merges import LONGEST, MergeBatch, Merges

Table = list[tuple[str, str, int]]
LETTERS = "abé\u2581"


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


def split(table: Table) -> Merges:
    lefts, rights, ranks = zip(*table, strict=True)
    return Merges([s.encode() for s in lefts], [s.encode() for s in rights], ranks)


def priorities(table: Table) -> dict[bytes, int]:
    return {f"{left} {right}".encode(): rank for left, right, rank in reversed(table)}


def spelled(symbol: bytes) -> tuple[int, ...]:
    return tuple(1000 + byte for byte in symbol)


words = st.text(LETTERS + "c\U0001f600", min_size=1, max_size=30)


@given(table=tables(), known=st.sets(words), texts=st.sets(words, min_size=1))
def test_each_word_is_merged_as_by_itself(table: Table, known: set[str], texts: set[str]) -> None:
    tokens = {text.encode(): id for id, text in enumerate(sorted(known))}
    batch = MergeBatch(split(table), tokens, spelled, None)

    found = dict(batch.encode(texts))

    assert found.keys() == texts
    for text, ids in found.items():
        merged = naive_merge([char.encode() for char in text], priorities(table).get, b" ")
        expected = [(tokens[s],) if s in tokens else spelled(s) for s in merged]
        assert ids == tuple(id for part in expected for id in part)


@given(table=tables(), texts=st.sets(words, min_size=1))
def test_and_from_bytes(table: Table, texts: set[str]) -> None:
    names = [b"<%02X>" % byte for byte in range(256)]

    def named(text: str) -> bytes:
        return b"".join(names[byte] for byte in text.encode())

    # Merges join characters here, which take merges of their own to be made of bytes.
    steps = [(names[0xC3], names[0xA9], 0), (names[0xE2], names[0x96], 0)]
    steps.append((names[0xE2] + names[0x96], names[0x81], 0))
    steps += [(named(left), named(right), rank) for left, right, rank in table]
    lefts, rights, ranks = zip(*steps, strict=True)
    batch = MergeBatch(Merges(lefts, rights, ranks), {}, spelled, names)
    table_by_text = {a + b" " + b: rank for a, b, rank in reversed(steps)}

    for text, ids in batch.encode(texts):
        merged = naive_merge([names[byte] for byte in text.encode()], table_by_text.get, b" ")
        assert ids == spelled(b"".join(merged))


def test_words_of_all_sizes() -> None:
    batch = MergeBatch(split([("a", "a", 0), ("aa", "aa", 1)]), {b"aaaa": 4}, spelled, None)
    texts = ["a" * size for size in range(1, LONGEST + 2)]

    found = dict(batch.encode(texts))

    # The longest has more places than a key can tell apart.
    assert list(found) == texts[:-1]
    for text, ids in found.items():
        fours, rest = divmod(len(text), 4)
        assert ids == (4,) * fours + (1097,) * rest


def test_of_a_pair_that_is_there_twice_the_first_counts() -> None:
    table = [("a", "b", 2), ("b", "a", 1), ("a", "b", 0)]

    assert dict(MergeBatch(split(table), {}, len_of, None).encode(["aba"])) == {"aba": (1, 2)}


def len_of(symbol: bytes) -> tuple[int, ...]:
    return (len(symbol),)


def test_no_words_and_no_merges() -> None:
    batch = MergeBatch(Merges([], [], []), {b"a": 7}, spelled, None)

    assert dict(batch.encode([])) == {}
    assert dict(batch.encode(["aba"])) == {"aba": (7, 1098, 7)}


@pytest.mark.parametrize("count", [100, 5000])
def test_many_merges_share_a_table(count: int) -> None:
    chars = [chr(0x4E00 + number) for number in range(count)]
    table = [(char, char, rank) for rank, char in enumerate(chars)]
    batch = MergeBatch(split(table), {}, lambda symbol: (len(symbol),), None)

    found = dict(batch.encode([char * 3 for char in chars] + ["".join(chars[:9])]))

    assert set(found.values()) == {(6, 3), (3,) * 9}
