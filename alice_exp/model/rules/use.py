"""How a block is used and what would change that: the tier it belongs to, by itself (DESIGN 12.1, 12.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.doubt import is_in_doubt
from alice_exp.model.rules.lifecycle import DEFAULT, TABLE
from alice_exp.model.rules.trusted_places import TRUSTED
from alice_exp.model.values.block import Record, is_approved

if TYPE_CHECKING:
    from alice_exp.model.rules.lifecycle import Thresholds
    from alice_exp.model.values.block import Placed

Use = Literal["proven", "trial", "in_doubt", "candidate", "withheld", "unapproved", "archived"]
"""``proven``: applied first; ``trial``: approved, applied one at a time until proven; ``in_doubt``: a person is asked;
``candidate``: applied only if nothing approved fits, with a disclaimer; ``withheld``: a candidate that failed before
the review; ``unapproved``: in universal without an approval of what it says now; ``archived``: never used."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A block's use, its record, and how many successes more would prove it (0: none would, or it is proven)."""

    use: Use
    record: Record
    missing: int = 0


def standing(placed: Placed, thresholds: Thresholds = DEFAULT) -> Standing:
    """The use of one block, whatever else matches."""
    block, record = placed.block, placed.block.record or Record()
    if placed.place == "archive" or block.state == "obsolete":
        return Standing("archived", record)
    if placed.place == "low_value":
        return Standing("withheld" if block.open_failures else "candidate", record)
    if not is_approved(placed):
        return Standing("unapproved", record)
    if is_in_doubt(block):
        return Standing("in_doubt", record)
    if any(placed.place == place and block.state in states for place, states in TRUSTED):
        return Standing("proven", record)
    return Standing("trial", record, _missing(placed, thresholds))


def _missing(placed: Placed, thresholds: Thresholds) -> int:
    """Successes until the block's place trusts it: past in personal, reliable in universal; at most one level each."""
    goal = "past" if placed.place == "personal" else "reliable"
    state, count, steps = placed.block.state, placed.block.verifications, 0
    while state != goal:
        needed = TABLE[state].promotes_at(thresholds)
        upward = TABLE[state].promotes_to
        if needed is None or upward is None or upward == "super_reliable":
            return 0
        more = max(1, needed - count)
        count, steps, state = count + more, steps + more, upward
    return steps
