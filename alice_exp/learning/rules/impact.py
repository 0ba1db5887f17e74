"""Does experience help: success of decisions that applied blocks beside those that had none or were held out.

Source: issue "Finding, deciding, knowing", part 7; rates with Wilson intervals (``learning.rules.success_rates``).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from alice_exp.learning.rules.success_rates import Rate, difference, rate

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Told:
    """One decision that had its outcome: what was applied (empty: nothing), whether it was held out, how it went."""

    decision: str
    applied: tuple[str, ...]
    held_out: bool
    ok: bool


@dataclass(frozen=True, slots=True)
class Use:
    """One block over all decisions that applied it."""

    block_id: str
    rate: Rate


@dataclass(frozen=True, slots=True)
class Impact:
    """Success with blocks, without any, and where blocks were held out; the gap's interval; block by block.

    ``gap`` is the 90 % interval of with minus the comparison: the held-out decisions where there are any, since they
    are like the others but for chance, else those that had nothing to apply.
    """

    applied: Rate
    without: Rate
    held_out: Rate
    gap: tuple[float, float]
    blocks: tuple[Use, ...]


def impact(told: Iterable[Told]) -> Impact:
    """What the outcomes of all decisions come to; blocks by how often they were used."""
    counts = {"applied": [0, 0], "without": [0, 0], "held_out": [0, 0]}
    blocks: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for one in told:
        kind = "held_out" if one.held_out else "applied" if one.applied else "without"
        counts[kind][0] += one.ok
        counts[kind][1] += 1
        if kind == "applied":
            for block_id in one.applied:
                blocks[block_id][0] += one.ok
                blocks[block_id][1] += 1
    rates = {kind: rate(ok, total) for kind, (ok, total) in counts.items()}
    other = rates["held_out"] if rates["held_out"].total else rates["without"]
    uses = [Use(block_id, rate(ok, total)) for block_id, (ok, total) in blocks.items()]
    uses.sort(key=lambda use: (-use.rate.total, -use.rate.value, use.block_id))
    return Impact(
        rates["applied"],
        rates["without"],
        rates["held_out"],
        difference(rates["applied"], other),
        tuple(uses),
    )


def is_held_out(decision: str, share: float) -> bool:
    """Whether a decision is held out, by its id alone: the same id always answers the same; 0 holds out none."""
    return int.from_bytes(sha256(decision.encode()).digest()[:8], "big") < share * 2**64
