"""Computes consolidation and decay of a memory.

Consolidation (R3.7) rises with use, age and freshness. Decay (R3.13) halves a memory's weight once per half-life,
which consolidation stretches up to three times. Neither ever changes a state (B3.14); they order and explain.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from types import MappingProxyType

from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import Block
from alice_exp.model.values.config import Config

DAY = 86_400.0
"""Seconds in a day."""

DEFAULT_HALF_LIFE = 180.0
HALF_LIFE_DAYS: Mapping[str, float] = MappingProxyType(Config().half_life_days)
"""Half-life in days by type (R3.15, B3.9); other types have ``DEFAULT_HALF_LIFE``."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of the three terms of consolidation, each >= 0 (R3.7; from the configuration, R3.28)."""

    frequency: float = 0.5
    longevity: float = 0.2
    recency: float = 0.3

    @classmethod
    def of(cls, config: Config) -> Weights:
        """The weights in a configuration."""
        names = ("frequency", "longevity", "recency")
        return cls(*(config.number(f"consolidation.{name}") for name in names))


@dataclass(frozen=True, slots=True)
class Consolidation:
    """A consolidation score and its terms, each in [0, 1]."""

    frequency: float
    longevity: float
    recency: float
    score: float


@lru_cache(maxsize=8192)
def _seconds_of(text: str) -> float:
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def seconds(moment: str | datetime) -> float:
    """Seconds since 1970 of ISO-8601 text or a datetime (UTC if it has no zone); ValueError for other text."""
    if isinstance(moment, str):
        return _seconds_of(moment)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def age_days(earlier: str | datetime, now: str | datetime) -> float:
    """Days from ``earlier`` to ``now``, >= 0: a time in the future, or none, counts as now."""
    return max(0.0, seconds(now) - seconds(earlier)) / DAY if earlier else 0.0


def frequency(access_count: int) -> float:
    """ln(1 + n) / ln(100), clamped to [0, 1] (R3.8, B3.3)."""
    return min(1.0, math.log1p(max(0, access_count)) / math.log(100))


def longevity(age: float) -> float:
    """Age in days over 365, clamped to [0, 1] (R3.9)."""
    return min(1.0, max(0.0, age) / 365)


def decay_score(
    updated_at: str | datetime,
    block_type: str,
    now: str | datetime,
    *,
    half_life_days: Mapping[str, float] = HALF_LIFE_DAYS,
    consolidation_score: float | None = None,
    emotional_weight: float = 0.0,
) -> float:
    """0.5 ^ (age / half-life), in (0, 1] (R3.13, R3.14).

    The half-life is the type's (days, > 0) times ``stretch``; without a consolidation score that is 0.
    """
    half_life = half_life_days.get(block_type, DEFAULT_HALF_LIFE)
    return float(
        0.5
        ** (age_days(updated_at, now) / (half_life * stretch(consolidation_score or 0.0, emotional_weight)))
    )


def stretch(consolidation_score: float, emotional_weight: float) -> float:
    """How many half-lives of its type one of a block lasts: (1 + 2 · consolidation) · (1 + |emotional weight| / 2), in
    [1, 4.5] (R3.14, DESIGN 12.9)."""
    return (1 + 2 * consolidation_score) * (1 + abs(emotional_weight) / 2)


def block_decay(
    block: Block,
    now: str | datetime,
    *,
    half_life_days: Mapping[str, float] = HALF_LIFE_DAYS,
    settled: bool = True,
) -> float:
    """A block's decay at ``now``; by its base half-life, without its consolidation, where not ``settled``."""
    return decay_score(
        block.updated_at,
        block.type,
        now,
        half_life_days=half_life_days,
        consolidation_score=block.consolidation_score if settled else None,
        emotional_weight=block.emotional_weight,
    )


def importance_factor(block: Block) -> float:
    """0.75 + 0.5 · importance, in [0.75, 1.25]: 1 for a block of which nothing is said (DESIGN 12.9)."""
    return 0.75 + 0.5 * block.importance


def consolidation(
    access_count: int,
    created_at: str | datetime,
    updated_at: str | datetime,
    block_type: str,
    now: str | datetime,
    *,
    half_life_days: Mapping[str, float] = HALF_LIFE_DAYS,
    weights: Weights = Weights(),
    emotional_weight: float = 0.0,
) -> Consolidation:
    """0.5 · frequency + 0.2 · longevity + 0.3 · recency, clamped to [0, 1], with its terms (R3.7).

    Recency decays by the base half-life: with the stretched one the score would depend on itself (R3.11,
    B3.2).
    """
    often = frequency(access_count)
    long = longevity(age_days(created_at, now))
    lately = decay_score(
        updated_at, block_type, now, half_life_days=half_life_days, emotional_weight=emotional_weight
    )
    score = weights.frequency * often + weights.longevity * long + weights.recency * lately
    return Consolidation(often, long, lately, min(1.0, max(0.0, score)))


def consolidation_of(
    block: Block,
    now: str | datetime,
    *,
    half_life_days: Mapping[str, float] = HALF_LIFE_DAYS,
    weights: Weights = Weights(),
    unfolded: int = 0,
) -> Consolidation:
    """A block's consolidation at ``now``, with ``unfolded`` reads more than it holds; the score stored in the block is
    that of the last fold (B3.4, B3.6)."""
    return consolidation(
        block.access_count + unfolded,
        block.created_at,
        block.updated_at,
        block.type,
        now,
        half_life_days=half_life_days,
        weights=weights,
        emotional_weight=block.emotional_weight,
    )
