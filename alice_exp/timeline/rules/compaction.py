"""Compaction of the timeline: each added thought merges at most two neighbouring segments.

Sources: R1.14-R1.34, R1.39, R1.40, B1.1-B1.12. The newest eight thoughts stay verbatim in whichever segment holds
them (B1.3); older ones are kept as summary and key events, and verbatim in git.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, islice, pairwise
from typing import TypeAlias

from alice_exp.kernel.errors import followed
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.text.times import seconds
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.records import DECISION, Event, Segment, Timeline
from alice_exp.timeline.rules.digest import NEW, Digest, bounded, digest, gist, key_event, novelty, telling

WINDOW = 8
"""The number of newest thoughts that are kept verbatim (B1.3)."""

COMPACTED_FROM = 3
"""The number of segments from which an addition looks for a merge (R1.15)."""

Summariser: TypeAlias = Callable[[Segment, Segment], "Digest | None"]
"""A model's digest of two neighbours; if it returns ``None`` or raises any exception, the rule's digest is used."""


@dataclass(frozen=True, slots=True)
class Merge:
    """Two neighbours and their merged segment; ``fallback`` is why a summariser's answer was not used, else empty."""

    first: Segment
    second: Segment
    merged: Segment
    fallback: str = ""


@dataclass(frozen=True, slots=True)
class Added:
    """One addition: the timeline after it, the id of the thought's own segment, and the merge that it caused."""

    timeline: Timeline
    segment: int
    merge: Merge | None


@dataclass(frozen=True, slots=True)
class TimelineStatistics:
    """Counts of a timeline (R1.33): lengths and levels by segment, oldest first; its span from ``start`` to ``end``."""

    total_segments: int
    total_events: int
    total_compressions: int
    lengths: tuple[int, ...]
    levels: tuple[int, ...]
    verbatim: int
    start: str
    end: str


def by_equal_length(lengths: Sequence[int]) -> int | None:
    """The earliest two neighbours of equal length (R1.16, R1.17); in a timeline made by this rule equal lengths always
    are (R1.22), in an edited one the order of thoughts is kept (R1.24)."""
    return next((at for at, (one, other) in enumerate(pairwise(lengths)) if one == other), None)


def add_event(
    timeline: Timeline, event: Event, summarise: Summariser | None = None, told: Merge | None = None
) -> Added:
    """Add one thought, with at most one merge (R1.14-R1.19): the one ``told`` before, of the same two neighbours."""
    own = Segment(timeline.next_id, event.at, event.at, events=(event,))
    segments = [*timeline.segments, own]
    next_id, compressions, merge = own.id + 1, timeline.total_compressions, None
    lengths = [one.segment_length for one in segments]
    index = by_equal_length(lengths) if len(segments) >= COMPACTED_FROM else None
    if index is not None:
        first, second = segments[index : index + 2]
        around = (*segments[:index], *segments[index + 2 :])
        if told is not None and (told.first, told.second) == (first, second):
            merge = replace(told, merged=replace(told.merged, id=next_id))
        else:
            merge = merged(first, second, next_id, summarise, around)
        segments[index : index + 2] = [merge.merged]
        next_id, compressions = next_id + 1, compressions + 1
    grown = Timeline(next_id, timeline.total_events + 1, compressions, tuple(_in_window(segments)))
    return Added(grown, own.id, merge)


def add_events(timeline: Timeline, events: Iterable[Event]) -> tuple[Timeline, Timeline, tuple[Merge, ...]]:
    """Add many thoughts in one act, merged by the rule, without a model: a timeline with each verbatim under its id,
    and that of adding them one by one. The first is to be committed before, so that history has every thought (B1.4,
    DESIGN 5)."""
    raw, merges, compacted = list(timeline.segments), list[Merge](), timeline
    for event in followed(tuple(events)):
        added = add_event(compacted, event)
        raw.append(Segment(added.segment, event.at, event.at, events=(event,)))
        merges += [added.merge] if added.merge else []
        compacted = added.timeline
    whole = replace(compacted, total_compressions=timeline.total_compressions, segments=tuple(raw))
    return whole, compacted, tuple(merges)


def merged(
    first: Segment,
    second: Segment,
    new_id: int,
    summarise: Summariser | None = None,
    around: Sequence[Segment] = (),
) -> Merge:
    """Merge two neighbours: start of the first, end of the second, lengths added, level one higher (R1.12, B1.5)."""
    digested, fallback = _digest_of(digest(first, second, around), first, second, summarise)
    whole = Segment(
        new_id,
        first.start,
        second.end,
        first.segment_length + second.segment_length,
        max(first.compression_level, second.compression_level) + 1,
        digested.summary,
        digested.key_events,
        # Verbatim events are always the newest of a segment, so the first's may only precede a complete second.
        (*(first.events if len(second.events) >= second.segment_length else ()), *second.events),
    )
    return Merge(first, second, whole, fallback)


def _digest_of(
    rule: Digest, first: Segment, second: Segment, summarise: Summariser | None
) -> tuple[Digest, str]:
    """A model's digest, or that of the rule with the reason."""
    if summarise is None:
        return rule, ""
    try:
        answer = summarise(first, second)
    except Exception as failure:  # a model may fail in any way, but the thought must be kept (R1.25)
        return rule, str(failure) or type(failure).__name__
    if answer is None or not answer.summary.strip():
        return rule, "no summary came back"
    return bounded(answer, rule), ""


def _in_window(segments: Sequence[Segment]) -> Iterator[Segment]:
    """The segments with their verbatim events cut to the window; an uncompressed segment keeps its own."""
    room = WINDOW
    kept: list[Segment] = []
    for segment in reversed(segments):
        if segment.is_compressed and len(segment.events) > room:
            segment = replace(segment, events=segment.events[len(segment.events) - room :])
        kept.append(segment)
        room = max(0, room - segment.segment_length)
    return reversed(kept)


def verbatim(timeline: Timeline) -> dict[int, Event]:
    """The thoughts that a timeline still holds verbatim, by number (1-based, in the order of arrival): eight, so that
    every eighth version in history holds them all (B1.4)."""
    found: dict[int, Event] = {}
    for numbers, segment in zip(timeline.numbers(), timeline.segments, strict=True):
        newest = segment.events[-len(numbers) :]
        found.update(zip(numbers[len(numbers) - len(newest) :], newest, strict=True))
    return found


def covered(timeline: Timeline, segment_id: int) -> range | None:
    """The numbers of the thoughts in a segment; ``None`` if the timeline has no such segment (any more)."""
    for numbers, segment in zip(timeline.numbers(), timeline.segments, strict=True):
        if segment.id == segment_id:
            return numbers
    return None


def covered_by_order(segment_id: int) -> range:
    """The numbers of the thoughts in the segment to which compaction by equal length gives this id (>= 1), by the order
    of additions alone (R1.19): those merged long ago, too, of a timeline never imported or edited. V: 17 → 1 to 8, 16 →
    10."""
    return next(islice(_given(), segment_id - 1, None))


def _given() -> Iterator[range]:
    """The thoughts of every segment, in the order in which ids are given."""
    runs: list[range] = []
    for number in count(1):
        runs.append(range(number, number + 1))
        yield runs[-1]
        index = by_equal_length([*map(len, runs)]) if len(runs) >= COMPACTED_FROM else None
        if index is not None:
            runs[index : index + 2] = [range(runs[index].start, runs[index + 1].stop)]
            yield runs[index]


def recent(timeline: Timeline, count: int) -> tuple[Segment, ...]:
    """The newest ``count`` segments (>= 0), oldest first (R1.30)."""
    return timeline.segments[-count:] if count > 0 else ()


def between(
    timeline: Timeline, since: str = "", until: str = ""
) -> tuple[tuple[Segment, ...], tuple[tuple[int, Event], ...]]:
    """The segments that overlap a span, both ends included, and its verbatim thoughts with their numbers (R1.39)."""
    low, high = seconds(since) if since else -math.inf, seconds(until) if until else math.inf
    # min and max, because thoughts with a time of their own may be added out of order.
    segments = (
        one
        for one in timeline.segments
        if max(one.start_timestamp, one.end_timestamp) >= low
        and min(one.start_timestamp, one.end_timestamp) <= high
    )
    events = (pair for pair in verbatim(timeline).items() if low <= pair[1].timestamp <= high)
    return tuple(segments), tuple(events)


def what_happened(segment: Segment) -> str:
    """A segment's summary, or its thoughts if it has none."""
    return segment.summary or "; ".join(map(gist, segment.events))


def what_mattered(segments: Sequence[Segment]) -> tuple[str, ...]:
    """The key events of some segments that decide, refuse, surprise, are new or were given an importance."""
    keys = [key for segment in segments for key in segment.key_events]
    return tuple(
        key for key, fresh in zip(keys, novelty(keys, ()), strict=True) if fresh >= NEW or telling(key) > 0
    )


def narrative(timeline: Timeline, count: int = 5, local: Callable[[str], str] = str) -> str:
    """The newest ``count`` segments as text, one line each, oldest first: time span, number of thoughts, summary, key
    events that it does not say (R1.32, B1.12); empty for an empty timeline. ``local`` writes a time."""
    lines = []
    for one in recent(timeline, count):
        start, end = local(one.start), local(one.end)
        span = start if start == end else f"{start} – {end}"
        told = what_happened(one)
        more = [key for key in one.key_events if key.replace("“", "").replace("”", "") not in told]
        keys = f" [{'; '.join(more)}]" if more else ""
        lines.append(f"{span} ({one.segment_length}): {told}{keys}")
    return "\n".join(lines)


def statistics(timeline: Timeline) -> TimelineStatistics:
    """The numbers of segments, thoughts and merges, and each segment's length and level (R1.33)."""
    segments = timeline.segments
    return TimelineStatistics(
        len(segments),
        timeline.total_events,
        timeline.total_compressions,
        timeline.lengths,
        tuple(segment.compression_level for segment in segments),
        len(verbatim(timeline)),
        segments[0].start if segments else "",
        segments[-1].end if segments else "",
    )


LINK = "event"
"""The metadata key of a thought that reports the result of an earlier one; the value is that one's number."""


def unfinished(timeline: Timeline, decision: str) -> int | None:
    """The number of a decision's newest verbatim thought without a result; ``None`` if there is none."""
    fitting = (
        number
        for number, event in verbatim(timeline).items()
        if event.result is None and event.metadata.get(DECISION) == decision
    )
    return max(fitting, default=None)


def finished(
    timeline: Timeline, number: int, result: Json, metadata: Mapping[str, Json] | None = None
) -> Timeline | None:
    """Add a result to thought ``number`` (1-based) and its key event; ``None`` if it is not verbatim or has one."""
    before = verbatim(timeline).get(number)
    if before is None or before.result is not None:
        return None
    after = replace(before, result=result, metadata={**before.metadata, **(metadata or {})})
    segments = tuple(
        # Counted from the end, because a segment's verbatim thoughts are its newest.
        _with(segment, number - numbers.stop, before, after) if number in numbers else segment
        for numbers, segment in zip(timeline.numbers(), timeline.segments, strict=True)
    )
    return replace(timeline, segments=segments)


def _with(segment: Segment, behind: int, before: Event, after: Event) -> Segment:
    """A segment with one of its verbatim thoughts replaced; ``behind`` is its index from the end (-1: the newest)."""
    events = list(segment.events)
    events[behind] = after
    old, new = key_event(before), key_event(after)
    keys = tuple(new if key == old else key for key in segment.key_events)
    return replace(segment, events=tuple(events), key_events=keys)
