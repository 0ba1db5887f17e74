"""Impact of blocks: the success rate of decisions that applied some, compared with those that had or were given none.

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
    """A decision with its outcome: the blocks applied (may be none), whether it was held out, whether it succeeded."""

    decision: str
    applied: tuple[str, ...]
    held_out: bool
    ok: bool


@dataclass(frozen=True, slots=True)
class Use:
    """One block's success rate over all decisions that applied it."""

    block_id: str
    rate: Rate


@dataclass(frozen=True, slots=True)
class Impact:
    """Success rates with blocks, without any, and with blocks held out; the interval of the gap; each block's rate.

    ``gap`` is the 90 % interval of the rate with blocks minus that of the comparison group: the held-out decisions if
    there are any, else those that had nothing to apply.
    """

    applied: Rate
    without: Rate
    held_out: Rate
    gap: tuple[float, float]
    blocks: tuple[Use, ...]


def impact(outcomes: Iterable[Told]) -> Impact:
    """Aggregate the outcomes of all decisions; blocks are ordered by how often they were used."""
    counts = {"applied": [0, 0], "without": [0, 0], "held_out": [0, 0]}
    blocks: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for one in outcomes:
        kind = "held_out" if one.held_out else "applied" if one.applied else "without"
        counts[kind][0] += one.ok
        counts[kind][1] += 1
        if kind == "applied":
            for block_id in one.applied:
                blocks[block_id][0] += one.ok
                blocks[block_id][1] += 1
    rates = {kind: rate(ok, total) for kind, (ok, total) in counts.items()}
    # Held-out decisions differ from the others by chance alone; those without blocks may be of harder tasks.
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
    """Whether a decision is held out, determined by its id alone; a ``share`` of 0 holds out none, 1 all."""
    return int.from_bytes(sha256(decision.encode()).digest()[:8], "big") < share * 2**64
