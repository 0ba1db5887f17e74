"""Blocks of two histories become one, by id and in three ways; which side asks makes no difference (issue 7, R2.47).

Counts add what each side added, states follow from counts and evidence, a person's later decision about where a
block belongs holds, and a text that both sides changed stays twice: one as it is, the other as a candidate that
``supersedes`` it. Where both sides say something different of one field, the side that was updated later has it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from alice_exp.model.formats.block_schema import block_json
from alice_exp.model.formats.change_edits import same_block
from alice_exp.model.rules.doubt import STILL_TRUE, kept_record, replayed
from alice_exp.model.rules.lifecycle import DEFAULT, PROMOTED, TABLE
from alice_exp.model.values.block import (
    CONFIDENCE,
    EVIDENCE_KEPT,
    Arms,
    Block,
    Doubt,
    Evidence,
    Placed,
    Record,
    content_hash,
    is_approved,
    path_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from alice_exp.model.rules.lifecycle import Thresholds
    from alice_exp.model.values.block import Approved, State

T = TypeVar("T")

CONFLICT = "conflict"
"""Kind of the evidence that tells that a text was written differently on two machines."""

_ALPHABET = "abcdefghijklmnopqrstuvwxyz23456789"
_COUNTS = ("verifications", "verifications_local", "observations", "access_count")
_LATEST = ("updated_at", "last_accessed_at", "consolidation_score")
_SINGLE = ("key", "suggested", "supersedes", "origin", "importance", "emotional_weight")


@dataclass(frozen=True, slots=True)
class Merged:
    """The blocks of both sides as they shall be, by id, and the ids of which both sides changed the text."""

    blocks: Mapping[str, Placed]
    conflicts: tuple[str, ...] = ()


def merge(
    base: Mapping[str, Placed],
    ours: Mapping[str, Placed],
    theirs: Mapping[str, Placed],
    thresholds: Thresholds = DEFAULT,
) -> Merged:
    """All blocks of two sides that grew from ``base`` (empty where they share no history), by id."""
    result: dict[str, Placed] = {}
    second: list[Placed] = []
    conflicts: list[str] = []
    for block_id in sorted({*base, *ours, *theirs}):
        was, one, other = base.get(block_id), ours.get(block_id), theirs.get(block_id)
        kept, loser = merge_block(was, one, other, thresholds)
        if kept is not None:
            result[block_id] = kept
        if loser is not None:
            conflicts.append(block_id)
            second.append(loser)
    known = {*base, *ours, *theirs}
    for placed in second:
        if placed.block.id not in known:
            result[placed.block.id] = placed
    return Merged(result, tuple(conflicts))


def merge_block(
    was: Placed | None, one: Placed | None, other: Placed | None, thresholds: Thresholds = DEFAULT
) -> tuple[Placed | None, Placed | None]:
    """One block in three ways: what it is now (None: gone), and the candidate that keeps the text that gave way.

    The same change on both sides is two acts: what both had is in ``was``.
    """
    if other == was or (one == other and (was is None or one is None)):
        return one, None
    if one == was:
        return other, None
    if one is None or other is None:
        return _removed_here_changed_there(was, one or other), None
    return _both(was, one, other, thresholds)


def _removed_here_changed_there(was: Placed | None, changed: Placed | None) -> Placed | None:
    """What was removed on one side stays if the other did more than read or show it: no act is lost."""
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
    three = _Three(b, o, t)
    counts: dict[str, Any] = {name: three.count(name) for name in _COUNTS}
    block = replace(
        text.block,
        **counts,
        **{name: max(getattr(o, name), getattr(t, name)) for name in _LATEST},
        **{name: three.later(name) for name in _SINGLE},
        evidence=joined_evidence(b, o, t),
        open_failures=three.keyed("open_failures"),
        record=three.record(),
        doubt=three.settled("doubt", lambda *_: _doubt(three)),
        trial=three.trial(),
        extra=three.keyed("extra"),
        tags=three.words("tags"),
        related=three.words("related"),
        shareable=three.settled("shareable", lambda x, y: x and y),
        created_at=min(filter(None, (o.created_at, t.created_at)), default=""),
        reported=three.settled("reported", lambda x, y: max((x, y), key=lambda r: r.at if r else "")),
        approved=_approved(three, text.block),
        archived=home.block.archived,
        signed=None,
    )
    state = _state(b, o, t, counts["verifications"], thresholds)
    if state == "obsolete" and home.place != "archive" and one.path != other.path:
        state = home.block.state
    block = _with_state(block, state, home, thresholds)
    if home.place == "personal":
        block = replace(block, about="user", shareable=False)
    beside = _candidate(loser, home) if loser is not None else None
    return Placed(block, home.path), beside


@dataclass(frozen=True, slots=True)
class _Three:
    """One block's fields in three ways; ``was`` is None where both sides made it."""

    was: Block | None
    one: Block
    other: Block

    def settled(self, name: str, decide: Callable[[Any, Any], Any]) -> Any:
        """The side that changed the field; ``decide`` where both did."""
        x, y = getattr(self.one, name), getattr(self.other, name)
        if self.was is not None:
            before = getattr(self.was, name)
            if x == before:
                return y
            if y == before:
                return x
        return x if x == y else decide(x, y)

    def later(self, name: str) -> Any:
        """The same, decided by the side that was updated later."""
        return self.settled(name, lambda x, y: x if later(self.one, self.other) is self.one else y)

    def count(self, name: str) -> int:
        """What was there and what each side added; the higher where nothing is known of before."""
        was = getattr(self.was, name) if self.was is not None else None
        return _added(was, getattr(self.one, name), getattr(self.other, name))

    def record(self) -> Record | None:
        """Outcomes added up as counts are; None where neither side has any."""
        if self.one.record is None and self.other.record is None:
            return None
        was = (self.was.record or Record()) if self.was is not None else None
        one, other = self.one.record or Record(), self.other.record or Record()
        return Record(
            _added(was.ok if was else None, one.ok, other.ok),
            _added(was.failed if was else None, one.failed, other.failed),
        )

    def trial(self) -> dict[str, Arms]:
        """The same for each arm of each share."""
        before = self.was.trial if self.was is not None else None
        result: dict[str, Arms] = {}
        for share in sorted({*self.one.trial, *self.other.trial}):
            was = before.get(share, _NO_ARMS) if before is not None else (None,) * 4
            one, other = self.one.trial.get(share, _NO_ARMS), self.other.trial.get(share, _NO_ARMS)
            a, b, c, d = map(_added, was, one, other)
            result[share] = (a, b, c, d)
        return result

    def words(self, name: str) -> tuple[str, ...]:
        """A list as a set: without what either side took out, with what either put in."""
        x, y = getattr(self.one, name), getattr(self.other, name)
        before = getattr(self.was, name) if self.was is not None else ()
        stay = [word for word in before if word in x and word in y]
        new = sorted({word for word in (*x, *y) if word not in before})
        return x if x == y else tuple(dict.fromkeys((*stay, *new)))

    def keyed(self, name: str) -> dict[str, Any]:
        """An object key by key; where both sides set a key, the larger value."""
        before = dict(getattr(self.was, name)) if self.was is not None else {}
        x, y = dict(getattr(self.one, name)), dict(getattr(self.other, name))
        result = {}
        for key in dict.fromkeys((*before, *sorted({*x, *y}))):
            mine, yours, old = x.get(key, _GONE), y.get(key, _GONE), before.get(key, _GONE)
            value = yours if mine == old else mine if yours == old else _larger(mine, yours)
            if value is not _GONE:
                result[key] = value
        return result


_NO_ARMS: Arms = (0, 0, 0, 0)


def _added(was: int | None, one: int, other: int) -> int:
    """What was there and what each side added; the higher where nothing is known of before."""
    return max(one, other) if was is None else max(0, one + other - was)


def _doubt(three: _Three) -> Doubt | None:
    """The doubt worked out anew over the pieces of both sides; a latch survives unless a later answer opened it
    (DESIGN 12.8)."""
    pieces = joined_evidence(three.was, three.one, three.other)
    doubt = replayed(pieces, three.record() or kept_record(pieces))
    if doubt is None:
        return max(
            (one for one in (three.one.doubt, three.other.doubt) if one is not None),
            key=_canonical,
            default=None,
        )
    answered = max((piece.at for piece in pieces if piece.effect == STILL_TRUE), default="")
    latches = [
        one.since for one in (three.one.doubt, three.other.doubt) if one is not None and one.since > answered
    ]
    return replace(doubt, since=min(latches, default=""))


class _Gone:
    """Stands for a key that is not there."""


_GONE: Any = _Gone()


def _larger(x: Any, y: Any) -> Any:
    if x is _GONE or y is _GONE:
        return y if x is _GONE else x
    return max(x, y, key=_canonical)


def _canonical(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)


def later(one: Block, other: Block) -> Block:
    """The block that was updated later; where that cannot be told, one of the two whatever their order."""
    return max((one, other), key=_age)


def _age(block: Block) -> tuple[str, str]:
    return block.updated_at, _canonical(block_json(block, "universal"))


def _place(was: Placed | None, one: Placed, other: Placed) -> Placed:
    """The side that says where the block belongs: the one that moved it, or the later decision of two."""
    if one.path == other.path:
        return max((one, other), key=lambda p: (p.block.archived is not None, _age(p.block)))
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
    """The side whose text stays, and the other where both changed it: what is approved stays, else the later."""
    x, y = content_hash(one.block), content_hash(other.block)
    before = content_hash(was.block) if was is not None else ""
    if y == before or x == y:
        return one, None
    if x == before:
        return other, None
    stays = max((one, other), key=lambda p: (is_approved(p), _age(p.block)))
    return stays, other if stays is one else one


def _approved(three: _Three, text: Block) -> Approved | None:
    """An approval of exactly what stays, the later of two; else whichever side changed it."""
    digest = content_hash(text)
    fits = [a for a in (three.one.approved, three.other.approved) if a is not None and a.hash == digest]
    if fits:
        return max(fits, key=lambda a: (a.at, a.signature))
    found: Approved | None = three.later("approved")
    return found


def joined_evidence(was: Block | None, one: Block, other: Block) -> tuple[Evidence, ...]:
    """All pieces of both sides in the order of time, the newest kept; a piece twice on one side counts twice."""
    if one.evidence == other.evidence and (was is None or was.evidence == one.evidence):
        return one.evidence
    pieces: list[tuple[str, str, Evidence]] = []
    for piece in dict.fromkeys((*one.evidence, *other.evidence)):
        x, y = one.evidence.count(piece), other.evidence.count(piece)
        before = was.evidence.count(piece) if was is not None else 0
        times = x + y - before if was is not None and min(x, y) >= before else max(x, y)
        key = _canonical([getattr(piece, name) for name in Evidence.__slots__])
        pieces += [(piece.at, key, piece)] * times
    return tuple(piece for *_, piece in sorted(pieces, key=lambda row: row[:2]))[-EVIDENCE_KEPT:]


def _state(was: Block | None, one: Block, other: Block, verifications: int, thresholds: Thresholds) -> State:
    """The state that both sides lead to: a fall on either side holds, and successes of both may rise one level."""
    x, y = one.state, other.state
    if was is not None and x == was.state:
        state = y
    elif was is not None and y == was.state:
        state = x
    else:
        state = min((x, y), key=CONFIDENCE.__getitem__)
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
    """The state, obsolete where the block was archived so; a badge that no single success gave has to wait."""
    archived = home.block.archived
    if archived is not None and archived.reason == "obsolete":
        state = "obsolete"
    rose = state == "reliable" and home.block.state != "reliable"
    if rose and block.verifications >= thresholds.super_reliable:
        piece = Evidence(PROMOTED, at=block.updated_at, quote="past → reliable")
        block = replace(block, evidence=(*block.evidence, piece)[-EVIDENCE_KEPT:])
    return replace(block, state=state)


def _candidate(loser: Placed, home: Placed) -> Placed:
    """The text that gave way, as a candidate whose id both machines would make up alike."""
    block = loser.block
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
        supersedes=block.id,
        origin=block.origin,
        importance=block.importance,
        created_at=at,
        updated_at=at,
    )
    return Placed(made, path_of("low_value", f"pending_{at[:10].replace('-', '')}"))


def second_id(block: Block) -> str:
    """The id of a candidate that keeps a text which gave way: it follows from the block's id and the text alone."""
    number = int.from_bytes(hashlib.sha256(f"{block.id} {content_hash(block)}".encode()).digest(), "big")
    characters = []
    for _ in range(8):
        number, rest = divmod(number, len(_ALPHABET))
        characters.append(_ALPHABET[rest])
    return "exp-" + "".join(characters)


def by_id(blocks: Iterable[tuple[str, Iterable[Block]]]) -> dict[str, Placed]:
    """Blocks by id from (path, blocks)."""
    return {block.id: Placed(block, path) for path, held in blocks for block in held if block.id}
