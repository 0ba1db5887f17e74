"""Results that come later than their thoughts (B1.8): added to a thought while it is still kept verbatim."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.timeline.rules.compaction import verbatim
from alice_exp.timeline.rules.digest import key_event

if TYPE_CHECKING:
    from collections.abc import Mapping

    from alice_exp.kernel.jsonc.problem import Json
    from alice_exp.model.values.records import Event, Segment, Timeline

DECISION = "decision"
"""The metadata key of a thought that belongs to a decision; the value is the decision's id."""

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
    """Add a result to thought ``number`` (1-based) and to its segment's key events; ids and lengths stay.

    ``None`` if the thought is no longer kept verbatim, or has a result already.
    """
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
