"""The states in which approved blocks of each set are trusted to decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from alice_exp.model.values.block import State

TRUSTED: tuple[tuple[Literal["personal", "universal"], tuple[State, ...]], ...] = (
    ("personal", ("past", "reliable")),
    ("universal", ("reliable",)),
)
"""The states in which approved blocks of a set may decide, in the order in which sets are asked (R2.35, R2.36)."""
