"""Three-way merge of two timelines: each thought is told and counted once, whatever was compacted meanwhile (R1.34)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from alice_exp.model.values.records import Event, Segment, Timeline


def merge_timelines(was: Timeline, frame: Timeline, other: Timeline) -> Timeline:
    """``frame`` with the thoughts that the other side added since ``was``, with new numbers, by time.

    A thought is new if its words stand neither in ``was`` nor in ``frame``: its number says little, for a merge before
    this one may have put older thoughts of a third side between. Of a segment that also contains older thoughts only
    the new ones are taken; those that are no longer kept word for word are counted under its summary. What stands on
    both sides to the letter is taken once. The counters include all of them.
    """
    new = _added(was, frame, other)
    numbered = tuple(replace(one, id=frame.next_id + place) for place, one in enumerate(new))
    told = _told_results(was, frame, other)
    segments = (*told, *numbered)
    # A person may have reordered the file by hand; then the new ones just go to the end.
    if list(told) == sorted(told, key=lambda one: one.start):
        segments = tuple(sorted(segments, key=lambda one: one.start))
    total = frame.total_events + sum(one.segment_length for one in new)
    compressions = frame.total_compressions + other.total_compressions - was.total_compressions
    return Timeline(
        frame.next_id + len(numbered), total, min(compressions, max(0, total - len(segments))), segments
    )


def _added(was: Timeline, frame: Timeline, other: Timeline) -> list[Segment]:
    """What ``other`` has that neither ``was`` nor ``frame`` has, oldest first."""
    before = [_bare(segment) for segment in was.segments]
    held = [_bare(segment) for segment in frame.segments]
    here = _without(_events(frame), _events(was))[0]
    known = _events(was)
    count = other.total_events - was.total_events
    rows: list[tuple[Segment, list[Event]]] = []
    for segment in other.segments:
        bare = _bare(segment)
        if bare in before:
            known = _without(known, segment.events)[0]
        elif bare in held:
            count -= segment.segment_length
        else:
            known, fresh = _without(known, segment.events)
            here, missing = _without(here, fresh)
            count -= len(fresh)
            rows.append((segment, missing))
    new: list[Segment] = []
    # What the words do not show is the newest of what the other side no longer keeps word for word.
    for segment, missing in reversed(rows):
        hidden = max(0, min(count, segment.segment_length - len(segment.events)))
        count -= hidden
        whole = len(missing) + hidden == segment.segment_length
        new = [*([segment] if whole else _parts(segment, missing, hidden)), *new]
    return new


def _parts(segment: Segment, events: Sequence[Event], hidden: int) -> list[Segment]:
    """Some thoughts of a segment one by one, before them as many as are only counted under its summary."""
    raw = [Segment(0, event.at, event.at, events=(event,)) for event in events]
    if not hidden:
        return raw
    end = raw[0].start if raw else segment.end
    start = min(segment.start, end)
    return [replace(segment, id=0, start=start, end=end, segment_length=hidden, events=()), *raw]


def _told_results(was: Timeline, frame: Timeline, other: Timeline) -> tuple[Segment, ...]:
    """The segments of ``frame``, with the results that only the other side has told of their thoughts since."""
    told = [event for event in _events(other) if event.result is not None]
    open_ = [event for event in _events(was) if event.result is None]

    def with_result(event: Event) -> Event:
        if event.result is not None or event not in open_:
            return event
        return next((one for one in told if _said(one) == _said(event)), event)

    if not told or not open_:
        return frame.segments
    return tuple(
        replace(one, events=tuple(map(with_result, one.events))) if one.events else one
        for one in frame.segments
    )


def _without(events: Sequence[Event], taken: Iterable[Event]) -> tuple[list[Event], list[Event]]:
    """``events`` without ``taken``, each once, and those of ``taken`` that were not among them."""
    left = [_said(event) for event in events]
    kept, rest = list(events), []
    for event in taken:
        if _said(event) in left:
            at = left.index(_said(event))
            del left[at], kept[at]
        else:
            rest.append(event)
    return kept, rest


def _said(event: Event) -> tuple[str, str, str, str]:
    """What makes a thought the same one: its result may have been told since."""
    return event.at, event.thought, event.context, event.action


def _events(timeline: Timeline) -> list[Event]:
    return [event for segment in timeline.segments for event in segment.events]


def _bare(segment: Segment) -> Segment:
    return replace(segment, id=0)
