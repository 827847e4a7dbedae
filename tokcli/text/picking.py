"""Picking many items at once."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

__all__ = ["picked"]


def picked(items: Any, keys: Sequence[int]) -> Sequence[Any]:
    """`items[key]` of each of `keys`, of which there is one at least: twice as fast as a
    comprehension."""
    # Of a single key, itemgetter would give the item by itself.
    found: Sequence[Any] = itemgetter(*keys, keys[0])(items)
    return found[:-1]
