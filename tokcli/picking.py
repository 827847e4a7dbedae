"""Picking many items at once."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Protocol, TypeVar

__all__ = ["picked"]

Key = TypeVar("Key", contravariant=True)
Item = TypeVar("Item", covariant=True)


class Items(Protocol[Key, Item]):
    """A list, a dict or the like."""

    def __getitem__(self, key: Key, /) -> Item: ...


def picked(items: Items[Key, Item], keys: Sequence[Key]) -> tuple[Item, ...]:
    """`items[key]` of each of `keys`, of which there is one at least: twice as fast as a
    comprehension."""
    # Of a single key, itemgetter would give the item by itself.
    found: tuple[Item, ...] = itemgetter(*keys, keys[0])(items)
    return found[:-1]
