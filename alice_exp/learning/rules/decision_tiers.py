"""The tier rule: which of the blocks that fit a task are applied (DESIGN 12.1, which replaces R2.35 and R2.36).

personal proven ▸ universal proven ▸ trial (approved, not proven) ▸ low_value (unreviewed) ▸ own reasoning. The first
tier with a match answers. Strict precedence would let a weak personal match hide a strong universal one, so a block
counts as a match only near the best among all approved ones.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Literal

from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.doubt import is_in_doubt, outcomes_since_kept
from alice_exp.model.rules.trusted_places import TRUSTED
from alice_exp.model.values.config import Config

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from alice_exp.finding.rules.nearness.statement import Statement
    from alice_exp.finding.rules.ranking import Match
    from alice_exp.model.values.block import Placed

HIGH_CONFIDENCE = Config().number("thresholds.high_confidence")
"""The lowest trust · confidence of a proven block (R2.38, ``thresholds.high_confidence``)."""

LOW_VALUE_WARNING = "⚠️ 启用低价值经验（所有高价值路径失效）"
"""The warning when only the pool has an answer (R2.35)."""

UNKEPT_WARNING = "this decision could not be kept, so its outcome cannot be reported"
IN_DOUBT_WARNING = "what fits is in doubt: use your own reasoning, the person is asked"
"""The warning when every approved block that fits is in doubt."""

NEAR_BEST = 0.6
"""A block counts as a match from this share of the best match among all approved blocks."""

MOST_APPLIED = 3
"""The most blocks of one tier that are applied: more is no guidance."""

MOST_COMPLEMENTS = 2
"""The most proven blocks of a lower tier that join."""

Tier = Literal["personal", "universal", "trial", "low_value", "reasoning"]


@dataclass(frozen=True, slots=True)
class Applied:
    """A block to apply: its match, the tier that it belongs to, and whether it stands behind the answer as a
    complement."""

    match: Match
    tier: Tier
    complement: bool = False

    @property
    def placed(self) -> Placed:
        """The block and its place."""
        return self.match.placed

    @property
    def tried(self) -> tuple[int, int]:
        """(successes, uses) among its kept outcomes: what "not proven yet: 4 of 10" counts."""
        ok, failed = outcomes_since_kept(self.placed.block)
        return ok, ok + failed


@dataclass(frozen=True, slots=True)
class Choice:
    """The tier that answers, what to apply, best first, what to observe, and whether a disclaimer is due.

    ``observing`` are approved matches that are not applied: an outcome may name one that was used all the same.
    ``held_out`` are ids that the lot kept back, for comparison (DESIGN 12.6).
    """

    tier: Tier
    applied: tuple[Applied, ...] = ()
    observing: tuple[Match, ...] = ()
    disclaim: bool = False
    warnings: tuple[str, ...] = ()
    held_out: tuple[str, ...] = ()


def choose(
    matches: Iterable[Match],
    threshold: float = HIGH_CONFIDENCE,
    is_held_out: Callable[[str], bool] = lambda _: False,
    is_like_rejected: Callable[[Placed], bool] = lambda _: False,
) -> Choice:
    """Apply the first tier with a match; ``matches`` are in the order of their score.

    Those that are not ``clear`` by themselves do not count. A block is proven if it is personal and at least past, or
    universal and reliable, and trust · confidence reaches ``threshold``. ``is_held_out`` is asked for the first block
    of the answering tier, unless nobody has approved it: what it holds out is as if it did not exist. A candidate that
    ``is_like_rejected`` is never applied (DESIGN 13).
    """
    given = [match for match in matches if match.clear and match.placed.block.state != "obsolete"]
    held_out: list[str] = []
    while True:
        left = [one for one in given if one.placed.block.id not in held_out]
        tier, applied = _answer(left, threshold, is_like_rejected)
        if not applied or tier == "low_value" or not is_held_out(applied[0].placed.block.id):
            break
        held_out.append(applied[0].placed.block.id)
    approved = [match for match in given if match.approved and match.placed.block.id not in held_out]
    used = {one.placed.block.id for one in applied}
    observing = tuple(match for match in approved if match.placed.block.id not in used)
    warnings: tuple[str, ...] = (LOW_VALUE_WARNING,) if tier == "low_value" else ()
    if tier == "reasoning" and observing:
        warnings = (IN_DOUBT_WARNING,)
    return Choice(tier, applied, observing, tier == "low_value", warnings, tuple(held_out))


def _answer(
    given: list[Match], threshold: float, is_like_rejected: Callable[[Placed], bool]
) -> tuple[Tier, tuple[Applied, ...]]:
    approved = [match for match in given if match.approved]
    if not approved:
        pool = [
            match
            for match in given
            if match.placed.place == "low_value"
            and not is_withheld(match.placed)
            and not is_like_rejected(match.placed)
        ]
        return ("low_value", _of("low_value", pool)) if pool else ("reasoning", ())
    floor = NEAR_BEST * max(match.match for match in approved)
    near = [match for match in approved if match.match >= floor]
    proven: dict[Tier, list[Match]] = {
        tier: [match for match in near if match.placed.place == tier and _is_proven(match, threshold)]
        for tier, _ in TRUSTED
    }
    for number, (tier, _) in enumerate(TRUSTED):
        if proven[tier]:
            first = _of(tier, proven[tier])
            lower = [(below, match) for below, _ in TRUSTED[number + 1 :] for match in proven[below]]
            best = max(one.match.match for one in first)
            taken: dict[str, Statement] = {}
            joining = (
                Applied(match, below, True)
                for below, match in lower
                if match.match >= best and not any(_opposes(match.placed, one.placed, taken) for one in first)
            )
            # Taken one by one: comparing two texts closely costs a millisecond.
            return tier, (*first, *islice(joining, MOST_COMPLEMENTS))
    trial = [match for match in near if not is_in_doubt(match.placed.block)]
    if trial:
        best = max(match.match for match in trial)
        return "trial", (Applied(min(trial, key=lambda match: _trial_order(match, best)), "trial"),)
    return "reasoning", ()


def _opposes(one: Placed, other: Placed, taken: dict[str, Statement]) -> bool:
    from alice_exp.finding.rules.nearness.relation import opposes

    if (known := opposes(one, other, taken)) is not None:
        return known
    # Loaded where it may have more to say: it knows the other names of what is told.
    from alice_exp.finding.rules.nearness.neighbourhood import Neighbourhood

    found = Neighbourhood([other]).relations(one)
    return any(relation.kind == "opposes" for relation in found)


def _of(tier: Tier, found: list[Match]) -> tuple[Applied, ...]:
    return tuple(Applied(match, tier) for match in found[:MOST_APPLIED])


def _is_proven(match: Match, threshold: float) -> bool:
    placed = match.placed
    if round(match.trust * match.confidence, 6) < threshold:
        return False
    # What the person said stays applied while it is in doubt: only the person takes it back (12.5).
    if placed.place != "personal" and is_in_doubt(placed.block):
        return False
    return any(placed.place == place and placed.block.state in states for place, states in TRUSTED)


def _trial_order(match: Match, best: float) -> tuple[float, bool, tuple[int, ...], str]:
    block = match.placed.block
    ok, failed = outcomes_since_kept(block)
    worth = match.match / best * (ok + 3) / (ok + failed + 4)
    newest = block.approved.at if block.approved is not None else ""
    return -round(worth, 9), match.placed.place != "personal", tuple(-ord(char) for char in newest), block.id


def is_withheld(placed: Placed) -> bool:
    """Whether a candidate failed before a person has decided on it: it is not applied until then (DESIGN 12.1)."""
    return placed.place == "low_value" and bool(placed.block.open_failures)
