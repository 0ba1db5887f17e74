"""Reads records to import: JSONL, a JSON array, or a whole file, with any of the time formats of B1.9.

An import is all or nothing (R0.46, R1.43): ``ProblemError`` names the first fault with its position and counts the
others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar, cast

from alice_exp.kernel.jsonc import Json, Pointer, Problem, only_errors
from alice_exp.kernel.jsonc.document import Document
from alice_exp.kernel.jsonc.edits import Append, Edit, Insert, Remove, Set
from alice_exp.kernel.jsonc.formatting import Raw, dump
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.kernel.text.times import iso_time, seconds
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats import field_readers
from alice_exp.model.formats.block_edits import member_edits
from alice_exp.model.formats.field_readers import Fault, Found, Reader, listed, problem_at, shaped
from alice_exp.model.formats.record_schema import (
    COUNTERS,
    EPISODE_FIELDS,
    EPISODES,
    EVENT_FIELDS,
    EVENTS,
    SEGMENT_FIELDS,
    SEGMENTS,
    episode_json,
    event_json,
    read_episode,
    read_event,
    read_segment,
    read_timeline,
    segment_json,
)
from alice_exp.model.values.records import Episode, EpisodeBook, Event, Segment, Timeline

T = TypeVar("T")

DAY = 86_400.0
"""Seconds by which a time may be ahead of the clock, since the clocks of two machines differ."""

_OTHER_NAMES = {"timestamp": "at", "start_timestamp": "start", "end_timestamp": "end"}


@dataclass(frozen=True, slots=True)
class _Row:
    """One record of the text: its document, its place there, and the number of lines before that document."""

    document: Document
    pointer: tuple[str | int, ...]
    value: Json
    lines: int


def import_episodes(data: bytes, path: str, now: str) -> tuple[Episode, ...]:
    """The episodes of a text, in order (an id is empty if it has none); ``now`` (ISO-8601 UTC) is the default time, and
    times a day after it are refused."""
    readers = _readers(EPISODE_FIELDS, now)
    episodes = _taken(*_rows(data, path, EPISODES), lambda value: read_episode(_named(value), readers))
    return tuple(replace(one, at=one.at or now) for one in episodes)


def import_timeline(data: bytes, path: str, now: str) -> Timeline | tuple[Event, ...]:
    """A whole timeline (from an export), or thoughts to add one after the other; ``now`` as in ``import_episodes``."""
    rows, problems = _rows(data, path, SEGMENTS)
    if rows and rows[0].pointer[:1] == (SEGMENTS,):
        return _whole_timeline(rows, now)
    readers = _readers(EVENT_FIELDS, now)

    def read(value: Json) -> Event:
        named = _named(value)
        return read_event({"at": now, **named} if isinstance(named, dict) else named, readers)

    return tuple(_taken(rows, problems, read))


def _whole_timeline(rows: list[_Row], now: str) -> Timeline:
    readers = _readers(EVENT_FIELDS, now)

    @shaped({})
    def event(value: Json) -> Event:
        return read_event(_named(value), readers)

    within = {**_readers(SEGMENT_FIELDS, now), "events": listed(event, EVENTS)}
    segments = _taken(rows, (), lambda value: read_segment(_named(value), within))
    document = rows[0].document
    root = document.value if isinstance(document.value, dict) else {}
    # The counters of the text are validated like those of a file.
    plain: Json = {**root, SEGMENTS: [segment_json(segment) for segment in segments]}
    timeline, problems = read_timeline(replace(document, value=plain))
    _refuse(problems)
    return timeline


def _readers(table: Mapping[str, Reader], now: str) -> dict[str, Reader]:
    """The table with readers of any time format that refuse times more than a day ahead."""
    latest = seconds(now) + DAY

    def read(value: Json) -> str:
        try:
            at = iso_time(value)
        except ValueError:
            raise Fault('"{name}" is a time: ISO-8601, seconds or milliseconds since 1970') from None
        if seconds(at) > latest:
            raise Fault('"{name}" lies in the future: {at}', at=at)
        return at

    return {key: read if reader is field_readers.time else reader for key, reader in table.items()}


def _named(value: Json) -> Json:
    """The record with its times under our names (B1.9)."""
    if not isinstance(value, dict) or not any(key in value for key in (*_OTHER_NAMES, "is_compressed")):
        return value
    return {_OTHER_NAMES.get(key, key): inner for key, inner in value.items() if key != "is_compressed"}


def _taken(rows: list[_Row], problems: Sequence[Problem], reader: Callable[[Json], T]) -> list[T]:
    taken: list[T] = []
    faults = Found(rows[0].document.path if rows else "")
    for row in rows:
        try:
            taken.append(reader(row.value))
        except Fault as fault:
            faults.add("error", partial(_placed, row, (*row.pointer, *fault.below), fault))
    _refuse([*problems, *faults.all()])
    return taken


def _refuse(problems: Iterable[Problem]) -> None:
    if faults := [*only_errors(problems)]:
        more = f" ({len(faults) - 1} more)" if len(faults) > 1 else ""
        raise faults[0].as_error("{message}{more}; nothing was taken in", more=more)


def _placed(row: _Row, pointer: Pointer, fault: Fault) -> Problem:
    found = problem_at(row.document, pointer, fault.template, fault.values)
    return replace(found, line=found.line + row.lines)


def _rows(data: bytes, path: str, listed: str) -> tuple[list[_Row], tuple[Problem, ...]]:
    """The records of a text in any of the three forms, or the problems that prevent reading it."""
    if not data.strip():
        return [], ()
    document = parse(data, path, listed)
    if document.problem is None:
        return _of_document(document, listed)
    # JSONL if the first line alone is a document; otherwise the fault of the whole text is the useful one.
    first, _, rest = data.lstrip().partition(b"\n")
    if not rest.strip() or parse(first, path, listed).problem is not None:
        return [], (document.problem,)
    return _of_lines(data, path)


def _of_document(document: Document, listed: str) -> tuple[list[_Row], tuple[Problem, ...]]:
    value = document.value
    pointer: Pointer = ()
    if isinstance(value, dict):
        if listed not in value:
            return [_Row(document, (), value, 0)], ()
        value, pointer = value[listed], (listed,)
    if not isinstance(value, list):
        fault = 'an import is JSONL, a JSON array, or an object with a list named "{list}"'
        return [], (problem_at(document, pointer, fault, {"list": listed}),)
    return [_Row(document, (*pointer, index), item, 0) for index, item in enumerate(value)], ()


def _of_lines(data: bytes, path: str) -> tuple[list[_Row], tuple[Problem, ...]]:
    rows: list[_Row] = []
    problems: list[Problem] = []
    for number, line in enumerate(data.split(b"\n")):
        if not line.strip():
            continue
        document = parse(line, path, "")
        if document.problem is None:
            rows.append(_Row(document, (), document.value, number))
        else:
            problems.append(replace(document.problem, line=document.problem.line + number))
    return rows, tuple(problems)


def book_edits(document: Document, old: EpisodeBook, new: EpisodeBook) -> list[Edit]:
    """The edits that turn the text of ``old`` into that of ``new``: removed, changed and appended episodes.

    ``document`` is that of ``old``, without errors. Episodes are matched by id; those without one are left alone.
    """
    edits: list[Edit] = [] if old.capacity == new.capacity else [Set(("capacity",), new.capacity)]
    # By identity: unchanged episodes are the same objects, and comparing values would read all of a long book.
    pairs = enumerate(zip(old.episodes, new.episodes, strict=False))
    shorter = min(len(old.episodes), len(new.episodes))
    same = next((at for at, (was, now) in pairs if was is not now), shorter)
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
        Set((key,), getattr(new, key)) for key in COUNTERS if getattr(old, key) != getattr(new, key)
    ]
    places = {
        item["id"]: at for at, item in enumerate(document.items) if isinstance(item, dict) and "id" in item
    }
    before = {segment.id: segment for segment in old.segments}
    kept = before.keys() & {segment.id for segment in new.segments}
    firsts = zip(old.numbers(), old.segments, strict=True)
    merged_firsts = {numbers.start: segment for numbers, segment in firsts if segment.id not in kept}
    behind = 0
    for numbers, segment in zip(new.numbers(), new.segments, strict=True):
        was = before.get(segment.id) or merged_firsts.pop(numbers.start, None)
        if was is None:
            raw, is_last = segment_raw(segment), behind >= len(places)
            edits.append(Append((SEGMENTS,), (raw,)) if is_last else Insert((SEGMENTS,), behind, raw))
            continue
        behind = places[was.id] + 1
        if was is not segment and was != segment:
            at = (SEGMENTS, places[was.id])
            bare, became = (segment_json(replace(one, events=())) for one in (was, segment))
            edits += member_edits(at, _item(document, at), bare, became)
            edits += _event_edits(at, was.events, segment.events)
    return edits + [Remove((SEGMENTS, places[segment.id])) for segment in merged_firsts.values()]


def event_raw(event: Event) -> Raw:
    """A thought as one line of text."""
    return Raw(json.dumps(event_json(event), ensure_ascii=False, allow_nan=False))


def segment_raw(segment: Segment) -> Raw:
    """A segment as text: one key per line, one thought per line."""
    written = segment_json(replace(segment, events=()))
    lines = [f'  "{key}": {dump(value, depth=1)}' for key, value in written.items()]
    events = ",\n".join(f"    {event_raw(event).text}" for event in segment.events)
    lines += [f'  "events": [\n{events}\n  ]'] if events else []
    return Raw("{\n" + ",\n".join(lines) + "\n}")


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


def _item(document: Document, at: tuple[str, int]) -> Mapping[str, Json]:
    return cast("Mapping[str, Json]", document.items[at[1]])
