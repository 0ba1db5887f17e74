"""How far long work has come: counted where it is done, read by whoever tells a person on a terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeVar

T = TypeVar("T")

_at: list[int] = [0, 0]


def followed(items: Collection[T]) -> Iterator[T]:
    """Each item, in order, counted as it is taken; of work within work the inner one is counted."""
    _at[:] = [0, len(items)]
    try:
        for at, item in enumerate(items):
            _at[0] = at
            yield item
    finally:
        _at[:] = [0, 0]


def so_far() -> tuple[int, int]:
    """How many of how many items are done; ``(0, 0)`` where nothing is counted."""
    return _at[0], _at[1]
