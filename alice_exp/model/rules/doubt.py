"""Doubt: when recent outcomes say that a lesson may no longer hold (DESIGN 12.4, 12.5, 12.8); what waits for another.

Every failure about doubles the doubt in a lesson, every success halves it, each outcome and each day of use add a
little. The value is a sequential test: against a block whose success rate stands, the chance that it ever reaches one
in N days and n uses is at most N/32 + n/512. A newcomer among lessons that work is tested against their rate, too.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Literal

from alice_exp.kernel.text.times import seconds
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import (
    EVIDENCE_KEPT,
    Block,
    Doubt,
    Evidence,
    Placed,
    Record,
    is_approved,
    is_put_away,
    stretch,
)
from alice_exp.model.values.config import Config
from alice_exp.model.values.records import Episode
from alice_exp.model.values.snapshot import Snapshot

OUTCOMES = ("ok", "fail", "debounced")
"""Effects of the pieces of evidence that are outcomes."""

STILL_TRUE = "still_true"
"""Effect of the piece that keeps a person's answer: it still holds."""

DOUBTED = "doubted"
"""The concern of a block about which a person is asked."""

REPLACING = "replacing"
"""Trusted, and a person said that it takes the place of others."""

DAILY = 1 / 32
"""What the first outcome of a day adds."""

EACH = 1 / 512
"""What every outcome adds."""

RESTED = 1 / 4
"""The most after a person's answer, and the value after a question about it was put."""

LIMIT = 1.0
"""From this value on a person is asked about the lessons that were told together."""

ESTABLISHED = 10
"""From so many outcomes on a block's rate tells what others beside it are worth."""

NEW = 20
"""Over how many outcomes of its own a newcomer is tested."""

WORSE = 0.2
"""By how much less success than beside it a newcomer is suspected of."""


def after_outcome(doubt: Doubt | None, before: Record, ok: bool, at: str) -> Doubt:
    """The doubt after one outcome at ``at`` (ISO-8601 UTC), with the record ``before`` it, which speaks for a success
    rate, less a fifth, in [0.5, 0.8]: min(.8, max(.5, (a + 4)/(a + f + 5) - .2)); it latches nothing."""
    day = at[:10]
    held = doubt or Doubt(0.0, "")
    value = held.value + EACH + (DAILY if day > held.day else 0.0)
    rate = min(0.8, max(0.5, (before.ok + 4) / (before.ok + before.failed + 5) - 0.2))
    value = value / 2 if ok else value * (1 - rate / 2) / (1 - rate)
    return replace(held, value=round(value, 12), day=max(day, held.day))


def tested(doubt: Doubt, before: Record, ok: bool, beside: float | None) -> Doubt:
    """A newcomer's test against the rate in [0, 1] of the established blocks told with it (None: there are none).

    The test begins with the block's first outcome or never: the rate is fixed then, and it starts at 1/4. It ends with
    the twentieth outcome.
    """
    uses = before.ok + before.failed
    rate, against = doubt.rate, doubt.against
    if not rate and beside is not None and beside >= 0.5 and not uses:
        rate, against = round(min(0.95, beside), 6), RESTED
    if not rate or uses >= NEW:
        return doubt
    against *= (rate - WORSE) / rate if ok else (1 + WORSE - rate) / (1 - rate)
    return replace(doubt, rate=rate, against=round(against, 12))


def with_outcome(block: Block, ok: bool, at: str, beside: float | None = None) -> Block:
    """A block with one more outcome in its record and its doubt; its evidence is the caller's.

    What an older version wrote has neither: both are worked out from the pieces that it kept.
    """
    before = block.record
    doubt = block.doubt
    if before is None:
        before = kept_record(block.evidence)
        doubt = replayed(block.evidence, before) if doubt is None else doubt
        if doubt is not None:
            # Reading the past latches nothing: a person is asked about what happens from now on (12.8).
            doubt = replace(doubt, since="")
    record = Record(before.ok + ok, before.failed + (not ok))
    after = tested(after_outcome(doubt, before, ok, at), before, ok, beside)
    return replace(block, record=record, doubt=after)


def value(block: Block) -> float:
    """What a block is worth by its last outcomes, in (0, 1): (ok + 3)/(n + 4), three quarters for one without any."""
    ok, failed = outcomes_since_kept(block)
    return (ok + 3) / (ok + failed + 4)


def is_in_doubt(block: Block) -> bool:
    """Whether a person is asked if the block still holds."""
    return block.doubt is not None and block.doubt.since != ""


def rested(block: Block, at: str) -> Block:
    """A block after a person named another one of those told with it: its doubt is a quarter at most and its question
    closed, its failures stay (12.5)."""
    # Who answers about what nobody doubted brings no doubt in.
    held = block.doubt
    return replace(block, doubt=held and Doubt(min(RESTED, held.value), max(at[:10], held.day)))


def still_true(block: Block, at: str, note: str = "") -> Block:
    """A person's answer that it still holds: it is ``rested``, and its failures leave its value (12.5)."""
    piece = Evidence("decision", at=at, quote=note, effect=STILL_TRUE)
    return replace(rested(block, at), open_failures={}, evidence=(*block.evidence, piece)[-EVIDENCE_KEPT:])


def outcomes_since_kept(block: Block) -> tuple[int, int]:
    """(ok, failed) among the kept pieces after the last *still true*: what its value counts (12.1, 12.5)."""
    ok = failed = 0
    for piece in block.evidence:
        if piece.effect == STILL_TRUE:
            # Failures that a person has answered count no more; successes stay.
            failed = 0
        elif piece.effect == "ok":
            ok += 1
        elif piece.effect in OUTCOMES:
            failed += 1
    return ok, failed


def kept_record(evidence: Iterable[Evidence]) -> Record:
    """The outcomes among some pieces."""
    effects = [piece.effect for piece in evidence if piece.effect in OUTCOMES]
    return Record(effects.count("ok"), len(effects) - effects.count("ok"))


def replayed(evidence: Iterable[Evidence], record: Record) -> Doubt | None:
    """The doubt worked out anew over pieces, in the order of time (12.8); None without an outcome.

    From 0, or from 1/4 at most after the last *still true*, and from 1/4 where it reached one: a question was put
    then. The record before the first piece is ``record`` less the pieces themselves.
    """
    pieces = sorted(
        (piece for piece in evidence if piece.effect in (*OUTCOMES, STILL_TRUE)),
        key=lambda piece: (piece.at, piece.ref),
    )
    if not pieces:
        return None
    kept = kept_record(pieces)
    before = Record(max(0, record.ok - kept.ok), max(0, record.failed - kept.failed))
    doubt: Doubt | None = None
    for piece in pieces:
        if piece.effect == STILL_TRUE:
            doubt = Doubt(min(RESTED, doubt.value if doubt else RESTED), piece.at[:10])
            continue
        ok = piece.effect == "ok"
        doubt = after_outcome(doubt, before, ok, piece.at)
        if doubt.value >= LIMIT:
            doubt = replace(doubt, value=RESTED)
        before = Record(before.ok + ok, before.failed + (not ok))
    return doubt


def trusted_since(block: Block) -> str:
    """Since when a trusted block is: its approval, or else its first day."""
    return block.approved.at if block.approved is not None else block.created_at


def replaced(snapshot: Snapshot) -> frozenset[str]:
    """The ids of the trusted blocks that wait: the person said that another one replaces them, which is there,
    approved and not in doubt. Few blocks are read where a catalogue knows them."""
    return waiting(snapshot.concerned((REPLACING, "", "~")))


def waiting(blocks: Iterable[Placed]) -> frozenset[str]:
    """The ids that wait for one of some blocks; those that are not trusted, or in doubt, make nothing wait.

    In a circle, as two machines may close one, the word said last holds and the one that closes the circle does not.
    """
    winners = {
        p.block.id: p for p in blocks if p.block.replaces and is_approved(p) and not is_in_doubt(p.block)
    }
    said = sorted(winners.values(), key=lambda p: (trusted_since(p.block), p.block.id), reverse=True)
    below: defaultdict[str, set[str]] = defaultdict(set)
    for placed in said:
        for loser in placed.block.replaces:
            held = winners.get(loser)
            has_both = loser in placed.block.both or (held and placed.block.id in held.block.both)
            if not has_both and not _reaches(loser, placed.block.id, below):
                below[placed.block.id].add(loser)
    return frozenset().union(*below.values())


def _reaches(start: str, goal: str, below: Mapping[str, set[str]]) -> bool:
    met = left = {start}
    while left:
        left = set[str]().union(*(below.get(one, set()) for one in left)) - met
        met = met | left
    return goal in met


Use = Literal["told", "in_doubt", "replaced", "candidate", "withheld", "unapproved", "archived"]
"""``told``: where it fits; ``in_doubt``: a person is asked; ``replaced``: what they said replaces it is told;
``candidate``: applied only if nothing approved fits, with a disclaimer; ``withheld``: a candidate that failed before
the review; ``unapproved``: in personal or universal without an approval of what it says now; ``archived``: never
used."""


def use(placed: Placed, silent: Collection[str] = ()) -> Use:
    """The use of one block, whatever else matches; ``silent`` are the ids of those ``replaced``."""
    if placed.place == "archive" or placed.block.state == "obsolete" or is_put_away(placed):
        return "archived"
    if placed.place == "low_value":
        return "withheld" if placed.block.open_failures else "candidate"
    if not is_approved(placed):
        return "unapproved"
    if is_in_doubt(placed.block):
        return "in_doubt"
    return "replaced" if placed.block.id in silent else "told"


DAY = 86_400.0

DEFAULT_HALF_LIFE = 180.0
HALF_LIFE_DAYS: Mapping[str, float] = MappingProxyType(Config().half_life_days)
"""Half-life in days by type (R3.15, B3.9); other types have ``DEFAULT_HALF_LIFE``."""


WEIGHTS: Mapping[str, float] = MappingProxyType(Config().numbers("consolidation"))
"""The weights of the terms of consolidation, by name, each >= 0 (R3.7; from the configuration, R3.28)."""


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


def block_decay(
    block: Block, now: str, *, half_life_days: Mapping[str, float] = HALF_LIFE_DAYS, settled: bool = True
) -> float:
    """0.5 ^ (age / half-life) of a block at ``now``, in (0, 1] (R3.13, R3.14).

    The half-life is its type's (days, > 0) times ``stretch``, without its consolidation where not ``settled``.
    """
    half_life = half_life_days.get(block.type, DEFAULT_HALF_LIFE)
    half_life *= stretch(block.consolidation_score if settled else 0.0, block.emotional_weight)
    return float(0.5 ** (age_days(block.updated_at, now) / half_life))


def consolidation_of(
    block: Block,
    now: str,
    *,
    half_life_days: Mapping[str, float] = HALF_LIFE_DAYS,
    weights: Mapping[str, float] = WEIGHTS,
    unfolded: int = 0,
) -> Consolidation:
    """0.5 · frequency + 0.2 · longevity + 0.3 · recency of a block, clamped to [0, 1], with its terms (R3.7): of n
    reads ln(1 + n) / ln(100) (R3.8, B3.3), the age in days over 365 (R3.9), each 1 at most.

    ``unfolded`` reads are more than it holds; the score stored in it is that of the last fold (B3.4, B3.6). Recency
    decays by the base half-life: with the stretched one the score would depend on itself (R3.11, B3.2).
    """
    often = min(1.0, math.log1p(block.access_count + unfolded) / math.log(100))
    long = min(1.0, age_days(block.created_at, now) / 365)
    lately = block_decay(block, now, half_life_days=half_life_days, settled=False)
    score = weights["frequency"] * often + weights["longevity"] * long + weights["recency"] * lately
    return Consolidation(often, long, lately, min(1.0, max(0.0, score)))


Z = 1.645
"""Standard deviations of a two-sided 90 % interval, with which three successes of three are more than chance."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Successes and trials, with the bounds of the rate's 90 % interval in [0, 1]."""

    successes: int
    total: int
    low: float
    high: float

    @property
    def value(self) -> float:
        """The rate itself in [0, 1]; 0.0 without trials."""
        return self.successes / self.total if self.total else 0.0


def rate(successes: int, total: int, z: float = Z) -> Rate:
    """A rate with Wilson's score interval (Wilson 1927); 0 to 1 without trials."""
    if not total:
        return Rate(0, 0, 0.0, 1.0)
    share, square = successes / total, z * z
    centre = (share + square / (2 * total)) / (1 + square / total)
    half = z * math.sqrt(share * (1 - share) / total + square / (4 * total * total)) / (1 + square / total)
    return Rate(successes, total, max(0.0, centre - half), min(1.0, centre + half))


def difference(one: Rate, other: Rate) -> tuple[float, float]:
    """The interval of ``one - other``, in [-1, 1] (Newcombe 1998, method 10: from both score intervals)."""
    gap = one.value - other.value
    return (
        gap - math.hypot(one.value - one.low, other.high - other.value),
        gap + math.hypot(one.high - one.value, other.value - other.low),
    )


def of_tasks(episodes: Iterable[Episode], tiers: Sequence[str] = ("reasoning",)) -> Rate:
    """How the tasks went that a decision told something of these tiers for; else those it had nothing approved for."""
    begins = tuple(f"{tier}: " for tier in tiers)
    ended = [one.success for one in episodes if (one.told or one.action).startswith(begins)]
    return rate(sum(ended), len(ended))


Verdict = Literal["helped", "in_doubt", "open", "unused"]
"""``helped``: its tasks went better than those without any block, beyond chance; ``unused``: no outcome yet."""


def judged(
    placed: Placed, without: Rate, since: str = "~", silent: Collection[str] = ()
) -> tuple[Rate, Verdict]:
    """How often an approved block worked, and what that says beside the tasks ``without`` any. Of what is about the
    person no use is counted; what is trusted after ``since``, or ``silent``, could hardly be used."""
    record = placed.block.record or Record()
    found = rate(record.ok, record.ok + record.failed)
    if is_in_doubt(placed.block):
        return found, "in_doubt"
    could_be = trusted_since(placed.block) <= since and placed.block.id not in silent
    if not found.total and placed.place != "personal" and could_be:
        return found, "unused"
    return found, "helped" if difference(found, without)[0] > 0 else "open"
