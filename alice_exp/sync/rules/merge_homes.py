"""Three-way merge of all files of a home: blocks by id across files, records, configuration (issue 7).

The home is merged as a whole, because a block that one side moved to another file may have changed on the other side.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from alice_exp.kernel.jsonc import edit, parse
from alice_exp.model.formats.config_file import PATH as CONFIG
from alice_exp.model.formats.config_file import read_config
from alice_exp.model.formats.record_edits import timeline_edits
from alice_exp.model.formats.record_schema import (
    EPISODES,
    EPISODES_PATH,
    EVENTS_PATH,
    SEGMENTS,
    past_timeline,
)
from alice_exp.model.rules.lifecycle import Thresholds
from alice_exp.model.values.block import Block, holds_blocks
from alice_exp.model.values.ledger_entry import Entry
from alice_exp.model.values.records import Event, Segment, Timeline
from alice_exp.sync.rules.merge_blocks import merge, unite
from alice_exp.sync.rules.merge_text import Files, Side, Sides, merge_document, merge_namespace


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


MergedFiles = tuple[dict[str, bytes], tuple[str, ...]]
"""The files of the merged home, and the ids of blocks whose text both sides changed."""


def merge_trees(
    was: Files, one: Files, other: Files, entries: Mapping[str, Entry] = MappingProxyType({})
) -> MergedFiles:
    """Merge two sides with the common ancestor ``was`` (no files: no shared history); symmetric in the two sides.

    ``entries`` are those of the merged ledger, which say what a person decided.
    ``ProblemError``, naming side, path and line, if a file cannot be read.
    """
    sides = Sides(Side("before", was), Side("here", one), Side("there", other))
    files: dict[str, bytes] = {}
    # Configuration first: the merged thresholds decide about the states of blocks.
    config = merge_document(CONFIG, sides)
    if config is not None:
        files[CONFIG] = config
    histories = (sides.was.blocks(), sides.one.blocks(), sides.other.blocks())
    thresholds = Thresholds.of(read_config(parse(config or b"{}", CONFIG))[0])
    merged, conflicts = merge(*histories, thresholds, entries)
    wanted: dict[str, list[Block]] = {}
    for placed in unite(merged, *histories, thresholds, sides.is_commented).values():
        wanted.setdefault(placed.path, []).append(placed.block)
    for path in sorted({*one, *other, *wanted} - {CONFIG}):
        data = _file(path, sides, wanted.get(path, []))
        if data is not None:
            files[path] = data
    return files, conflicts


def _file(path: str, sides: Sides, wanted: list[Block]) -> bytes | None:
    if holds_blocks(path):
        return merge_namespace(path, sides, wanted)
    was, one, other = (side.files.get(path) for side in (sides.was, sides.one, sides.other))
    if other == was:
        return one
    if one == was:
        return other
    if path == EVENTS_PATH and one is not None and other is not None:
        return _timelines(was, one, other)
    return merge_document(path, sides, EPISODES if path == EPISODES_PATH else "blocks")


def _timelines(was: bytes | None, one: bytes, other: bytes) -> bytes:
    base, x, y = (past_timeline(data or b"{}") for data in (was, one, other))
    # The longer timeline stays as it is; size and bytes only break ties, the same way on both machines.
    x_ahead = (x.total_events, len(one), one) >= (y.total_events, len(other), other)
    frame, side, data = (x, y, one) if x_ahead else (y, x, other)
    document = parse(data, EVENTS_PATH, SEGMENTS)
    merged = merge_timelines(base, frame, side)
    result = edit(document, timeline_edits(document, frame, merged))
    if past_timeline(result) != merged:
        raise AssertionError(f"merged {EVENTS_PATH} differs from what was meant")
    return result
