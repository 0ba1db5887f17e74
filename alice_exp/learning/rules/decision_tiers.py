"""The tier rule: which of the blocks that fit a task may be applied (R2.35-R2.38, B2.14, B2.16)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from alice_exp.model.rules.trusted_places import TRUSTED
from alice_exp.model.values.config import Config

if TYPE_CHECKING:
    from collections.abc import Iterable

    from alice_exp.finding.rules.ranking import Match

HIGH_CONFIDENCE = Config().number("thresholds.high_confidence")
"""The least trust · confidence applied without a disclaimer (R2.38, ``thresholds.high_confidence``)."""

LOW_VALUE_WARNING = "⚠️ 启用低价值经验（所有高价值路径失效）"
"""What is said when only the pool has an answer (R2.35)."""

Tier = Literal["personal", "universal", "low_value", "reasoning"]


@dataclass(frozen=True, slots=True)
class Choice:
    """What the tier rule chose: the tier, its matches to apply, those to watch, and whether to disclaim.

    ``observing`` are approved matches of the tiers that were asked, not yet trusted enough to apply: an
    outcome may credit them, else they could never rise (B2.16).
    """

    tier: Tier
    applied: tuple[Match, ...] = ()
    observing: tuple[Match, ...] = ()
    disclaim: bool = False
    warnings: tuple[str, ...] = ()


def choose(matches: Iterable[Match], threshold: float = HIGH_CONFIDENCE) -> Choice:
    """Personal (>= past), else approved universal (reliable), else the pool, else reasoning (R2.35-R2.38).

    A tier answers where trust · confidence reaches the threshold; decay orders and never gates (B2.14). Tiers
    below the one that answers are not even asked (R2.36). ``matches`` fit already and keep their order; what is
    not clear by itself decides nothing.
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
    return round(match.trust * match.confidence, 6) >= threshold
