"""What is known and what it is worth: how well a topic is known, as a score with named parts (R3.16-R3.27, B3.10-12);
whom an outcome counts for (DESIGN 12.3, 12.4), how tasks went with approved blocks (12.6).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from math import floor
from typing import Literal

from alice_exp.finding.rules.choice import is_protected
from alice_exp.kernel.text.times import days_before
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules import doubt as doubts
from alice_exp.model.rules.doubt import (
    Rate,
    Verdict,
    block_decay,
    consolidation_of,
    difference,
    is_in_doubt,
    judged,
    of_tasks,
    rate,
    trusted_since,
    value,
    waiting,
)
from alice_exp.model.rules.lifecycle import DEFAULT, Change, Standing, Thresholds, outcome
from alice_exp.model.values.block import CONFIDENCE, Block, Evidence, Placed, Record, is_approved
from alice_exp.model.values.config import Config
from alice_exp.model.values.records import Episode

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

SHOWN = 5
"""The most pieces of evidence shown (R3.16)."""


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


def meta_score(stats: Stats, config: Config) -> float:
    """0.35 confidence + 0.25 coverage + 0.20 recency + 0.20 consolidation, weighed as ``assess.confidence`` and so on
    are configured, in 4 decimals, half up (R3.19, R3.20)."""
    score: float = sum(config.number(f"assess.{name}") * getattr(stats, name) for name in PARTS)
    # A sum such as 0.82335 is slightly less in binary: 1e-9 makes it round up as on paper.
    return floor(score * 10_000 + 0.5 + 1e-9) / 10_000


def grade(score: float) -> Grade:
    """The grade of a rounded score of some blocks (R3.21)."""
    return next((name for name, least in _LEAST if score >= least), "very_low")


def assess(
    topic: str,
    found: Sequence[Placed],
    now: str,
    config: Config,
    certain: float = 1.0,
) -> Assessment:
    """Assess the blocks ``found`` for a topic, best first; at most ``LOOKED_AT`` of them count.

    Consolidation is computed for ``now``, not read from the block (B3.6); it is 0 for a block never read (B3.4). Each
    part is multiplied by ``certain``, at least ``LEAST_CERTAIN``, so that a grade says how well the answer is known and
    not only its subject (``finding.rules.concerns.certainty``).
    """
    looked, certain, half_life_days = found[:LOOKED_AT], max(LEAST_CERTAIN, certain), config.half_life_days
    if not looked:  # Nothing else is "none" (B3.12).
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
    score = meta_score(stats, config)
    evidence = tuple(zip(looked, settled, strict=True))[:SHOWN]
    return Assessment(topic, grade(score), score, stats, evidence)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


@dataclass(frozen=True, slots=True)
class BlockImpact:
    """One approved block: how the tasks went that it was told for, and what that says."""

    placed: Placed
    rate: Rate
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Impact:
    """The rates with and without approved blocks, the 90 % interval of their difference in [-1, 1], and each approved
    block, the most used first."""

    told: Rate
    without: Rate
    difference: tuple[float, float]
    blocks: tuple[BlockImpact, ...]


WEEK = 7
"""How many days a block is to be used in before it is called unused."""


def impact(trusted: Sequence[Placed], episodes: Sequence[Episode], now: str) -> Impact:
    """Compare the tasks that a decision told approved blocks for with those that it had nothing for.

    Nothing was left out by chance: easier tasks look like better lessons, so the difference is a hint and no proof.
    """
    told, without = of_tasks(episodes, _TOLD), of_tasks(episodes)
    silent, since = waiting(trusted), days_before(now, WEEK)
    meant = (one for one in trusted if is_approved(one) and one.block.state != "obsolete")
    blocks = [BlockImpact(one, *judged(one, without, since, silent)) for one in meant]
    blocks.sort(key=lambda one: (-one.rate.total, one.placed.block.id))
    return Impact(told, without, difference(told, without), tuple(blocks))


# Trials stand in the episodes of version 0.2.0.
_TOLD = ("personal", "universal", "trial", "start", "prompt")


@dataclass(frozen=True, slots=True)
class Quality:
    """A kind of signal: how many decisions have one, the share that seemed ok of those reported ok (sensitivity), and
    the share that seemed failed of those reported failed (specificity)."""

    kind: str
    seen: int
    ok: Rate
    failed: Rate

    @property
    def both(self) -> int:
        """The decisions that have a signal of the kind and a report."""
        return self.ok.total + self.failed.total


def qualities(decisions: Iterable[tuple[Mapping[str, bool], bool | None]]) -> tuple[Quality, ...]:
    """The kinds that were seen, by name, from each decision's signals and its report (None: there is none)."""
    counts: dict[str, Counter[tuple[bool, bool | None]]] = {}
    for seemed, reported in decisions:
        for kind, ok in seemed.items():
            counts.setdefault(kind, Counter())[ok, reported] += 1
    return tuple(
        Quality(
            kind,
            sum(found.values()),
            rate(found[True, True], found[True, True] + found[False, True]),
            rate(found[False, False], found[True, False] + found[False, False]),
        )
        for kind, found in sorted(counts.items())
    )


def fisher(a: int, b: int, c: int, d: int) -> float:
    """The two-sided probability of a table ``a b / c d`` or one as unlikely (Fisher's exact test); 1.0 when empty."""
    row, column, whole = a + b, a + c, a + b + c + d
    every = math.comb(whole, column)
    weights = [
        math.comb(row, k) * math.comb(whole - row, column - k)
        for k in range(max(0, column - (whole - row)), min(row, column) + 1)
    ]
    own = math.comb(row, a) * math.comb(whole - row, c)
    return sum(weight for weight in weights if weight <= own) / every


def beside(block: Block, told: Iterable[Placed]) -> float | None:
    """The pooled success rate in [0, 1], over their kept outcomes, of the established blocks told with this one; None
    without any."""
    others = ((one.block, one.block.record or Record()) for one in told if one.block.id != block.id)
    established = (one for one, record in others if record.ok + record.failed >= doubts.ESTABLISHED)
    counts = [*map(doubts.outcomes_since_kept, established)]
    uses = sum(ok + failed for ok, failed in counts)
    return sum(ok for ok, _ in counts) / uses if uses else None


def counted(
    told: Sequence[Placed],
    used: Collection[str],
    ok: bool,
    scenario: str,
    now: str,
    piece: Evidence,
    thresholds: Thresholds = DEFAULT,
) -> tuple[tuple[Placed, Change], ...]:
    """What one outcome does to the blocks that were told: to all, or where some were ``used`` to those alone.

    It counts in the value and the doubt of each; the count of verifications moves for those that were used, or for the
    only one that was told. A failed candidate waits for the review, whoever it stood beside.
    """
    meant = [one for one in told if not used or one.block.id in used]
    changes = []
    for placed in meant:
        is_candidate = placed.place == "low_value"
        is_named = placed.block.id in used or len(told) == 1
        standing: Standing = "candidate" if is_candidate and (is_named or not ok) else ""
        if not (is_named or standing):
            standing = "bystander"
        near = beside(placed.block, () if is_candidate else told)
        block = placed.block
        changes.append(outcome(block, ok, scenario, now, piece, thresholds, standing=standing, beside=near))
    after = [replace(one, block=change.block) for one, change in zip(meant, changes, strict=True)]
    trusted = {one.block.id: one for one in settled([one for one in after if one.place != "low_value"], now)}
    return tuple((trusted.get(one.block.id, one), change) for one, change in zip(after, changes, strict=True))


def settled(told: Sequence[Placed], at: str) -> tuple[Placed, ...]:
    """The blocks that one outcome counted for, once it is known which of them a person is asked about (``at`` is now).

    A newcomer that does worse than what stands beside it is in doubt alone. Else, where a doubt reaches one, the block
    of the lowest value rests, of equal ones the newest; one that may not rest (``is_protected``) only where all are
    such. Those that reached one start again from 1/4.
    """
    held = {one.block.id: one.block.doubt for one in told if one.block.doubt is not None}
    newcomers = [known for known, doubt in held.items() if doubt.against >= doubts.LIMIT and not doubt.since]
    tipped = {known for known, doubt in held.items() if doubt.value >= doubts.LIMIT}
    asked: dict[str, tuple[str, ...]] = dict.fromkeys(newcomers, ())
    if tipped and not newcomers:
        newest = sorted(told, key=lambda one: (trusted_since(one.block), one.block.id), reverse=True)
        answering = [one for one in newest if not is_in_doubt(one.block)]
        able = [one for one in answering if not is_protected(one)] or answering
        suspect = min((one.block for one in able), key=value, default=None)
        if suspect is not None:
            asked[suspect.id] = tuple(one.block.id for one in told if one.block.id != suspect.id)
    after = []
    for one in told:
        doubt = one.block.doubt
        if doubt is not None and one.block.id in tipped:
            doubt = replace(doubt, value=doubts.RESTED)
        if doubt is not None and one.block.id in asked:
            doubt = replace(doubt, since=at, beside=asked[one.block.id])
        after.append(replace(one, block=replace(one.block, doubt=doubt)) if doubt != one.block.doubt else one)
    return tuple(after)
