"""Three-way merge of the blocks of two histories, by id and independent of which side asks (issue 7, R2.47).

Counts add what each side added; states follow from counts and evidence; a person's later decision about a block's
place holds. Of a text that both sides changed both versions stay: one in place, the other as a candidate that
``replaces`` it. ``merge_fields`` says what becomes of each field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_edits import same_block
from alice_exp.model.rules.derived_ids import derived_id
from alice_exp.model.rules.lifecycle import DEFAULT, PROMOTED, TABLE
from alice_exp.model.values.block import (
    CONFIDENCE,
    EVIDENCE_KEPT,
    Block,
    Evidence,
    Placed,
    content_hash,
    is_approved,
    path_of,
)
from alice_exp.sync.rules.merge_fields import Versions, age, merged

if TYPE_CHECKING:
    from alice_exp.model.rules.lifecycle import Thresholds
    from alice_exp.model.values.block import State

CONFLICT = "conflict"
"""The kind of evidence that records that a text was written differently on two machines."""


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged blocks by id, the ids of blocks whose text both sides changed, and of those that both decided on, each
    otherwise: of these the later decision holds."""

    blocks: Mapping[str, Placed]
    conflicts: tuple[str, ...] = ()
    overruled: tuple[str, ...] = ()


def merge(
    base: Mapping[str, Placed],
    ours: Mapping[str, Placed],
    theirs: Mapping[str, Placed],
    thresholds: Thresholds = DEFAULT,
) -> Merged:
    """Merge all blocks of two sides with the common ancestor ``base`` (empty if they share no history), by id."""
    result: dict[str, Placed] = {}
    second: list[Placed] = []
    conflicts: list[str] = []
    overruled: list[str] = []
    for block_id in sorted({*base, *ours, *theirs}):
        was, one, other = base.get(block_id), ours.get(block_id), theirs.get(block_id)
        kept, loser = merge_block(was, one, other, thresholds)
        if was and one and other and len({was.path, one.path, other.path}) == 3:
            overruled.append(block_id)
        if kept is not None:
            result[block_id] = kept
        if loser is not None:
            conflicts.append(block_id)
            second.append(loser)
    # A candidate that is in any history already was decided on there; it must not come back.
    known = {*base, *ours, *theirs}
    for placed in second:
        if placed.block.id not in known:
            result[placed.block.id] = placed
    return Merged(result, tuple(conflicts), tuple(overruled))


def merge_block(
    was: Placed | None, one: Placed | None, other: Placed | None, thresholds: Thresholds = DEFAULT
) -> tuple[Placed | None, Placed | None]:
    """Merge one block: the result (None: removed), and the candidate that keeps the losing text, if any.

    An equal change on both sides counts as two acts, since what both had in common is in ``was``.
    """
    if other == was or (one == other and (was is None or one is None)):
        return one, None
    if one == was:
        return other, None
    if one is None or other is None:
        return _removed_and_changed(was, one or other), None
    return _both(was, one, other, thresholds)


def _removed_and_changed(was: Placed | None, changed: Placed | None) -> Placed | None:
    """A block that one side removed stays if the other did more than read or show it, so that no act is lost."""
    if was is None or changed is None:
        return changed
    is_as_it_was = changed.path == was.path and same_block(changed.block, was.block)
    return None if is_as_it_was else changed


def _both(
    was: Placed | None, one: Placed, other: Placed, thresholds: Thresholds
) -> tuple[Placed, Placed | None]:
    home = _place(was, one, other)
    text, loser = _text(was, one, other)
    b, o, t = (was.block if was else None), one.block, other.block
    block = merged(Versions(b, o, t, text.block, home.block))
    state = _state(b, o, t, block.verifications, thresholds)
    # An obsolete block belongs in the archive; if the later decision moved it elsewhere, that side's state holds.
    if state == "obsolete" and home.place != "archive" and one.path != other.path:
        state = home.block.state
    block = _with_state(block, state, home, thresholds)
    if home.place == "personal":
        block = replace(block, about="user", shareable=False)
    beside = _candidate(loser, home) if loser is not None else None
    return Placed(block, home.path), beside


def _place(was: Placed | None, one: Placed, other: Placed) -> Placed:
    """The side whose place holds: the one that moved the block, or of two moves the later decision."""
    if one.path == other.path:
        return max((one, other), key=lambda p: (p.block.archived is not None, age(p.block)))
    if was is not None and one.path == was.path:
        return other
    if was is not None and other.path == was.path:
        return one
    return max((one, other), key=_decided)


def _decided(placed: Placed) -> tuple[str, bool, bool, str]:
    block = placed.block
    at = block.archived.at if block.archived else block.approved.at if block.approved else ""
    return at, placed.place == "archive", placed.place == "personal", placed.path


def _text(was: Placed | None, one: Placed, other: Placed) -> tuple[Placed, Placed | None]:
    """The side whose text stays, and the other if both changed it: an approved text wins, otherwise the later."""
    x, y = content_hash(one.block), content_hash(other.block)
    before = content_hash(was.block) if was is not None else ""
    if y == before or x == y:
        return one, None
    if x == before:
        return other, None
    stays = max((one, other), key=lambda p: (is_approved(p), age(p.block)))
    return stays, other if stays is one else one


def _state(was: Block | None, one: Block, other: Block, verifications: int, thresholds: Thresholds) -> State:
    """The merged state: a demotion on either side holds, and successes on both may raise it by one level."""
    x, y = one.state, other.state
    if was is not None and x == was.state:
        state = y
    elif was is not None and y == was.state:
        state = x
    else:
        state = min((x, y), key=CONFIDENCE.__getitem__)
    # Neither side alone had the verifications for the next level, but together they may.
    both_succeeded = (
        was is not None
        and min(one.verifications, other.verifications) > was.verifications
        and CONFIDENCE[state] == max(CONFIDENCE[x], CONFIDENCE[y])
    )
    row = TABLE[state]
    needed = row.promotes_at(thresholds)
    if (
        both_succeeded
        and needed is not None
        and verifications >= needed
        and row.promotes_to != "super_reliable"
    ):
        return row.promotes_to or state
    return state


def _with_state(block: Block, state: State, home: Placed, thresholds: Thresholds) -> Block:
    """Set the state, obsolete if the block was archived as such. The badge has to wait for one more success."""
    archived = home.block.archived
    if archived is not None and archived.reason == "obsolete":
        state = "obsolete"
    rose = state == "reliable" and home.block.state != "reliable"
    if rose and block.verifications >= thresholds.super_reliable:
        piece = Evidence(PROMOTED, at=block.updated_at, quote="past → reliable")
        block = replace(block, evidence=(*block.evidence, piece)[-EVIDENCE_KEPT:])
    return replace(block, state=state)


def _candidate(loser: Placed, home: Placed) -> Placed:
    """The losing text as a candidate, with an id that both machines derive equally."""
    block = loser.block
    # Not the present time: both machines have to compose the same bytes.
    at = block.updated_at or block.created_at or "1970-01-01T00:00:00Z"
    note = Evidence(
        CONFLICT, at=at, quote=f"written on another machine while {home.block.id} was changed here"
    )
    made = Block(
        id=second_id(block),
        payload=block.payload,
        trigger=block.trigger,
        type=block.type,
        about=block.about,
        tags=block.tags,
        evidence=(*block.evidence, note)[-EVIDENCE_KEPT:],
        replaces=(block.id,),
        origin=block.origin,
        importance=block.importance,
        created_at=at,
        updated_at=at,
    )
    return Placed(made, path_of("low_value", f"pending_{at[:10].replace('-', '')}"))


def second_id(block: Block) -> str:
    """The id of the candidate for a losing text: a hash of the block's id and content, so equal on all machines."""
    return derived_id(f"{block.id} {content_hash(block)}")
