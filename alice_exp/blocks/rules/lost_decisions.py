"""A person's decisions that the files lack as git or a backup took them away, and what puts them back (DESIGN 6)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.identity import marks
from alice_exp.model.values.block import (
    SETS,
    Approved,
    Archived,
    Placed,
    content_hash,
    is_approved,
    namespace_of,
    path_of,
    place_of,
)
from alice_exp.model.values.changes import Put
from alice_exp.model.values.ledger_entry import MARKS, NONE, Entry
from alice_exp.model.values.snapshot import Snapshot

Texts: TypeAlias = Callable[[Sequence[Entry]], Mapping[str, Placed]]
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


def lost_decisions(snapshot: Snapshot, texts: Texts) -> tuple[Lost, ...]:
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
    alike = snapshot.marked(marks(one.text.block))
    return any(
        is_approved(other)
        and content_hash(other.block) == one.entry.content
        and other.block.project in ("", one.entry.project)
        for other in alike
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
        block = replace(
            block,
            approved=mark,
            archived=None,
            suggested="",
            about="user" if place_of(entry.path) == "personal" else block.about,
            project=entry.project,
            importance=entry.importance,
            shareable=entry.shareable,
            replaces=entry.replaces,
            both=entry.both,
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
