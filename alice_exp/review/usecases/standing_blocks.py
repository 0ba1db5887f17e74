"""The blocks that stand in personal or universal without a decision of this home: typed there, edited, or brought by
plain git. They are approved together only when all their texts were shown (DESIGN 6, 13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.model.rules.private_facts import delicate
from alice_exp.model.rules.rejection import Rejections
from alice_exp.model.values.block import PLACES, Placed, is_approved, is_put_away

if TYPE_CHECKING:
    from alice_exp.home.ports import Home


def standing(home: Home) -> tuple[tuple[Placed, ...], tuple[Placed, ...]]:
    """Those that may be approved together; and those to decide on one by one, as they hold a secret or a private fact,
    or say what a person rejected."""
    snapshot = home.read(PLACES)
    rejections = Rejections.within(snapshot)
    together: list[Placed] = []
    apart: list[Placed] = []
    for placed in snapshot.within("personal", "universal"):
        if not is_approved(placed) and not is_put_away(placed):
            is_open = placed.place == "universal" and bool(delicate(placed.block))
            is_apart = is_open or rejections.find(placed.block.payload) is not None
            (apart if is_apart else together).append(placed)
    return tuple(together), tuple(apart)
