"""Turns changed episodes or a changed timeline into edits of the file's text that touch only what differs.

Comments stay where they are, except those of a removed episode or of the second of two merged segments. The cost is
proportional to the change. Sources: DESIGN 3 ("Writing is surgical"), B1.9.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from alice_exp.kernel.jsonc import Append, Document, Edit, Insert, Raw, Remove, Set, dump
from alice_exp.kernel.jsonc.problem import Json, Pointer
from alice_exp.model.formats.block_edits import member_edits
from alice_exp.model.formats.record_schema import EPISODES, SEGMENTS, episode_json, event_json, segment_json
from alice_exp.model.values.records import Episode, EpisodeBook, Event, Segment, Timeline

_COUNTERS = ("next_id", "total_events", "total_compressions")


def book_edits(document: Document, old: EpisodeBook, new: EpisodeBook) -> list[Edit]:
    """The edits that turn the text of ``old`` into that of ``new``: removed, changed and appended episodes.

    ``document`` is that of ``old``, without errors. Episodes are matched by id; those without one are left alone.
    """
    edits: list[Edit] = [] if old.capacity == new.capacity else [Set(("capacity",), new.capacity)]
    same = _shared(old.episodes, new.episodes)
    before = {episode.id: at for at, episode in enumerate(old.episodes[same:], same) if episode.id}
    after = {episode.id: episode for episode in new.episodes[same:]}
    edits += [Remove((EPISODES, at)) for one, at in before.items() if one not in after]
    for one, episode in after.items():
        was = old.episodes[before[one]] if one in before else None
        if was is not None and was is not episode and was != episode:
            place = (EPISODES, before[one])
            edits += member_edits(place, _item(document, place), episode_json(was), episode_json(episode))
    fresh = tuple(episode_json(episode) for one, episode in after.items() if one and one not in before)
    return [*edits, Append((EPISODES,), fresh)] if fresh else edits


def _shared(old: Sequence[Episode], new: Sequence[Episode]) -> int:
    """The number of episodes that both begin with.

    Compared by identity: unchanged episodes are the same objects, and comparing values would read all of a long book.
    """
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (was, now) in pairs if was is not now), min(len(old), len(new)))


def completion_edits(document: Document, ids: Iterator[str], now: str) -> list[Edit]:
    """The edits that give every hand-written episode without id or time one of ``ids`` and ``now`` (adoption)."""
    edits: list[Edit] = []
    for index, item in enumerate(document.items):
        if isinstance(item, dict):
            edits += [Set((EPISODES, index, "id"), next(ids))] if "id" not in item else []
            edits += [Set((EPISODES, index, "at"), now)] if "at" not in item else []
    return edits


def timeline_edits(document: Document, old: Timeline, new: Timeline) -> list[Edit]:
    """The edits that turn the text of ``old`` into that of ``new``.

    A merged segment takes over place, text and comments of the first of the two; the second is removed. ``document`` is
    that of ``old``, without errors.
    """
    edits: list[Edit] = [
        Set((key,), getattr(new, key)) for key in _COUNTERS if getattr(old, key) != getattr(new, key)
    ]
    places = _places(document)
    before = {segment.id: segment for segment in old.segments}
    kept = before.keys() & {segment.id for segment in new.segments}
    firsts = zip(old.numbers(), old.segments, strict=True)
    merged_firsts = {numbers.start: segment for numbers, segment in firsts if segment.id not in kept}
    behind = 0
    for numbers, segment in zip(new.numbers(), new.segments, strict=True):
        was = before.get(segment.id) or merged_firsts.pop(numbers.start, None)
        if was is None:
            edits.append(_placed(segment, behind, len(places)))
            continue
        behind = places[was.id] + 1
        if was is not segment and was != segment:
            edits += _segment_edits(document, places[was.id], was, segment)
    return edits + [Remove((SEGMENTS, places[segment.id])) for segment in merged_firsts.values()]


def event_raw(event: Event) -> Raw:
    """A thought as one line of text."""
    return Raw(json.dumps(event_json(event), ensure_ascii=False, allow_nan=False))


def segment_raw(segment: Segment) -> Raw:
    """A segment as text: one key per line, one thought per line."""
    written = segment_json(segment)
    written.pop("events", None)
    lines = [f'  "{key}": {dump(value, depth=1)}' for key, value in written.items()]
    events = ",\n".join(f"    {event_raw(event).text}" for event in segment.events)
    lines += [f'  "events": [\n{events}\n  ]'] if events else []
    return Raw("{\n" + ",\n".join(lines) + "\n}")


def _placed(segment: Segment, behind: int, length: int) -> Edit:
    if behind >= length:
        return Append((SEGMENTS,), (segment_raw(segment),))
    return Insert((SEGMENTS,), behind, segment_raw(segment))


def _segment_edits(document: Document, index: int, old: Segment, new: Segment) -> list[Edit]:
    at = (SEGMENTS, index)
    before, after = segment_json(old), segment_json(new)
    before.pop("events", None)
    after.pop("events", None)
    return member_edits(at, _item(document, at), before, after) + _event_edits(at, old.events, new.events)


def _event_edits(at: Pointer, old: Sequence[Event], new: Sequence[Event]) -> list[Edit]:
    """The edits of a segment's thoughts, which are removed at the beginning and added at the end only."""
    if old == new:
        return []
    pointer: Pointer = (*at, "events")
    if not new:
        return [Remove(pointer)]
    dropped = next(count for count in range(len(old) + 1) if old[count:] == new[: len(old) - count])
    edits: list[Edit] = [Remove((*pointer, index)) for index in range(dropped)]
    arrived = tuple(map(event_raw, new[len(old) - dropped :]))
    return [*edits, Append(pointer, arrived)] if arrived else edits


def _places(document: Document) -> dict[object, int]:
    return {
        cast("object", item.get("id")): index
        for index, item in enumerate(document.items)
        if isinstance(item, dict) and "id" in item
    }


def _item(document: Document, at: tuple[str, int]) -> Mapping[str, Json]:
    return cast("Mapping[str, Json]", document.items[at[1]])
