"""Computes consolidation and decay of a memory.

Consolidation (R3.7) rises with use, age and freshness. Decay (R3.13) halves a memory's weight once per half-life,
which consolidation stretches up to three times. Neither ever changes a state (B3.14); they order and explain.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from alice_exp.kernel.text.times import seconds
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


def age_days(earlier: str, now: str) -> float:
    """Days from ``earlier`` to ``now``, >= 0: a time in the future, or none, counts as now."""
    return max(0.0, seconds(now) - seconds(earlier)) / DAY if earlier else 0.0


def frequency(access_count: int) -> float:
    """ln(1 + n) / ln(100), clamped to [0, 1] (R3.8, B3.3)."""
    return min(1.0, math.log1p(max(0, access_count)) / math.log(100))


def longevity(age: float) -> float:
    """Age in days over 365, clamped to [0, 1] (R3.9)."""
    return min(1.0, max(0.0, age) / 365)


def stretch(consolidation_score: float, emotional_weight: float) -> float:
    """How many half-lives of its type one of a block lasts: (1 + 2 · consolidation) · (1 + |emotional weight| / 2), in
    [1, 4.5] (R3.14, DESIGN 12.9)."""
    return (1 + 2 * consolidation_score) * (1 + abs(emotional_weight) / 2)


def block_decay(
    block: Block,
    now: str,
    *,
    half_life_days: Mapping[str, float] = HALF_LIFE_DAYS,
    settled: bool = True,
) -> float:
    """0.5 ^ (age / half-life) of a block at ``now``, in (0, 1] (R3.13, R3.14).

    The half-life is its type's (days, > 0) times ``stretch``, without its consolidation where not ``settled``.
    """
    half_life = half_life_days.get(block.type, DEFAULT_HALF_LIFE)
    half_life *= stretch(block.consolidation_score if settled else 0.0, block.emotional_weight)
    return float(0.5 ** (age_days(block.updated_at, now) / half_life))


def importance_factor(block: Block) -> float:
    """0.75 + 0.5 · importance, in [0.75, 1.25]: 1 for a block of which nothing is said (DESIGN 12.9)."""
    return 0.75 + 0.5 * block.importance


def consolidation_of(
    block: Block,
    now: str,
    *,
    half_life_days: Mapping[str, float] = HALF_LIFE_DAYS,
    weights: Weights = Weights(),
    unfolded: int = 0,
) -> Consolidation:
    """0.5 · frequency + 0.2 · longevity + 0.3 · recency of a block, clamped to [0, 1], with its terms (R3.7).

    ``unfolded`` reads are more than it holds; the score stored in it is that of the last fold (B3.4, B3.6). Recency
    decays by the base half-life: with the stretched one the score would depend on itself (R3.11, B3.2).
    """
    often = frequency(block.access_count + unfolded)
    long = longevity(age_days(block.created_at, now))
    lately = block_decay(block, now, half_life_days=half_life_days, settled=False)
    score = weights.frequency * often + weights.longevity * long + weights.recency * lately
    return Consolidation(often, long, lately, min(1.0, max(0.0, score)))
