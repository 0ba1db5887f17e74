"""A result that came later than its thought (B1.8): appended while the thought is still here word for word."""

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
"""The metadata of a thought that belongs to a decision: the decision's id."""

LINK = "event"
"""The metadata of a thought that tells the result of an earlier one: that one's number."""


def unfinished(timeline: Timeline, decision: str) -> int | None:
    """The number of the newest thought of a decision that has no result yet and is here word for word; else None."""
    fitting = (
        number
        for number, event in verbatim(timeline).items()
        if event.result is None and event.metadata.get(DECISION) == decision
    )
    return max(fitting, default=None)


def finished(
    timeline: Timeline, number: int, result: Json, metadata: Mapping[str, Json] | None = None
) -> Timeline | None:
    """The timeline with a result in thought ``number`` (1-based), and in its segment's key events; ids, lengths stay.

    None where the thought is no longer here word for word, or has a result.
    """
    before = verbatim(timeline).get(number)
    if before is None or before.result is not None:
        return None
    after = replace(before, result=result, metadata={**before.metadata, **(metadata or {})})
    segments = tuple(
        _with(segment, number - numbers.stop, before, after) if number in numbers else segment
        for numbers, segment in zip(timeline.numbers(), timeline.segments, strict=True)
    )
    return replace(timeline, segments=segments)


def _with(segment: Segment, behind: int, before: Event, after: Event) -> Segment:
    """A segment with one of its verbatim thoughts replaced, counted from the end (-1: the newest)."""
    events = list(segment.events)
    events[behind] = after
    old, new = key_event(before), key_event(after)
    keys = tuple(new if key == old else key for key in segment.key_events)
    return replace(segment, events=tuple(events), key_events=keys)
