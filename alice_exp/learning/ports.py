"""Decisions that wait for their outcome, as a Protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from alice_exp.kernel.jsonc.problem import Json


class Decisions(Protocol):
    """Open decisions, in ``state/``; one that had its outcome is known from history."""

    def open(self, decision: OpenDecision) -> None:
        """Remember a decision until its outcome."""
        ...

    def find(self, decision: str) -> OpenDecision:
        """An open decision; ``RefusedError`` where it had its outcome, ``NotFoundError`` where there is none."""
        ...

    def close(self, decision: str) -> None:
        """Its outcome stands in history."""
        ...


@dataclass(frozen=True, slots=True)
class OpenDecision:
    """A decision that waits for its outcome: the task, its context, what was applied and what was observed."""

    decision: str
    at: str
    task: str
    context: Mapping[str, Json]
    tier: str
    applied: tuple[str, ...]
    observing: tuple[str, ...]
    held_out: bool = False
