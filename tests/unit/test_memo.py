from __future__ import annotations

import pytest

from tokcli.merging import memo
from tokcli.merging.memo import Memo


def test_computes_a_key_once() -> None:
    asked: list[str] = []

    def length(key: str) -> int:
        asked.append(key)
        return len(key)

    lengths = Memo(length)

    assert [lengths["ab"], lengths["ab"], lengths["c"]] == [2, 2, 1]
    assert asked == ["ab", "c"]


def test_does_not_keep_long_keys() -> None:
    lengths: Memo[str, int] = Memo(len)

    assert lengths["x" * (memo.LONGEST_KEY + 1)] == memo.LONGEST_KEY + 1
    assert len(lengths) == 0


def test_starts_afresh_when_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memo, "MOST_KEYS", 2)
    lengths: Memo[str, int] = Memo(len)

    for key in ("a", "bb", "ccc"):
        assert lengths[key] == len(key)

    assert dict(lengths) == {"ccc": 3}
