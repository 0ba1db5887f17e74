"""Reversal of an act on the record files, record by record, where a later act changed the same file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.model.formats.past_records import past_episodes, past_timeline
from alice_exp.model.values.records import EPISODES_PATH, EVENTS_PATH, EpisodeBook

if TYPE_CHECKING:
    from alice_exp.home.ports import FileVersion
    from alice_exp.model.values.records import Episode, Segment, Timeline

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
