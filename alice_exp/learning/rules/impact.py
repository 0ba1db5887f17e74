"""Impact: what approved blocks bring together, what each brings, and what follows from it (DESIGN 12.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from alice_exp.kernel.value_class import dataclass
from alice_exp.learning.rules.lot import interval, pooled, rates, uses, verdict
from alice_exp.model.rules.trusted_places import TRUSTED
from alice_exp.model.values.block import is_approved

if TYPE_CHECKING:
    from collections.abc import Iterable

    from alice_exp.learning.rules.lot import Trial, Verdict
    from alice_exp.model.values.block import Placed

Proposal = Literal["promote", "keep", "retire"]


@dataclass(frozen=True, slots=True)
class Brought:
    """What a trial says: its outcomes, the success rate with and without (None: no outcome yet), the interval of their
    difference in [-1, 1], and the verdict."""

    uses: int
    applied: float | None
    held_out: float | None
    low: float
    high: float
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class BlockImpact:
    """What one approved block brought, and what follows."""

    placed: Placed
    brought: Brought
    proposal: Proposal


@dataclass(frozen=True, slots=True)
class Impact:
    """The portfolio, and each approved block that has an outcome by lot, the one with the most outcomes first."""

    portfolio: Brought
    blocks: tuple[BlockImpact, ...]


def impact(placed: Iterable[Placed]) -> Impact:
    """Aggregate the trials of all blocks, those in the archive among them.

    The portfolio counts what was archived out of ``personal/`` and ``universal/``: a block goes there after failures,
    and without it only the lucky ones would be left (with 12 blocks that bring nothing, of which every third failure
    archives one, 11 % instead of 2 % of portfolios were claimed falsely).
    """
    tried = [one for one in placed if uses(one.block.trial) and _counts(one)]
    blocks = [
        BlockImpact(one, found, proposal(one, found.verdict))
        for one in tried
        if is_approved(one)
        for found in (brought(one.block.trial),)
    ]
    blocks.sort(key=lambda one: (-one.brought.uses, one.placed.block.id))
    return Impact(brought(pooled(one.block.trial for one in tried)), tuple(blocks))


def brought(trial: Trial) -> Brought:
    """A trial's figures."""
    found = rates(trial)
    return Brought(uses(trial), found.applied, found.held_out, *interval(trial), verdict(trial))


def proposal(placed: Placed, found: Verdict) -> Proposal:
    """What hurts is to be retired; what helps and is not proven yet, promoted; all else kept as it is."""
    if found == "hurts":
        return "retire"
    is_proven = (placed.place, placed.block.state) in {
        (place, state) for place, states in TRUSTED for state in states
    }
    return "promote" if found == "helps" and not is_proven else "keep"


def _counts(placed: Placed) -> bool:
    """Whether a person approved the block, now or until it was archived."""
    archived = placed.block.archived
    if placed.place == "archive" and archived is not None:
        return archived.origin.partition("/")[0] in ("personal", "universal")
    return is_approved(placed)
