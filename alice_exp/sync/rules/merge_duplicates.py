"""Unites equal candidates of two machines in one block, independent of which machine asks (DESIGN 3, issue 7).

On one machine what repeats a known block becomes an observation of it. What was captured or remembered on two machines
meets only here: the block in the pool is folded into the one that a person decided on, else into the older of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.identity import sameness
from alice_exp.model.rules.lifecycle import DEFAULT, TABLE
from alice_exp.model.values.block import CONFIDENCE, Placed, content_hash
from alice_exp.sync.rules.merge_fields import folded, parted

if TYPE_CHECKING:
    from alice_exp.model.rules.identity import Sameness
    from alice_exp.model.rules.lifecycle import Thresholds
    from alice_exp.model.values.block import Block, State

Blocks = Mapping[str, Placed]
_ORDER = {"personal": 0, "universal": 1, "archive": 2, "low_value": 3}


@dataclass(frozen=True, slots=True)
class _Histories:
    """The blocks of the common ancestor and of both sides."""

    was: Blocks
    one: Blocks
    other: Blocks

    def met_before(self, first: str, second: str) -> bool:
        """Whether one side has both blocks, equal already: there they were kept apart, so they stay apart."""
        sides = (side for side in (self.one, self.other) if first in side and second in side)
        return any(sameness(side[first].block) == sameness(side[second].block) for side in sides)

    def shared(self, same: Sameness, first: str, second: str) -> dict[str, Block]:
        """The ancestor blocks, by id, that both contain already and that must not be counted twice.

        One of the two, if a side folded it into the other, or a third block that each side folded into one of them.
        """
        found = {
            inner: self.was[inner].block
            for inner, outer in ((second, first), (first, second))
            if any(self._folded_in(side, inner, outer) for side in (self.one, self.other))
        }
        for block_id, before in self.was.items():
            if block_id in self.one or block_id in self.other or sameness(before.block) != same:
                continue
            pairs = ((first, second), (second, first))
            if any(
                self._folded_in(self.one, block_id, x) and self._folded_in(self.other, block_id, y)
                for x, y in pairs
            ):
                found[block_id] = before.block
        return found

    def came_back(self, result: Blocks) -> list[tuple[Block, str]]:
        """The ancestor blocks that one side folded into another block while the other side changed them so that they
        stand by themselves again, each with the id of what had taken it in."""
        return [
            (before.block, outer)
            for block_id, before in self.was.items()
            for side in (self.one, self.other)
            if block_id in result and block_id not in side
            for outer in side
            if outer in result and self._took(side[outer].block, before.block)
        ]

    def _took(self, outer: Block, before: Block) -> bool:
        """Whether a block took in ``before``: it is at least as old and says the same, or has its outcomes though it
        was not there when they happened."""
        if sameness(outer) == sameness(before):
            return outer.created_at <= before.created_at
        known = self.was[outer.id].block.evidence if outer.id in self.was else ()
        return any(
            piece.kind == "outcome" and piece in before.evidence and piece not in known
            for piece in outer.evidence
        )

    def _folded_in(self, side: Blocks, inner: str, outer: str) -> bool:
        """Whether a side folded ``inner`` into ``outer``: a block that absorbed another is at least as old as it."""
        if inner not in self.was or inner in side or outer not in side:
            return False
        return side[outer].block.created_at <= self.was[inner].block.created_at


def unite(
    merged: Blocks,
    was: Blocks,
    one: Blocks,
    other: Blocks,
    thresholds: Thresholds = DEFAULT,
    stays: Callable[[str], bool] = lambda _: False,
) -> dict[str, Placed]:
    """The merged blocks, with candidates of one side folded into equal blocks of the other, and decided blocks into
    those of the same set that say the same letter by letter.

    ``stays`` tells which blocks to keep apart (those with comments by a person). Nothing is counted twice: an act on a
    block that the other side has folded meanwhile adds only what it added itself. What was folded and has to stand by
    itself after all, because the other side wrote or decided on it otherwise, takes along what it had brought.
    """
    histories = _Histories(was, one, other)
    result = dict(merged)
    for same, group in _groups(merged).items():
        first = group[0]
        counted: set[str] = set()
        for placed in group[1:]:
            mine, its = first.block.id, placed.block.id
            if histories.met_before(mine, its) or stays(its):
                continue
            known = histories.shared(same, mine, its)
            # Two decided blocks stay two, unless nothing in them differs or one machine had folded what the other
            # decided on.
            is_one = known or content_hash(first.block) == content_hash(placed.block)
            if placed.place != "low_value" and (not is_one or placed.place != first.place):
                continue
            shared = {key: one for key, one in known.items() if key not in counted}
            counted.update(shared)
            block = folded(first.block, placed.block, tuple(shared.values()))
            state = _state(first, placed.block, block.verifications, thresholds)
            first = Placed(replace(block, state=state), first.path)
            result[mine] = first
            del result[its]
    for before, outer in histories.came_back(result):
        placed = result[outer]
        result[outer] = replace(placed, block=parted(placed.block, before))
    return result


def _groups(merged: Blocks) -> dict[Sameness, list[Placed]]:
    """Groups of equal blocks, the one to keep first: decided before candidate, then by age, then by id."""
    groups: dict[Sameness, list[Placed]] = {}
    for placed in merged.values():
        if placed.place != "archive" or placed.namespace == "rejected":
            groups.setdefault(sameness(placed.block), []).append(placed)
    for group in groups.values():
        group.sort(key=lambda p: (_ORDER[p.place], p.block.created_at, p.block.id))
    return {same: group for same, group in groups.items() if len(group) > 1 and not _is_conflict(group)}


def _is_conflict(group: list[Placed]) -> bool:
    """Whether one is the losing text of another after a conflict; the person has to see both."""
    ids = {placed.block.id for placed in group}
    return any(not ids.isdisjoint(placed.block.replaces) for placed in group)


def _state(first: Placed, second: Block, verifications: int, thresholds: Thresholds) -> State:
    """A decided block keeps its state; two candidates get the higher state, and one level more if both succeeded."""
    state = first.block.state
    if first.place != "low_value":
        return state
    state = max(state, second.state, key=CONFIDENCE.__getitem__)
    row = TABLE[state]
    needed = row.promotes_at(thresholds)
    succeeded = min(first.block.verifications, second.verifications) > 0
    if succeeded and needed is not None and verifications >= needed and row.promotes_to != "super_reliable":
        return row.promotes_to or state
    return state
