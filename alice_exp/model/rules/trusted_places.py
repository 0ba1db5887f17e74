"""In which states the approved blocks of a set are trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from alice_exp.model.values.block import State

TRUSTED: tuple[tuple[Literal["personal", "universal"], tuple[State, ...]], ...] = (
    ("personal", ("past", "reliable")),
    ("universal", ("reliable",)),
)
"""The states in which the approved blocks of a set decide, the set that is asked first in front (R2.35, R2.36)."""
