"""Protocol of the store of open decisions, and the value it keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from alice_exp.kernel.jsonc.problem import Json


class Decisions(Protocol):
    """The decisions that wait for their outcome; those that had it are found in history."""

    def open(self, decision: OpenDecision) -> None:
        """Keep a decision until its outcome."""
        ...

    def find(self, decision: str) -> OpenDecision:
        """An open decision; raises ``RefusedError`` if it had its outcome already, ``NotFoundError`` if unknown."""
        ...

    def close(self, decision: str) -> None:
        """Drop a decision whose outcome has been committed."""
        ...


@dataclass(frozen=True, slots=True)
class OpenDecision:
    """A decision that waits for its outcome: task, context, tier, and the ids of applied and observed blocks.

    ``held_out`` are the ids that the lot kept back, ``share`` the share it was drawn with (``learning.rules.lot``).
    """

    decision: str
    at: str
    task: str
    context: Mapping[str, Json]
    tier: str
    applied: tuple[str, ...]
    observing: tuple[str, ...]
    held_out: tuple[str, ...] = ()
    share: float = 0.0
