"""Rivals: two blocks of which one is told at a time, by the person's word, else by nearness (DESIGN 12.1, 13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from alice_exp.finding.rules.nearness.neighbourhood import Neighbourhood
    from alice_exp.model.values.block import Placed


def rivalry() -> Callable[[Placed, Placed], bool]:
    """Tells whether two approved blocks are rivals: one replaces the other, or says the opposite or another value.

    A person's *both* ends that. What was taken apart is kept as long as the function that is returned.
    """
    around: dict[str, Neighbourhood] = {}

    def are(one: Placed, other: Placed) -> bool:
        first, second = one.block, other.block
        if second.id in first.both or first.id in second.both:
            return False
        if second.id in first.replaces or first.id in second.replaces:
            return True
        # Loaded where two could be told: comparing them closely costs about a millisecond.
        from alice_exp.finding.rules.nearness.neighbourhood import Neighbourhood

        if second.id not in around:
            around[second.id] = Neighbourhood([other])
        return any(found.kind in ("opposes", "replaces") for found in around[second.id].relations(one))

    return are
