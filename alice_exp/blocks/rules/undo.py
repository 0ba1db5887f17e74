"""Reversal of acts, newest first, as one change (DESIGN 5, 7).

If every file is still as the acts left it, whole files are restored byte by byte, including comments and order;
otherwise block by block and record by record, so that later changes of others stay.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, TypeAlias

from alice_exp.home.ports import Changed, FileVersion, Version
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_edits import same_block
from alice_exp.model.formats.record_schema import past_episodes, past_timeline
from alice_exp.model.rules.identity import marks
from alice_exp.model.rules.lifecycle import expired, is_expired
from alice_exp.model.values.block import (
    BOUND,
    MARKS,
    NONE,
    SETS,
    Approved,
    Archived,
    Entry,
    Placed,
    content_hash,
    is_approved,
    namespace_of,
    path_of,
    place_of,
)
from alice_exp.model.values.records import EPISODES_PATH, EVENTS_PATH, Episode, EpisodeBook, Segment, Timeline
from alice_exp.model.values.snapshot import Put, Snapshot

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
    if any(not one.texts or _is_of_its_time(one, snapshot, now) for one in changed):
        return None
    texts, seen, held = _texts([file for one in changed for file in one.texts], text)
    if held or not seen.keys().isdisjoint(placed.path for placed in expired(snapshot, now)):
        return None
    ids = tuple(dict.fromkeys(version.block_id for one in changed for version in one.blocks))
    return Reversal(texts=texts, seen=seen, blocks=ids)


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
    texts, seen, held = _texts([f for one in changed for f in one.files if f.path not in RECORDS], text)
    episodes, timeline, kept = _records(changed, snapshot)
    held = (*held, *kept)
    left |= {one.commit.commit for one in changed if any(file.path in held for file in one.files)}
    conflicts |= dict.fromkeys(held)
    episodes = episodes if episodes != snapshot.episodes else None
    timeline = timeline if timeline != snapshot.timeline else None
    ids, stuck = tuple(returned), tuple(conflicts)
    return Reversal(puts, removes, texts, seen, ids, stuck, frozenset(left), episodes, timeline)


def _records(
    changed: Sequence[Changed], snapshot: Snapshot
) -> tuple[EpisodeBook | None, Timeline | None, tuple[str, ...]]:
    """Both record files without what the acts did, and those that stay as they are."""
    now: dict[str, Any] = {EPISODES_PATH: snapshot.episodes, EVENTS_PATH: snapshot.timeline}
    before: dict[str, Callable[..., Any]] = {EPISODES_PATH: book_before, EVENTS_PATH: timeline_before}
    held: dict[str, None] = {}
    for file in (file for one in changed for file in one.files if file.path in now):
        present = now[file.path] if file.path not in held else None
        earlier = before[file.path](file, present) if present else None
        now[file.path] = earlier or now[file.path]
        held |= {} if earlier else {file.path: None}
    return now[EPISODES_PATH], now[EVENTS_PATH], tuple(held)


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
        block = before.block
        if before.place == "low_value" and is_expired(block, now, snapshot.config.wait):
            # It would expire at once: its expiry starts anew, as with ``restore``.
            block = replace(block, reported=None)
        puts.append(Put(block, before.path, version.before_raw))
    return tuple(puts), tuple(removes)


def _texts(
    files: Sequence[FileVersion], text: Texts
) -> tuple[dict[str, str | None], dict[str, str | None], tuple[str, ...]]:
    """Whole files, newest first: the texts to which they return, those that this is based on, the paths left."""
    present: dict[str, str | None] = {}
    began: dict[str, str | None] = {}
    held: dict[str, None] = {}
    for file in files:
        if file.path not in began:
            began[file.path] = present[file.path] = text(file.path)
        if file.path in held or present[file.path] != file.after:
            held[file.path] = None
        else:
            present[file.path] = file.before
    return {path: now for path, now in present.items() if now != began[path]}, began, tuple(held)


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


BlockTexts: TypeAlias = Callable[[Sequence[Entry]], Mapping[str, Placed]]
"""What gives the blocks as some decisions left them, by id, as far as history still has them."""

_OWN = ("user", "system")
"""Whose entries are offered: a person's, and those by which a home of 0.2.0 took a person's over."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A decision that the files lack. ``placed`` is the block where it is now (None: in no file), ``was`` as it was
    decided (None: history does not say); ``is_copied``: only a copy of the ledger says so."""

    entry: Entry
    placed: Placed | None
    was: Placed | None
    is_copied: bool = False

    @property
    def text(self) -> Placed | None:
        """The block whose words the decision is about; None where nothing has them any more."""
        if self.entry.standing != "trusted":
            return self.was or self.placed
        known = (one for one in (self.was, self.placed) if one is not None)
        return next((one for one in known if content_hash(one.block) == self.entry.content), None)


def lost_decisions(snapshot: Snapshot, texts: BlockTexts) -> tuple[Lost, ...]:
    """What the ledger, or a copy of it, says and the files lack, oldest first; what nothing can put back is left out.

    ``snapshot`` includes the archive. A rejected block in the pool is none: the report takes it out again.
    """
    decisions = snapshot.decisions
    if decisions is None:
        return ()
    paths = snapshot.paths()
    lacking = (i for i, standing in decisions.standings() if _lacks(standing, paths.get(i, "")))
    own = [one for one in map(decisions.entry, lacking) if _lacks(one.standing, paths.get(one.id, ""))]
    # A team's blocks stand in no file of the home.
    own = [one for one in own if one.by.partition(":")[0] in _OWN and one.path != "team"]
    copied = [one for one in decisions.copied() if one.id[0] not in MARKS and one.path != "team"]
    if not own and not copied:
        return ()
    was, here = texts([*own, *copied]), snapshot.with_ids({one.id for one in (*own, *copied)})
    newer = {one.id for one in copied}
    rows = [Lost(one, here.get(one.id), was.get(one.id)) for one in own if one.id not in newer]
    rows += [Lost(one, here.get(one.id), was.get(one.id), is_copied=True) for one in copied]
    offered = (one for one in rows if one.text is not None or (one.is_copied and _is_down(one.entry)))
    return tuple(sorted((one for one in offered if not _stands(snapshot, one)), key=lambda one: one.entry.at))


def _is_down(entry: Entry) -> bool:
    return entry.standing in ("rejected", "retired")


def _lacks(standing: str, path: str) -> bool:
    place = place_of(path) if path else ""
    if standing == "trusted":
        return place not in ("personal", "universal")
    return (standing == "retired" and place != "archive") or (
        standing == "rejected" and place not in ("archive", "low_value")
    )


def _stands(snapshot: Snapshot, one: Lost) -> bool:
    """Whether the same is trusted under another id, as after a sync that joined two equal blocks."""
    if one.entry.standing != "trusted" or one.text is None or one.placed is not None:
        return False
    return any(
        is_approved(other)
        and content_hash(other.block) == one.entry.content
        and other.block.project in ("", one.entry.project)
        for other in snapshot.marked(marks(one.text.block))
    )


def put_back(one: Lost) -> Put | None:
    """The block as it was decided, on its way to where it was decided; None where the ledger alone has to say it."""
    entry, known = one.entry, one.text
    if known is None:
        return None
    block = replace(known.block, reported=None)
    if entry.standing == "trusted":
        mark = block.approved
        if mark is None or mark.hash != entry.content:
            mark = Approved(entry.at, entry.by, entry.content)
        # How its uses ended since then stands where it is now.
        now = (one.placed or known).block
        block = replace(
            block,
            evidence=now.evidence,
            record=now.record,
            approved=mark,
            archived=None,
            suggested="",
            about="user" if place_of(entry.path) == "personal" else block.about,
            **{name: getattr(entry, name) for name in BOUND},
        )
        return Put(block, entry.path, decided=one.is_copied)
    name = "rejected" if entry.standing == "rejected" else "obsolete"
    if known.place in SETS:
        place = known.path.partition("/")[0]
        block = replace(
            block, archived=Archived(f"{place}/{namespace_of(known.path)}", entry.at, name), state="obsolete"
        )
    return Put(block, path_of("archive", name))


def taken_over(snapshot: Snapshot, rows: Collection[Lost], *, lets_go: bool = False) -> tuple[Entry, ...]:
    """What the ledger is to say once a person answered: of a copy what takes trust away, with its fingerprints; and
    ``lets_go``: nothing of what they had trusted or retired here."""
    copied = snapshot.decisions.copied() if snapshot.decisions is not None else []
    down = {one.id for one in copied if one.id[0] not in MARKS and _is_down(one)}
    kept = [one for one in copied if one.id in down or (one.id[0] in MARKS and one.content in down)]
    if lets_go:
        gone = (one.entry for one in rows if not one.is_copied and one.entry.standing != "rejected")
        kept += [replace(NONE, id=entry.id) for entry in gone]
    return tuple(kept)
