"""How a block is used: what decides that, by the block itself (DESIGN 12.1, 12.5)."""

from __future__ import annotations

from typing import Literal

from alice_exp.model.rules.doubt import is_in_doubt
from alice_exp.model.values.block import Placed, is_approved, is_put_away

Use = Literal["told", "in_doubt", "candidate", "withheld", "unapproved", "archived"]
"""``told``: where it fits; ``in_doubt``: a person is asked; ``candidate``: applied only if nothing approved fits, with
a disclaimer; ``withheld``: a candidate that failed before the review; ``unapproved``: in personal or universal without
an approval of what it says now; ``archived``: never used."""


def use(placed: Placed) -> Use:
    """The use of one block, whatever else matches."""
    if placed.place == "archive" or placed.block.state == "obsolete" or is_put_away(placed):
        return "archived"
    if placed.place == "low_value":
        return "withheld" if placed.block.open_failures else "candidate"
    if not is_approved(placed):
        return "unapproved"
    return "in_doubt" if is_in_doubt(placed.block) else "told"
