"""Assessment of a topic: how well it is known, as a score with named parts (R3.16-R3.27, B3.10-B3.12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor
from typing import Literal

from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.doubt import block_decay, consolidation_of
from alice_exp.model.values.block import CONFIDENCE, Placed
from alice_exp.model.values.config import Config

Grade = Literal["none", "very_low", "low", "medium", "high"]

_LEAST: tuple[tuple[Grade, float], ...] = (("high", 0.8), ("medium", 0.5), ("low", 0.2))
"""The lowest score of each grade (R3.21); below the last one it is ``very_low``."""

PARTS = ("confidence", "coverage", "recency", "consolidation")
"""The parts of a score, and the keys of their weights."""

FULL_COVERAGE = 10
"""The number of blocks from which coverage is 1 (B3.11)."""

LOOKED_AT = 50
"""The most blocks that an assessment counts (R3.24)."""

LEAST_CERTAIN = 0.1
"""The lowest certainty."""

SHOWN = 5
"""The most pieces of evidence shown (R3.16)."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of the parts, with the sum 1 (R3.19)."""

    confidence: float = 0.35
    coverage: float = 0.25
    recency: float = 0.20
    consolidation: float = 0.20

    @classmethod
    def of(cls, config: Config) -> Weights:
        """The weights set in a configuration (``assess.confidence`` and so on)."""
        return cls(*(config.number(f"assess.{name}") for name in PARTS))


@dataclass(frozen=True, slots=True)
class Stats:
    """The parts of the score, each in [0, 1], and the number of blocks (R3.18)."""

    total: int
    confidence: float
    recency: float
    consolidation: float
    coverage: float


@dataclass(frozen=True, slots=True)
class Assessment:
    """How well a topic is known: the grade, the score in [0, 1] with 4 decimals, its parts, and as the best evidence
    blocks with their consolidation (R3.17)."""

    topic: str
    grade: Grade
    score: float
    stats: Stats
    evidence: tuple[tuple[Placed, float], ...]


def meta_score(stats: Stats, weights: Weights) -> float:
    """0.35 confidence + 0.25 coverage + 0.20 recency + 0.20 consolidation, in 4 decimals, half up (R3.19, R3.20)."""
    score: float = sum(getattr(weights, name) * getattr(stats, name) for name in PARTS)
    # A sum such as 0.82335 is slightly less in binary: 1e-9 makes it round up as on paper.
    return floor(score * 10_000 + 0.5 + 1e-9) / 10_000


def grade(score: float, total: int) -> Grade:
    """The grade of a rounded score; ``none`` if and only if no block is about the topic (R3.21, B3.12)."""
    if total == 0:
        return "none"
    return next((name for name, least in _LEAST if score >= least), "very_low")


def assess(
    topic: str,
    found: Sequence[Placed],
    now: str,
    weights: Weights,
    half_life_days: Mapping[str, float],
    certain: float = 1.0,
) -> Assessment:
    """Assess the blocks ``found`` for a topic, best first; at most ``LOOKED_AT`` of them count.

    Consolidation is computed for ``now``, not read from the block (B3.6); it is 0 for a block never read (B3.4). Each
    part is multiplied by ``certain``, at least ``LEAST_CERTAIN``, so that a grade says how well the answer is known and
    not only its subject (``finding.rules.concerns.certainty``).
    """
    looked, certain = found[:LOOKED_AT], max(LEAST_CERTAIN, certain)
    if not looked:
        return Assessment(topic, "none", 0.0, Stats(0, 0.0, 0.0, 0.0, 0.0), ())
    settled = [
        consolidation_of(one.block, now, half_life_days=half_life_days).score
        if one.block.access_count
        else one.block.consolidation_score  # Never read: its stored value, normally 0 (B3.4).
        for one in looked
    ]
    fresh = [block_decay(one.block, now, half_life_days=half_life_days, settled=False) for one in looked]
    stats = Stats(
        len(looked),
        certain * _mean([CONFIDENCE[placed.block.state] for placed in looked]),
        certain * _mean(fresh),
        certain * _mean(settled),
        certain * min(1.0, len(looked) / FULL_COVERAGE),
    )
    score = meta_score(stats, weights)
    evidence = tuple(zip(looked, settled, strict=True))[:SHOWN]
    return Assessment(topic, grade(score, stats.total), score, stats, evidence)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
