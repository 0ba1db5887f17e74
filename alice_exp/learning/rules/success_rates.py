"""How sure a rate is: intervals of rates and of their difference, and whether a row of numbers rises or falls."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Z = 1.645
"""Standard deviations of a two-sided 90 % interval: three successes of three are then more than chance."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Successes of a number of trials, with the bounds of the 90 % interval; all but the counts in [0, 1]."""

    successes: int
    total: int
    low: float
    high: float

    @property
    def value(self) -> float:
        """The rate itself; 0.0 where nothing was tried."""
        return self.successes / self.total if self.total else 0.0


def rate(successes: int, total: int, z: float = Z) -> Rate:
    """A rate with Wilson's score interval (Wilson 1927); 0 to 1 where nothing was tried."""
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


def stratified_difference(strata: Iterable[tuple[int, int, int, int]], z: float = Z) -> tuple[float, float]:
    """The interval of a difference of rates in like situations, in [-1, 1] (Mantel-Haenszel; variance: Sato 1989).

    Each stratum is (successes with, trials with, successes without, trials without). Situations in which one of both
    never occurred say nothing; where that holds for all, the interval is -1 to 1.
    """
    gap = weight = first = second = 0.0
    for ok, tried, other_ok, other in strata:
        if not tried or not other:
            continue
        total = tried + other
        weight += tried * other / total
        gap += (ok * other - other_ok * tried) / total
        first += (tried**2 * other_ok - other**2 * ok + tried * other * (other - tried) / 2) / total**2
        second += (ok * (other - other_ok) + other_ok * (tried - ok)) / (2 * total)
    if not weight:
        return -1.0, 1.0
    middle = gap / weight
    half = z * math.sqrt(max(0.0, middle * first + second)) / weight
    return max(-1.0, middle - half), min(1.0, middle + half)


def trend(values: Sequence[float]) -> float:
    """How surely a row rises (> 0) or falls (< 0), in standard deviations (Mann-Kendall, ties corrected).

    0.0 for fewer than two values or where all are equal; quadratic in the length, so give the newest few hundred.
    """
    count = len(values)
    rises = sum((b > a) - (b < a) for index, a in enumerate(values) for b in values[index + 1 :])
    ties = [values.count(value) for value in set(values)]
    spread = _cubic(count) - sum(map(_cubic, ties))
    return (rises - math.copysign(1, rises)) / math.sqrt(spread / 18) if spread and rises else 0.0


def _cubic(count: int) -> int:
    return count * (count - 1) * (2 * count + 5)
