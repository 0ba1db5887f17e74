"""Reversal of acts, newest first, as one change (DESIGN 5, 7).

If every file is still as the acts left it, whole files are restored byte by byte, including comments and order;
otherwise block by block and record by record, so that later changes of others stay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace

from alice_exp.home.ports import Changed, FileVersion, Version
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_edits import same_block
from alice_exp.model.formats.record_schema import past_episodes, past_timeline
from alice_exp.model.rules.expiry import expired, is_expired
from alice_exp.model.values.block import Block, Placed
from alice_exp.model.values.changes import Put
from alice_exp.model.values.records import EPISODES_PATH, EVENTS_PATH, Episode, EpisodeBook, Segment, Timeline
from alice_exp.model.values.snapshot import Snapshot

RECORDS = (EPISODES_PATH, EVENTS_PATH)
"""The files that are reversed record by record."""


def book_before(file: FileVersion, present: EpisodeBook) -> EpisodeBook | None:
    """The present episodes without what an act did: its own go, those that it pruned come back, those that it changed
    are as before. Searches that were counted since stay counted. None if another act changed one of them.
    """
    was, became = (past_episodes((text or "{}").encode()) for text in (file.before, file.after))
    before, after = ({one.id: one for one in book.episodes} for book in (was, became))
    here = {one.id: one for one in present.episodes}
    for block_id in {*before, *after}:
        old, new, now = before.get(block_id), after.get(block_id), here.get(block_id)
        if _same(old, new):
            continue
        if not _same(new, now):
            return None
        if old is None:
            here.pop(block_id, None)
        else:
            here[block_id] = old if now is None else replace(old, access_count=now.access_count)
    capacity = was.capacity if became.capacity == present.capacity else present.capacity
    return EpisodeBook(tuple(here.values()), capacity)


def timeline_before(file: FileVersion, present: Timeline) -> Timeline | None:
    """The present timeline without the thought that an act told last; None if another act has changed it since.

    A thought with later ones behind it stays: their numbers, by which history finds them, would shift.
    """
    was, became = (past_timeline((text or "{}").encode()) for text in (file.before, file.after))
    if present == became:
        return was
    told = became.segments[-1:]
    is_one = became.segments[:-1] == was.segments and [one.segment_length for one in told] == [1]
    if not is_one or [*map(_bare, present.segments[-1:])] != [*map(_bare, told)]:
        return None
    return replace(present, total_events=present.total_events - 1, segments=present.segments[:-1])


def _same(one: Episode | None, other: Episode | None) -> bool:
    if one is None or other is None:
        return one is other
    return replace(one, access_count=0) == replace(other, access_count=0)


def _bare(segment: Segment) -> Segment:
    return replace(segment, id=0)


Texts = Callable[[str], "str | None"]
"""The present text of a file under ``experiences/``; ``None`` if it does not exist."""


@dataclass(frozen=True, slots=True)
class Reversal:
    """The changes of an undo: blocks to write, ids to remove, whole files, and the records as they shall be.

    ``conflicts`` are blocks and files that another act changed, ``left`` the commits that therefore stay in effect,
    in part or whole.
    """

    puts: tuple[Put, ...] = ()
    removes: tuple[str, ...] = ()
    texts: Mapping[str, str | None] = field(default_factory=dict)
    seen: Mapping[str, str | None] = field(default_factory=dict)
    blocks: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    left: frozenset[str] = frozenset()
    episodes: EpisodeBook | None = None
    timeline: Timeline | None = None

    @property
    def touched(self) -> tuple[str, ...]:
        """The blocks that change, or the files if no block does."""
        records = zip(RECORDS, (self.episodes, self.timeline), strict=True)
        return self.blocks or (*self.texts, *(path for path, value in records if value is not None))


def whole_files(changed: Sequence[Changed], snapshot: Snapshot, text: Texts, now: str) -> Reversal | None:
    """The acts' files as they were before; ``None`` if another act has changed one of them since.

    ``changed`` is newest first. Also ``None`` if the expiry of a candidate matters (one has expired, or one that
    returns would expire at once): then blocks return one by one.
    """
    present: dict[str, str | None] = {}
    began: dict[str, str | None] = {}
    expired_in = {placed.path for placed in expired(snapshot, now)}
    for one in changed:
        if not one.texts or _is_of_its_time(one, snapshot, now):
            return None
        for file in one.texts:
            if file.path not in present:
                began[file.path] = present[file.path] = text(file.path)
            if present[file.path] != file.after or file.path in expired_in:
                return None
            present[file.path] = file.before
    ids = tuple(dict.fromkeys(version.block_id for one in changed for version in one.blocks))
    return Reversal(
        texts={path: now for path, now in present.items() if now != began[path]}, seen=began, blocks=ids
    )


def by_block(changed: Sequence[Changed], snapshot: Snapshot, text: Texts, now: str) -> Reversal:
    """Return each block to what it was before the oldest of the acts on it, unless another act changed it since."""
    returned: dict[str, Version] = {}
    conflicts: dict[str, None] = {}
    left: set[str] = set()
    for one in changed:
        for version in _own(one):
            block_id = version.block_id
            earlier = returned.get(block_id)
            present = earlier.before if earlier is not None else snapshot.find(block_id)
            if block_id in conflicts or not _is_left_by(version, present):
                conflicts[block_id] = None
                left.add(one.commit.commit)
            else:
                returned[block_id] = version
    puts, removes = _returned(returned, snapshot, now)
    texts, seen, held = _texts(changed, text)
    episodes, timeline, kept = _records(changed, snapshot)
    held = (*held, *kept)
    left |= {one.commit.commit for one in changed if any(file.path in held for file in one.files)}
    return Reversal(
        puts,
        removes,
        texts,
        seen,
        tuple(returned),
        (*conflicts, *held),
        frozenset(left),
        episodes if episodes != snapshot.episodes else None,
        timeline if timeline != snapshot.timeline else None,
    )


def _records(
    changed: Sequence[Changed], snapshot: Snapshot
) -> tuple[EpisodeBook | None, Timeline | None, tuple[str, ...]]:
    """Both record files without what the acts did, and those that stay as they are."""
    episodes, timeline = snapshot.episodes, snapshot.timeline
    held: dict[str, None] = {}
    for file in (file for one in changed for file in one.files):
        if file.path in held:
            continue
        if file.path == EPISODES_PATH:
            book = book_before(file, episodes) if episodes else None
            episodes = book or episodes
            held |= {} if book else {file.path: None}
        elif file.path == EVENTS_PATH:
            earlier = timeline_before(file, timeline) if timeline else None
            timeline = earlier or timeline
            held |= {} if earlier else {file.path: None}
    return episodes, timeline, tuple(held)


def _returned(
    returned: Mapping[str, Version], snapshot: Snapshot, now: str
) -> tuple[tuple[Put, ...], tuple[str, ...]]:
    puts: list[Put] = []
    removes: list[str] = []
    for block_id, version in returned.items():
        before = version.before
        if before is None:
            if snapshot.find(block_id) is not None:
                removes.append(block_id)
            continue
        block = _unclocked(before, snapshot, now)
        puts.append(Put(block, before.path, version.before_raw, before.path))
    return tuple(puts), tuple(removes)


def _unclocked(placed: Placed, snapshot: Snapshot, now: str) -> Block:
    """The block; a candidate that would expire at once starts its expiry anew, as with ``restore``."""
    wait = snapshot.config.wait
    if placed.place == "low_value" and is_expired(placed.block, now, wait):
        return replace(placed.block, reported=None)
    return placed.block


def _texts(
    changed: Sequence[Changed], text: Texts
) -> tuple[dict[str, str | None], dict[str, str | None], tuple[str, ...]]:
    """Files without blocks or records: the texts to which they return, those that this is based on, the paths left."""
    present: dict[str, str | None] = {}
    began: dict[str, str | None] = {}
    held: dict[str, None] = {}
    for file in (file for one in changed for file in one.files if file.path not in RECORDS):
        if file.path not in began:
            began[file.path] = present[file.path] = text(file.path)
        if file.path in held or present[file.path] != file.after:
            held[file.path] = None
        else:
            present[file.path] = file.before
    returned = {path: now for path, now in present.items() if now != began[path]}
    return returned, {path: began[path] for path in returned}, tuple(held)


def _is_of_its_time(one: Changed, snapshot: Snapshot, now: str) -> bool:
    """Whether the act removed expired blocks, or a candidate that would be expired by now."""
    wait = snapshot.config.wait
    befores = [version.before for version in one.blocks if version.before is not None]
    over = any(placed.place == "low_value" and is_expired(placed.block, now, wait) for placed in befores)
    return over or any(name == "Expired" for name, _ in one.commit.trailers)


def _own(one: Changed) -> list[Version]:
    """The act's own blocks; those removed along with it because they had expired count only if expiry was the act."""
    if one.commit.op in ("heartbeat", "expire"):
        return list(one.blocks)
    along = {value for name, value in one.commit.trailers if name == "Expired"}
    return [version for version in one.blocks if version.block_id not in along]


def _is_left_by(version: Version, present: Placed | None) -> bool:
    """Whether the block is still as this act left it."""
    if version.after is None or present is None:
        return version.after is None and present is None
    return present.path == version.after.path and same_block(present.block, version.after.block)
