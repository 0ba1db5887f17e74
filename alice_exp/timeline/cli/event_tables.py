"""The timeline as JSON documents, and as a table with bars."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from alice_exp.kernel.journal.act import commit_id
from alice_exp.kernel.value_class import attributes
from alice_exp.model.formats.record_schema import event_json, segment_json
from alice_exp.model.values.records import Segment, Timeline
from alice_exp.terminal.console import Terminal, short
from alice_exp.terminal.language import say
from alice_exp.timeline.rules.compaction import what_happened
from alice_exp.timeline.rules.search_thoughts import Hit
from alice_exp.timeline.usecases import events

_BAR = 24
"""The width, in columns, of the bars of all segments together."""


def show_change(terminal: Terminal, done: events.Told) -> None:
    """Print the result of a command that changed the timeline: counts, merges, why a model's answer was not used."""
    document = {
        "segments": len(done.timeline.segments),
        **attributes(done.timeline, "total_events total_compressions lengths"),
        "ids": list(done.segments),
        "merged": [[one.first.id, one.second.id, one.merged.id] for one in done.merges],
        "known": done.known,
        "commit": commit_id(done.commit),
    }

    def text() -> None:
        for one in done.merges[:20]:
            terminal.line(f"#{one.first.id} + #{one.second.id} → #{one.merged.id}")
        terminal.act(_counted(done.timeline))
        if done.known:
            terminal.line(say("{count} were known already", count=done.known))

    terminal.answer(document, text)
    for why in {one.fallback for one in done.merges if one.fallback}:
        terminal.note(say("alice-exp: the model gave no summary ({why}); the rule did", why=why))


def segment_document(one: Segment) -> Mapping[str, Any]:
    """A segment with its derived values."""
    return {
        **segment_json(one),
        **attributes(one, "compression_level is_compressed summary key_events"),
        "events": [event_json(event) for event in one.events],
        **attributes(one, "start_timestamp end_timestamp"),
    }


def picture(terminal: Terminal, timeline: Timeline, shown: Sequence[Segment]) -> None:
    """Print the segments as a table: the bar's position and width are thoughts, its height is the level."""
    if not shown:
        terminal.line(say("there is no thought yet"))
        return
    total = max(1, sum(one.segment_length for one in shown))
    rows = []
    behind = 0
    for one in shown:
        begins = math.floor(_BAR * behind / total)
        behind += one.segment_length
        width = max(1, math.ceil(_BAR * behind / total) - begins)
        bar = " " * begins + "▁▂▃▄▅▆▇█"[min(one.compression_level, 7)] * width
        numbers = str(one.segment_length), str(one.compression_level), bar.ljust(_BAR)[:_BAR]
        rows.append([f"#{one.id}", *numbers, _span(terminal, one), short(what_happened(one), 72)])
    names = [say("id"), say("thoughts"), say("level"), say("which part"), say("when"), say("what happened")]
    terminal.table(names, rows)
    terminal.line(_counted(timeline))


def _counted(timeline: Timeline) -> str:
    line = "{segments} segments, {events} thoughts, {merges} merges"
    events, merges = timeline.total_events, timeline.total_compressions
    return say(line, segments=len(timeline.segments), events=events, merges=merges)


def _span(terminal: Terminal, one: Segment) -> str:
    """A segment's span to the minute, in the home's time zone; the date is written once if both ends are on one day."""
    begins, ends = map(terminal.local, (one.start, one.end))
    if begins == ends:
        return begins
    return f"{begins}–{ends[11:]}" if begins[:10] == ends[:10] else f"{begins} – {ends}"


def hit_document(one: Hit) -> dict[str, Any]:
    """A hit of a search as JSON: the thought with its number, or what a segment tells with the segment's id."""
    said = event_json(one.event) if one.event is not None else {"text": one.text, "at": one.at}
    return {
        "number": one.number or None,
        "segment": one.segment or None,
        "score": round(one.score, 4),
        **said,
    }
