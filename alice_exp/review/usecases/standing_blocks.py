"""The blocks that stand in universal without an approval of this home: typed there, or approved in a history that plain
git brought. They are approved together only when all their texts were shown (DESIGN 6, 13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.model.rules.private_facts import delicate
from alice_exp.model.rules.rejection import Rejections
from alice_exp.model.values.block import PLACES, Placed, is_approved

if TYPE_CHECKING:
    from alice_exp.home.ports import Home


def standing(home: Home) -> tuple[tuple[Placed, ...], tuple[Placed, ...]]:
    """Those that may be approved together; and those to decide on one by one, as they hold a secret or a private fact,
    or say what a person rejected."""
    snapshot = home.read(PLACES)
    rejections = Rejections.within(snapshot)
    together: list[Placed] = []
    apart: list[Placed] = []
    for placed in snapshot.within("universal"):
        if not is_approved(placed):
            is_apart = delicate(placed.block) or rejections.find(placed.block.payload) is not None
            (apart if is_apart else together).append(placed)
    return tuple(together), tuple(apart)
