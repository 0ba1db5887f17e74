"""The tier rule: which of the blocks that fit a task are applied (R2.35-R2.38, B2.14, B2.16)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from alice_exp.model.rules.trusted_places import TRUSTED
from alice_exp.model.values.config import Config

if TYPE_CHECKING:
    from collections.abc import Iterable

    from alice_exp.finding.rules.ranking import Match

HIGH_CONFIDENCE = Config().number("thresholds.high_confidence")
"""The lowest trust · confidence applied without a disclaimer (R2.38, ``thresholds.high_confidence``)."""

LOW_VALUE_WARNING = "⚠️ 启用低价值经验（所有高价值路径失效）"
"""The warning when only the pool has an answer (R2.35)."""

Tier = Literal["personal", "universal", "low_value", "reasoning"]


@dataclass(frozen=True, slots=True)
class Choice:
    """The tier that answers, its matches to apply, those to observe, and whether a disclaimer is due.

    ``observing`` are approved matches of the tiers asked that are not yet trusted enough to be applied: an outcome
    may credit them, otherwise they could never rise (B2.16).
    """

    tier: Tier
    applied: tuple[Match, ...] = ()
    observing: tuple[Match, ...] = ()
    disclaim: bool = False
    warnings: tuple[str, ...] = ()


def choose(matches: Iterable[Match], threshold: float = HIGH_CONFIDENCE) -> Choice:
    """Personal (>= past), else approved universal (reliable), else the pool, else reasoning (R2.35-R2.38).

    A tier answers if one of its blocks reaches ``threshold`` with trust · confidence; decay orders but does not gate
    (B2.14). Tiers below the one that answers are not asked (R2.36). ``matches`` keep their order; those that are not
    ``clear`` by themselves do not count.
    """
    given = [match for match in matches if match.clear and match.placed.block.state != "obsolete"]
    observing: list[Match] = []
    for tier, states in TRUSTED:
        here = [match for match in given if match.placed.place == tier and match.approved]
        sure = [match for match in here if match.placed.block.state in states and _sure(match, threshold)]
        observing += [match for match in here if match not in sure]
        if sure:
            return Choice(tier, tuple(sure), tuple(observing))
    pool = tuple(match for match in given if match.placed.place == "low_value")
    if pool:
        return Choice("low_value", pool, tuple(observing), True, (LOW_VALUE_WARNING,))
    return Choice("reasoning", observing=tuple(observing))


def _sure(match: Match, threshold: float) -> bool:
    # Rounded, so that a product that equals the threshold in decimals is not lost in binary.
    return round(match.trust * match.confidence, 6) >= threshold
