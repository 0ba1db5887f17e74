"""Three-way merge of the blocks of two histories, by id and independent of which side asks (issue 7, R2.47).

What both added alike becomes one block.

Counts add what each side added; states follow from counts and evidence; what the merged ledger says was decided holds.
Of a text that both sides changed both versions stay: one in place, the other as a candidate that ``replaces`` it.
``merge_fields`` says what becomes of each field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_edits import same_block
from alice_exp.model.rules.identity import Sameness, derived_id, sameness
from alice_exp.model.rules.lifecycle import DEFAULT, PROMOTED, Thresholds, lived, risen
from alice_exp.model.values.block import (
    BOUND,
    CONFIDENCE,
    EVIDENCE_KEPT,
    Block,
    Entry,
    Evidence,
    Placed,
    State,
    content_hash,
    content_of,
    path_of,
)
from alice_exp.sync.rules.merge_fields import Versions, age, folded, merged, parted

CONFLICT = "conflict"
"""The kind of evidence that records that a text was written differently on two machines."""


def merge(
    base: Mapping[str, Placed],
    ours: Mapping[str, Placed],
    theirs: Mapping[str, Placed],
    thresholds: Thresholds = DEFAULT,
    entries: Mapping[str, Entry] = MappingProxyType({}),
) -> tuple[dict[str, Placed], tuple[str, ...]]:
    """Merge all blocks of two sides with the common ancestor ``base`` (empty if they share no history), by id; returns
    them, and the ids of those whose text both sides changed.

    ``entries`` are those of the merged ledger: where a person decided, the block says and stands as was decided.
    """
    result: dict[str, Placed] = {}
    second: list[Placed] = []
    conflicts: list[str] = []
    for block_id in sorted({*base, *ours, *theirs}):
        was, one, other = base.get(block_id), ours.get(block_id), theirs.get(block_id)
        kept, loser = merge_block(was, one, other, thresholds, entries.get(block_id))
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
    return result, tuple(conflicts)


def merge_block(
    was: Placed | None,
    one: Placed | None,
    other: Placed | None,
    thresholds: Thresholds = DEFAULT,
    entry: Entry | None = None,
) -> tuple[Placed | None, Placed | None]:
    """Merge one block: the result (None: removed), and the candidate that keeps the losing text, if any.

    An equal change on both sides counts as two acts, since what both had in common is in ``was``.
    """
    # What one side alone changed holds, a hand edit too: it waits where it stands, as it does where nobody else acts.
    if other == was or (one == other and (was is None or one is None)):
        kept = one
    elif one == was:
        kept = other
    elif one is None or other is None:
        changed = one or other
        assert was is not None and changed is not None
        # What one side removed stays if the other did more than read or show it, so that no act is lost.
        kept = None if changed.path == was.path and same_block(changed.block, was.block) else changed
    else:
        return _both(was, one, other, thresholds, entry)
    return kept, None


def _both(
    was: Placed | None, one: Placed, other: Placed, thresholds: Thresholds, entry: Entry | None
) -> tuple[Placed, Placed | None]:
    home = _place(was, one, other, entry)
    text, loser = _text(was, one, other, entry)
    b, o, t = (was.block if was else None), one.block, other.block
    block = merged(Versions(b, o, t, text.block, home.block))
    state = _state(b, o, t, lived(block), thresholds)
    # An obsolete block belongs in the archive; if the later decision moved it elsewhere, that side's state holds.
    if state == "obsolete" and home.place != "archive" and one.path != other.path:
        state = home.block.state
    block = _with_state(block, state, home, thresholds)
    if entry is not None and entry.standing == "trusted" and content_hash(block) == entry.content:
        block = replace(block, **{name: getattr(entry, name) for name in BOUND})
    if home.place == "personal":
        block = replace(block, about="user", shareable=False)
    return Placed(block, home.path), _candidate(loser, home) if loser is not None else None


def _place(was: Placed | None, one: Placed, other: Placed, entry: Entry | None) -> Placed:
    """The side whose place holds: as was decided, else the one that moved the block, else which both choose alike."""
    if one.path == other.path:
        return max((one, other), key=lambda p: (p.block.archived is not None, age(p.block)))
    if entry is not None and (held := [p for p in (one, other) if _stands(entry, p)]):
        return held[0]
    if was is not None and one.path == was.path:
        return other
    if was is not None and other.path == was.path:
        return one
    return max((one, other), key=lambda p: (p.place == "archive", p.place == "personal", p.path))


def _stands(entry: Entry, placed: Placed) -> bool:
    """Whether a block stands where a decision put it."""
    if entry.standing == "trusted":
        return placed.path == entry.path
    return (placed.place == "archive") == (entry.standing != "waiting")


def _text(
    was: Placed | None, one: Placed, other: Placed, entry: Entry | None
) -> tuple[Placed, Placed | None]:
    """The side whose text stays, and the other if its text is new: the text decided on wins, otherwise the later."""
    x, y = content_hash(one.block), content_hash(other.block)
    if x == y:
        return one, None
    sides = {x: one, y: other}
    new = [text for text in sides if was is None or text != content_hash(was.block)]
    decided = entry.content if entry is not None else ""
    stays = decided if decided in sides else max(new, key=lambda text: age(sides[text].block))
    loser = y if stays == x else x
    return sides[stays], sides[loser] if loser in new else None


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
    return risen(state, verifications, thresholds) if both_succeeded else state


def _with_state(block: Block, state: State, home: Placed, thresholds: Thresholds) -> Block:
    """Set the state, obsolete if the block was archived as such. The badge has to wait for one more success."""
    archived = home.block.archived
    if archived is not None and archived.reason == "obsolete":
        state = "obsolete"
    rose = state == "reliable" and home.block.state != "reliable"
    if rose and lived(block) >= thresholds.super_reliable:
        piece = Evidence(PROMOTED, at=block.updated_at, quote="past → reliable")
        block = replace(block, evidence=(*block.evidence, piece)[-EVIDENCE_KEPT:])
    return replace(block, state=state)


def _candidate(loser: Placed, home: Placed) -> Placed:
    """The losing text as a candidate of its project, with an id that both machines derive equally."""
    block = loser.block
    # Not the present time: both machines have to compose the same bytes.
    at = block.updated_at or block.created_at or "1970-01-01T00:00:00Z"
    note = Evidence(
        CONFLICT, at=at, quote=f"written on one machine while {home.block.id} was changed on another"
    )
    # Its key stays with the text that holds: two blocks of one key are one.
    made = content_of(
        block,
        id=second_id(block),
        key="",
        evidence=(*block.evidence, note)[-EVIDENCE_KEPT:],
        replaces=(block.id,),
        created_at=at,
        updated_at=at,
    )
    return Placed(made, path_of("low_value", f"pending_{at[:10].replace('-', '')}"))


def second_id(block: Block) -> str:
    """The id of the candidate for a losing text: a hash of the block's id and content, so equal on all machines."""
    return derived_id(f"{block.id} {content_hash(block)}")


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
            if any(
                self._folded_in(self.one, block_id, x) and self._folded_in(self.other, block_id, y)
                for x, y in ((first, second), (second, first))
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
            state = _united_state(first, placed.block, lived(block), thresholds)
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


def _united_state(first: Placed, second: Block, verifications: int, thresholds: Thresholds) -> State:
    """A decided block keeps its state; two candidates get the higher state, and one level more if both succeeded."""
    state = first.block.state
    if first.place != "low_value":
        return state
    state = max(state, second.state, key=CONFIDENCE.__getitem__)
    succeeded = min(first.block.verifications, second.verifications) > 0
    return risen(state, verifications, thresholds) if succeeded else state
