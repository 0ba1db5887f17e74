"""Three-way merge of all files of a home: blocks by id across files, records, configuration (issue 7).

The home is merged as a whole, because a block that one side moved to another file may have changed on the other side.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.kernel.jsonc import edit, parse
from alice_exp.kernel.value_class import dataclass
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
from alice_exp.model.rules.lifecycle import Thresholds, heirs
from alice_exp.model.values.records import Event, Segment, Timeline
from alice_exp.sync.rules.merge_blocks import merge, unite
from alice_exp.sync.rules.merge_text import (
    Side,
    Sides,
    holds_blocks,
    merge_document,
    merge_namespace,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from alice_exp.model.values.block import Block, Placed
    from alice_exp.sync.rules.merge_text import Files

    Blocks = Mapping[str, Placed]


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


def in_force(merged: Blocks, was: Blocks, one: Blocks, other: Blocks) -> dict[str, Placed]:
    """The blocks, by id, that hold after all: the block that was to be replaced, as the side has it that kept it, else
    the replacement that was approved last.

    Only where the merge took from every heir of a block the place that its own side had given it, and no side ended the
    block without one.
    """
    found: dict[str, Placed] = {}
    for block_id, before in was.items():
        now = merged.get(block_id)
        if now is None or now.place != "archive" or not _is_trusted(before) or _held(merged, block_id):
            continue
        standing = [side[block_id] for side in (one, other) if _is_trusted(side.get(block_id))]
        held = [_held(side, block_id) for side in (one, other) if not _is_trusted(side.get(block_id))]
        if all(held):
            stays = max(standing or held[0] + held[-1], key=_approved)
            kept = merged[stays.block.id].block
            block = replace(kept, state=stays.block.state, approved=stays.block.approved, archived=None)
            found[stays.block.id] = replace(stays, block=block)
    return found


def _is_trusted(placed: Placed | None) -> bool:
    return placed is not None and placed.place in ("personal", "universal")


def _held(side: Blocks, block_id: str) -> list[Placed]:
    """The blocks in force on a side that took a block's place, or that of what took it."""
    return [placed for placed in _line(side, block_id) if _is_trusted(placed)]


def _line(side: Blocks, block_id: str) -> Iterator[Placed]:
    met, left = {block_id}, [block_id]
    while left:
        placed = side.get(left.pop())
        for heir in heirs(placed.block) if placed is not None and placed.place == "archive" else ():
            if heir not in met and heir in side:
                met.add(heir)
                left.append(heir)
                yield side[heir]


def _approved(placed: Placed) -> tuple[str, str]:
    block = placed.block
    return (block.approved.at if block.approved is not None else "", block.id)


@dataclass(frozen=True, slots=True)
class MergedFiles:
    """The files of the merged home, the ids of blocks whose text both sides changed, and of those that both decided on,
    each otherwise."""

    files: Mapping[str, bytes]
    conflicts: tuple[str, ...] = ()
    overruled: tuple[str, ...] = ()


def merge_trees(was: Files, one: Files, other: Files) -> MergedFiles:
    """Merge two sides with the common ancestor ``was`` (no files: no shared history); symmetric in the two sides.

    ``ProblemError``, naming side, path and line, if a file cannot be read.
    """
    sides = Sides(Side("before", was), Side("here", one), Side("there", other))
    files: dict[str, bytes] = {}
    # Configuration first: the merged thresholds decide about the states of blocks.
    config = merge_document(CONFIG, sides)
    if config is not None:
        files[CONFIG] = config
    histories = (sides.was.blocks(), sides.one.blocks(), sides.other.blocks())
    thresholds = _thresholds(config)
    merged = merge(*histories, thresholds)
    held = in_force(merged.blocks, *histories)
    wanted: dict[str, list[Block]] = {}
    for placed in unite({**merged.blocks, **held}, *histories, thresholds, sides.is_commented).values():
        wanted.setdefault(placed.path, []).append(placed.block)
    for path in sorted({*one, *other, *wanted} - {CONFIG}):
        data = _file(path, sides, wanted.get(path, []))
        if data is not None:
            files[path] = data
    overruled = dict.fromkeys((*merged.overruled, *held))
    return MergedFiles(files, merged.conflicts, tuple(overruled))


def _thresholds(config: bytes | None) -> Thresholds:
    return Thresholds.of(read_config(parse(config or b"{}", CONFIG))[0])


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
    base, x, y = (_timeline(data) for data in (was, one, other))
    # The longer timeline stays as it is; size and bytes only break ties, the same way on both machines.
    x_ahead = (x.total_events, len(one), one) >= (y.total_events, len(other), other)
    frame, side, data = (x, y, one) if x_ahead else (y, x, other)
    document = parse(data, EVENTS_PATH, SEGMENTS)
    merged = merge_timelines(base, frame, side)
    result = edit(document, timeline_edits(document, frame, merged))
    if _timeline(result) != merged:
        raise AssertionError(f"merged {EVENTS_PATH} differs from what was meant")
    return result


def _timeline(data: bytes | None) -> Timeline:
    return past_timeline(data) if data is not None else Timeline()
