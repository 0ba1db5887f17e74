"""A decision between being made and being judged by its outcome."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from alice_exp.core.config import Json


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
