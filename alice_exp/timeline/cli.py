"""The commands ``event …``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from alice_exp.kernel.errors import Hint, UsageError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.kernel.jsonc import plain
from alice_exp.kernel.text.display import one_line
from alice_exp.kernel.value_class import attributes
from alice_exp.model.formats.record_import import import_timeline
from alice_exp.model.formats.record_schema import EVENTS_PATH, event_json, segment_json, timeline_json
from alice_exp.model.values.records import Event, Segment, Timeline
from alice_exp.terminal import options
from alice_exp.terminal.console import Terminal, short
from alice_exp.terminal.language import say
from alice_exp.terminal.options import Came, DryRun, Pairs, Since, Until
from alice_exp.terminal.streams import json_text
from alice_exp.timeline import usecases as diary
from alice_exp.timeline.rules import compaction
from alice_exp.timeline.rules.digest import Hit


def add(
    terminal: Terminal,
    thought: Annotated[str, typer.Argument(metavar="THOUGHT|-")] = "",
    source: Annotated[
        str, typer.Option("--from", metavar="FILE|-", help="Many at once, as JSON or JSONL.")
    ] = "",
    context: str = "",
    action: str = "",
    result: Came = "",
    meta: Pairs = [],  # noqa: B006
    at: Annotated[str, typer.Option(help="When it was (else now).")] = "",
    dry_run: DryRun = False,
) -> None:
    """Add a thought to the timeline; at most two neighbours are merged, and git keeps every word.

    Examples: alice-exp event add "tests are red" --action "pytest --lf" --result "12 passed" · alice-exp event add -
    """
    session = terminal.rehearsing(dry_run)
    if bool(thought) == bool(source):
        raise UsageError(
            "give a thought or --from FILE, one of the two", hint='alice-exp event add "the tests are red"'
        )
    if source or thought == "-":
        named = source or thought
        imported = import_timeline(options.source_bytes(named), named, session.caller.now)
        if isinstance(imported, Timeline):
            raise UsageError(
                "this is a whole timeline", hint=Hint("alice-exp event import {named}", named=named)
            )
        _show_change(terminal, diary.add_thoughts(session, imported))
        return
    came = options.json_or_text(result) if result else None
    event = Event(terminal.moment(at), thought, context, action, came, options.context_of(meta, "--meta"))
    _show_change(terminal, diary.add_thought(session, event))


def result(
    terminal: Terminal,
    number: Annotated[
        int, typer.Argument(metavar="NUMBER", min=1, help="The thought, as 'event list --json' counts.")
    ],
    came: Annotated[str, typer.Argument(metavar="JSON|TEXT", help="What came of it.")],
) -> None:
    """Say later what came of a thought: in the thought while it is here word for word, else as a thought of its own.

    Example: alice-exp event result 12 "12 passed"
    """
    _show_change(terminal, diary.finish_thought(terminal.session, number, options.json_or_text(came)))


def list_events(terminal: Terminal, since: Since = "", until: Until = "") -> None:
    """List a span of time: the segments that touch it, and the thoughts of it that are here word for word.

    Example: alice-exp event list --since 2026-02-19
    """
    segments, events = compaction.between(_timeline(terminal), terminal.moment(since), terminal.moment(until))

    def text() -> None:
        rows = [
            [
                f"#{one.id}",
                terminal.local(one.start),
                str(one.segment_length),
                short(compaction.what_happened(one), 90),
            ]
            for one in segments
        ]
        terminal.table([say("id"), say("since"), say("thoughts"), say("what happened")], rows)
        if any(one.is_compressed for one in segments):
            terminal.line(say("'alice-exp event expand ID' shows the thoughts of a segment word for word"))

    document = {
        "segments": [_segment_document(one) for one in segments],
        "events": [{"number": number, **event_json(event)} for number, event in events],
    }
    terminal.answer(document, text)


def search(
    terminal: Terminal,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What you look for, in your own words.")],
    since: Since = "",
    until: Until = "",
    top: Annotated[int, typer.Option("-n", "--top", min=1, max=1000, help="How many at most.")] = 10,
) -> None:
    """Look thoughts up by content and time, those of long ago too, word for word (exit 4: nothing fits).

    Examples: alice-exp event search "drop v1" · alice-exp event search 决定 --since 2026-01-01
    """
    if not query.strip():
        raise UsageError("say what you look for", hint='alice-exp event search "drop v1"')
    snapshot = terminal.records(EVENTS_PATH)
    span = terminal.moment(since), terminal.moment(until)
    found = diary.find_thoughts(terminal.session, snapshot, query, top, *span)
    document = {"query": query, "matches": [_hit_document(one) for one in found]}

    def text() -> None:
        for one in found:
            where = str(one.number) if one.number else f"#{one.segment}"
            terminal.line(f"{where}  {terminal.local(one.at)}  {one_line(one.text, 200)}")
        if not found:
            terminal.note(say("no thought matches"))

    terminal.answer(document, text, is_found=bool(found))


def segments(
    terminal: Terminal,
    last: Annotated[int, typer.Option(min=1, help="The newest alone, so many.")] = 1_000_000,
) -> None:
    """Show the segments: how long each is, how often it was merged, which time it spans.

    Example: alice-exp event segments
    """
    timeline = _timeline(terminal)
    shown = compaction.recent(timeline, last)
    document = {
        "segments": [_segment_document(one) for one in shown],
        **attributes(timeline, "total_events total_compressions"),
    }
    terminal.answer(document, lambda: _picture(terminal, timeline, shown))


def tell(
    terminal: Terminal, last: Annotated[int, typer.Option(min=1, help="So many segments, the newest.")] = 5
) -> None:
    """Tell the newest segments as a story, oldest first, one line each.

    Example: alice-exp event narrative --last 5
    """
    timeline = _timeline(terminal)
    earlier = compaction.what_mattered(timeline.segments[: -last or None])
    document = {
        "narrative": compaction.narrative(timeline, last),
        "earlier": list(earlier),
        "segments": [
            {
                **attributes(one, "id start end segment_length"),
                "text": compaction.what_happened(one),
                "key_events": list(one.key_events),
            }
            for one in compaction.recent(timeline, last)
        ],
    }

    def text() -> None:
        if earlier:
            terminal.line(say("what mattered before: {events}", events="; ".join(earlier)))
        told = compaction.narrative(timeline, last, terminal.local).splitlines()
        for line in told or [say("there is no thought yet")]:
            terminal.line(line)

    terminal.answer(document, text)


def stats(terminal: Terminal) -> None:
    """Count the timeline: segments, thoughts, merges, how long the segments are.

    Example: alice-exp event stats
    """
    counts = compaction.statistics(_timeline(terminal))
    document = {
        **attributes(counts, "total_segments total_events total_compressions lengths levels verbatim"),
        "start": counts.start or None,
        "end": counts.end or None,
    }

    def text() -> None:
        line = (
            "{events} thoughts in {segments} segments, {merges} merges; the newest {verbatim} word for word"
        )
        events, merges = counts.total_events, counts.total_compressions
        segments, verbatim = counts.total_segments, counts.verbatim
        terminal.line(say(line, events=events, segments=segments, merges=merges, verbatim=verbatim))
        if segments:
            span = f"{terminal.local(counts.start)} – {terminal.local(counts.end)}"
            terminal.line(f"{span}  {list(counts.lengths)}")

    terminal.answer(document, text)


def expand(
    terminal: Terminal,
    reference: Annotated[
        str, typer.Argument(metavar="ID", help="A segment's id, present or merged long ago.")
    ],
) -> None:
    """Show the original thoughts of a segment, word for word, from history.

    Example: alice-exp event expand 17
    """
    snapshot = terminal.records(EVENTS_PATH)
    found = diary.expand(snapshot, terminal.session.history, diary.segment_number(reference))
    document = {
        "id": found.segment,
        "segment_length": len(found.numbers),
        "thoughts": [{"number": number, **event_json(event)} for number, event in found.thoughts.items()],
        "missing": list(found.missing),
    }

    def text() -> None:
        for number, event in found.thoughts.items():
            terminal.line(f"{number}  {terminal.local(event.at)}  {event.thought}")
            for name, value in event_json(event).items():
                if name in ("context", "action", "result", "metadata"):
                    terminal.line(f"    {say('{name}: {text}', name=say(name), text=plain(value))}")

    terminal.answer(document, text, is_found=bool(found.thoughts))
    _name_lost(terminal, len(found.missing))


def export(
    terminal: Terminal,
    target: Annotated[str, typer.Argument(metavar="[FILE]", help="A new file; else to stdout.")] = "-",
    thoughts: Annotated[
        bool,
        typer.Option("--thoughts", help="Every thought from history, word for word, one a line (JSONL)."),
    ] = False,
) -> None:
    """Give the timeline out as JSON, which 'event import' takes back as it is.

    Examples: alice-exp event export timeline.json · alice-exp event export --thoughts
    """
    timeline = _timeline(terminal)
    if thoughts:
        every = diary.everything(terminal.session.history)
        whole = "".join(json_text(event_json(one), None) for one in every.values())
        _name_lost(terminal, timeline.total_events - len(every))
    else:
        whole = json_text(timeline_json(timeline))
    options.write_apart(terminal.session.root, target, whole)


def import_(
    terminal: Terminal,
    source: Annotated[
        str, typer.Argument(metavar="FILE|-", help="A timeline, or thoughts as JSON or JSONL.")
    ],
    replace: Annotated[
        bool,
        typer.Option("--replace/--merge", help="Keep nothing else; or add the thoughts that are not here."),
    ] = False,
    dry_run: DryRun = False,
) -> None:
    """Take a timeline or thoughts in, whole or not at all.

    Examples: alice-exp event import thoughts.jsonl · alice-exp event import timeline.json --replace --yes
    """
    imported = import_timeline(options.source_bytes(source), source, terminal.session.caller.now)
    if replace and not dry_run:
        terminal.confirm(say("Replace the whole timeline by {source}?", source=source))
    _show_change(terminal, diary.take_in(terminal.rehearsing(dry_run), imported, replaces=replace))


_BAR = 24
"""The width, in columns, of the bars of all segments together."""


def _show_change(terminal: Terminal, done: diary.Told) -> None:
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


def _segment_document(one: Segment) -> Mapping[str, Any]:
    return {
        **segment_json(one),
        **attributes(one, "compression_level is_compressed summary key_events"),
        "events": [event_json(event) for event in one.events],
        **attributes(one, "start_timestamp end_timestamp"),
    }


def _picture(terminal: Terminal, timeline: Timeline, shown: Sequence[Segment]) -> None:
    """Print the segments as a table: the bar's position and width are thoughts, its height is the level."""
    if not shown:
        terminal.line(say("there is no thought yet"))
        return
    total = max(1, sum(one.segment_length for one in shown))
    rows, behind = [], 0
    for one in shown:
        begins = math.floor(_BAR * behind / total)
        behind += one.segment_length
        width = max(1, math.ceil(_BAR * behind / total) - begins)
        bar = " " * begins + "▁▂▃▄▅▆▇█"[min(one.compression_level, 7)] * width
        numbers = str(one.segment_length), str(one.compression_level), bar.ljust(_BAR)[:_BAR]
        rows.append([f"#{one.id}", *numbers, _span(terminal, one), short(compaction.what_happened(one), 72)])
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


def _hit_document(one: Hit) -> dict[str, Any]:
    """A hit of a search as JSON: the thought with its number, or what a segment tells with the segment's id."""
    said = event_json(one.event) if one.event is not None else {"text": one.text, "at": one.at}
    found = {"number": one.number or None, "segment": one.segment or None, "score": round(one.score, 4)}
    return {**found, **said}


def _name_lost(terminal: Terminal, count: int) -> None:
    if count > 0:
        lost = "alice-exp: {count} of the thoughts were never here word for word"
        terminal.note(say(lost, count=count))


def _timeline(terminal: Terminal) -> Timeline:
    return terminal.records(EVENTS_PATH).timeline or Timeline()
