from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokcli.batch.hash_table import ABSENT, HashTable

KEYS = st.lists(st.one_of(st.integers(0, 20), st.integers(0, (1 << 62))), max_size=60)


@given(batches=st.lists(KEYS, max_size=4), asked=KEYS)
def test_finds_what_was_put_in(batches: list[list[int]], asked: list[int]) -> None:
    table = HashTable(sum(map(len, batches)))
    slots: dict[int, int] = {}
    for keys in batches:
        for key, slot in zip(keys, table.insert(np.array(keys, np.int64)).tolist(), strict=True):
            assert slots.setdefault(key, slot) == slot
            assert 0 <= slot < table.n_slots

    assert len(set(slots.values())) == len(slots)
    everything = [*asked, *slots]
    found = table.find(np.array(everything, np.int64)).tolist()
    assert found == [slots.get(key, ABSENT) for key in everything]


@pytest.mark.parametrize("count", [300, 40_000])
def test_many_keys_that_are_alike(count: int) -> None:
    keys = np.arange(count, dtype=np.int64) << 32
    table = HashTable(count)
    slots = table.insert(keys)

    assert len(set(slots.tolist())) == count
    assert (table.find(keys) == slots).all()
    assert (table.find(keys + 1) == ABSENT).all()


def test_behind_the_last_slot_comes_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    # With this multiplier the first slot of these keys is the last one.
    monkeypatch.setattr(os, "urandom", lambda size: bytes(size - 1) + b"\x80")
    keys = np.array([(1 << 63) - 1 - 2 * number for number in range(9)])
    table = HashTable(8)

    slots = table.insert(keys[:8])

    assert sorted(slots.tolist()) == [*range(7), table.n_slots - 1]
    assert table.find(keys).tolist() == [*slots.tolist(), ABSENT]
