"""Equal candidates of two machines become one block, whichever machine asks (DESIGN 3, issue 7).

On one machine a candidate that says what is known already is an observation of it. What two machines captured apart
meets here: the pool's block goes into the one that a person decided on, or else into the older of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from alice_exp.model.rules.identity import sameness
from alice_exp.model.rules.lifecycle import DEFAULT, TABLE
from alice_exp.model.values.block import CONFIDENCE, Placed
from alice_exp.sync.rules.merge_blocks import joined_evidence

if TYPE_CHECKING:
    from alice_exp.model.rules.identity import Sameness
    from alice_exp.model.rules.lifecycle import Thresholds
    from alice_exp.model.values.block import Block, State

Blocks = Mapping[str, Placed]
_ORDER = {"personal": 0, "universal": 1, "archive": 2, "low_value": 3}


@dataclass(frozen=True, slots=True)
class _Histories:
    """What two sides grew from, and the two."""

    was: Blocks
    one: Blocks
    other: Blocks

    def met_before(self, first: str, second: str) -> bool:
        """Whether one side has both and they say the same there: somebody keeps two, and two they stay."""
        sides = (side for side in (self.one, self.other) if first in side and second in side)
        return any(sameness(side[first].block) == sameness(side[second].block) for side in sides)

    def shared(self, same: Sameness, first: str, second: str) -> dict[str, Block]:
        """What both blocks hold already, by id: one that a side folded into the other, one that each side folded."""
        found = {
            inner: self.was[inner].block
            for inner, outer in ((second, first), (first, second))
            if any(self._took(side, inner, outer) for side in (self.one, self.other))
        }
        for block_id, before in self.was.items():
            if block_id in self.one or block_id in self.other or sameness(before.block) != same:
                continue
            pairs = ((first, second), (second, first))
            if any(
                self._took(self.one, block_id, x) and self._took(self.other, block_id, y) for x, y in pairs
            ):
                found[block_id] = before.block
        return found

    def _took(self, side: Blocks, inner: str, outer: str) -> bool:
        """Whether a side's block holds what ``inner`` was: a block that took another in is no younger than it."""
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
    """The merged blocks, with candidates that one side captured folded into their equals of the other.

    ``stays`` names blocks that are kept apart (a person commented them). What was merged once is not counted again:
    an act on a block that the other side has folded meanwhile adds what it added.
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
            # Decided twice is one block all the same where one machine had folded what the other decided on.
            if placed.place != "low_value" and (not known or placed.place != first.place):
                continue
            shared = {key: one for key, one in known.items() if key not in counted}
            counted.update(shared)
            folded = _folded(first, placed.block, tuple(shared.values()), thresholds)
            first = Placed(folded, first.path)
            result[mine] = first
            del result[its]
    return result


def _groups(merged: Blocks) -> dict[Sameness, list[Placed]]:
    """Blocks that are one, the one that stays first: as decided, then the older, then by id."""
    groups: dict[Sameness, list[Placed]] = {}
    for placed in merged.values():
        if placed.place != "archive" or placed.namespace == "rejected":
            groups.setdefault(sameness(placed.block), []).append(placed)
    for group in groups.values():
        group.sort(key=lambda p: (_ORDER[p.place], p.block.created_at, p.block.id))
    return {same: group for same, group in groups.items() if len(group) > 1 and not _is_conflict(group)}


def _is_conflict(group: list[Placed]) -> bool:
    """Whether one of them is the other's text that gave way: the person has to see both."""
    ids = {placed.block.id for placed in group}
    return any(placed.block.supersedes in ids for placed in group)


def _folded(first: Placed, second: Block, shared: tuple[Block, ...], thresholds: Thresholds) -> Block:
    block = first.block
    verifications = _added(block, second, shared, "verifications")
    pieces = tuple(piece for one in shared for piece in one.evidence)
    return replace(
        block,
        # Each block is one observation more than it counts: it was seen when it was made.
        observations=max(0, _added(block, second, shared, "observations") + 1 - len(shared)),
        verifications=verifications,
        verifications_local=_added(block, second, shared, "verifications_local"),
        access_count=_added(block, second, shared, "access_count"),
        evidence=joined_evidence(replace(block, evidence=pieces) if shared else None, block, second),
        state=_state(first, second, verifications, thresholds),
        open_failures={**second.open_failures, **block.open_failures},
        extra={**second.extra, **block.extra},
        tags=tuple(dict.fromkeys((*block.tags, *sorted(second.tags)))),
        related=tuple(dict.fromkeys((*block.related, *sorted(second.related)))),
        importance=max(block.importance, second.importance),
        created_at=min(filter(None, (block.created_at, second.created_at)), default=""),
        updated_at=max(block.updated_at, second.updated_at),
        last_accessed_at=max(block.last_accessed_at, second.last_accessed_at),
        suggested=block.suggested or second.suggested,
    )


def _added(first: Block, second: Block, shared: tuple[Block, ...], name: str) -> int:
    known = sum(getattr(one, name) for one in shared)
    return int(max(0, getattr(first, name) + getattr(second, name) - known))


def _state(first: Placed, second: Block, verifications: int, thresholds: Thresholds) -> State:
    """A decided block keeps its state; of two candidates the higher, one level more where both succeeded."""
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
