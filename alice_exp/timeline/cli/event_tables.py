"""The timeline as JSON documents and as a picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from alice_exp.kernel.journal.act import commit_id
from alice_exp.kernel.text.display import one_line
from alice_exp.model.formats.record_schema import event_json, segment_json
from alice_exp.model.values.records import Segment, Timeline
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import say
from alice_exp.timeline.rules.digest import gist
from alice_exp.timeline.usecases import events

_BAR = 24
"""Columns of the picture of all segments."""


def tell_what_was_done(terminal: Terminal, told: events.Told) -> None:
    """The answer of a command that changed the timeline: its counts, the merges, why a model's answer was not used."""
    document = {
        "segments": len(told.timeline.segments),
        "total_events": told.timeline.total_events,
        "total_compressions": told.timeline.total_compressions,
        "lengths": list(told.timeline.lengths),
        "ids": list(told.segments),
        "merged": [[one.first.id, one.second.id, one.merged.id] for one in told.merges],
        "known": told.known,
        "commit": commit_id(told.commit),
    }

    def text() -> None:
        for one in told.merges[:20]:
            terminal.line(f"#{one.first.id} + #{one.second.id} → #{one.merged.id}")
        terminal.act(
            say(
                "{segments} segments, {events} thoughts, {merges} merges",
                segments=len(told.timeline.segments),
                events=told.timeline.total_events,
                merges=told.timeline.total_compressions,
            )
        )
        if told.known:
            terminal.line(say("{count} were known already", count=told.known))

    terminal.answer(document, text)
    for why in {one.fallback for one in told.merges if one.fallback}:
        terminal.note(say("alice-exp: the model gave no summary ({why}); the rule did", why=why))


def segment_document(one: Segment) -> Mapping[str, Any]:
    """A segment with all that follows from it."""
    return {
        **segment_json(one),
        "compression_level": one.compression_level,
        "is_compressed": one.is_compressed,
        "summary": one.summary,
        "key_events": list(one.key_events),
        "events": [event_json(event) for event in one.events],
        "start_timestamp": one.start_timestamp,
        "end_timestamp": one.end_timestamp,
    }


def what_happened(one: Segment) -> str:
    """A segment's summary, or its thoughts where it has none."""
    return one.summary or "; ".join(map(gist, one.events))


def picture(terminal: Terminal, told: Timeline, shown: Sequence[Segment]) -> None:
    """Each segment where it lies in time, its length as a bar, its level as height."""
    if not shown:
        terminal.line(say("there is no thought yet"))
        return
    total = max(1, sum(one.segment_length for one in shown))
    rows = []
    behind = 0
    for one in shown:
        begins, ends = (
            math.floor(_BAR * behind / total),
            math.ceil(_BAR * (behind + one.segment_length) / total),
        )
        behind += one.segment_length
        bar = " " * begins + _block(one.compression_level) * max(1, ends - begins)
        level, length = str(one.compression_level), str(one.segment_length)
        rows.append(
            [
                f"#{one.id}",
                length,
                level,
                bar.ljust(_BAR)[:_BAR],
                _span(one),
                one_line(what_happened(one), 72),
            ]
        )
    names = [say("id"), say("thoughts"), say("level"), say("which part"), say("when"), say("what happened")]
    terminal.table(names, rows)
    line = "{segments} segments, {events} thoughts, {merges} merges"
    terminal.line(
        say(line, segments=len(told.segments), events=told.total_events, merges=told.total_compressions)
    )


def _span(one: Segment) -> str:
    """From when to when, to the minute, in UTC; the day is named once where one is enough."""
    begins, ends = (f"{at[:10]} {at[11:16]}" for at in (one.start, one.end))
    if begins == ends:
        return f"{begins}Z"
    return f"{begins}–{ends[11:]}Z" if begins[:10] == ends[:10] else f"{begins} – {ends}Z"


def _block(level: int) -> str:
    return "▁▂▃▄▅▆▇█"[min(level, 7)]
