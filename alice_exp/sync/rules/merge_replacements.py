"""Sees to it that a merge leaves something in force where each side had (R2.47).

Each block merges by itself. One machine replaces a block by a candidate that the other one rejects; or two machines
replace it by different candidates, and each rejects the other's: by the later decision on each block none would hold.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.model.rules.lifecycle import heirs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from alice_exp.model.values.block import Placed

    Blocks = Mapping[str, Placed]


def in_force(merged: Blocks, was: Blocks, one: Blocks, other: Blocks) -> dict[str, Placed]:
    """The blocks, by id, that hold after all: the block that was to be replaced, as the side has it that kept it, else
    the replacement that was approved last.

    Only where the merge took from every heir of a block the place that its own side had given it, and no side ended the
    block without one.
    """
    found: dict[str, Placed] = {}
    for block_id, before in was.items():
        now = merged.get(block_id)
        if now is None or now.place != "archive" or not _is_trusted(before) or _held(merged, block_id):
            continue
        standing = [side[block_id] for side in (one, other) if _is_trusted(side.get(block_id))]
        held = [_held(side, block_id) for side in (one, other) if not _is_trusted(side.get(block_id))]
        if all(held):
            stays = max(standing or held[0] + held[-1], key=_approved)
            kept = merged[stays.block.id].block
            block = replace(kept, state=stays.block.state, approved=stays.block.approved, archived=None)
            found[stays.block.id] = replace(stays, block=block)
    return found


def _is_trusted(placed: Placed | None) -> bool:
    return placed is not None and placed.place in ("personal", "universal")


def _held(side: Blocks, block_id: str) -> list[Placed]:
    """The blocks in force on a side that took a block's place, or that of what took it."""
    return [placed for placed in _line(side, block_id) if _is_trusted(placed)]


def _line(side: Blocks, block_id: str) -> Iterator[Placed]:
    met, left = {block_id}, [block_id]
    while left:
        placed = side.get(left.pop())
        for heir in heirs(placed.block) if placed is not None and placed.place == "archive" else ():
            if heir not in met and heir in side:
                met.add(heir)
                left.append(heir)
                yield side[heir]


def _approved(placed: Placed) -> tuple[str, str]:
    block = placed.block
    return (block.approved.at if block.approved is not None else "", block.id)
