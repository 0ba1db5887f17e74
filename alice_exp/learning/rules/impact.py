"""Impact: how tasks went with approved blocks and without any, what each block's uses say (DESIGN 12.6), and how far
the signals of a kind agree with what was reported of the same decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal

from alice_exp.kernel.value_class import dataclass
from alice_exp.learning.rules.success_rates import Rate, difference, rate
from alice_exp.model.rules.doubt import is_in_doubt
from alice_exp.model.values.block import Placed, Record, is_approved
from alice_exp.model.values.records import Episode

Verdict = Literal["helped", "in_doubt", "open", "unused"]
"""``helped``: its tasks went better than those without any block, beyond chance; ``unused``: no outcome yet."""


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


def impact(placed: Iterable[Placed], episodes: Iterable[Episode]) -> Impact:
    """Compare the tasks that a decision told approved blocks for with those that it had nothing for.

    Nothing was left out by chance: easier tasks look like better lessons, so the difference is a hint and no proof.
    """
    counts = {True: [0, 0], False: [0, 0]}
    for one in episodes:
        tier, colon, _ = (one.told or one.action).partition(": ")
        if colon and tier in _TOLD | _WITHOUT:
            row = counts[tier in _TOLD]
            row[0] += one.success
            row[1] += 1
    told, without = rate(*counts[True]), rate(*counts[False])
    blocks = [BlockImpact(one, found, _verdict(one, found, without)) for one, found in _tried(placed)]
    blocks.sort(key=lambda one: (-one.rate.total, one.placed.block.id))
    return Impact(told, without, difference(told, without), tuple(blocks))


# Trials stand in the episodes of version 0.2.0.
_TOLD, _WITHOUT = frozenset(("personal", "universal", "trial", "start", "prompt")), frozenset(("reasoning",))


def _tried(placed: Iterable[Placed]) -> Iterable[tuple[Placed, Rate]]:
    for one in placed:
        if is_approved(one) and one.block.state != "obsolete":
            record = one.block.record or Record()
            yield one, rate(record.ok, record.ok + record.failed)


def _verdict(placed: Placed, found: Rate, without: Rate) -> Verdict:
    if is_in_doubt(placed.block):
        return "in_doubt"
    if not found.total:
        return "unused"
    return "helped" if difference(found, without)[0] > 0 else "open"


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
