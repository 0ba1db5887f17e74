"""The commands ``event …``."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from alice_exp.kernel.errors import Hint, NotFoundError, UsageError
from alice_exp.kernel.text.display import one_line
from alice_exp.kernel.value_class import attributes
from alice_exp.model.formats.record_schema import EVENTS_PATH, event_json, timeline_json
from alice_exp.model.values.records import Event, ImportMode, Timeline
from alice_exp.terminal.console import Terminal, short
from alice_exp.terminal.language import say
from alice_exp.terminal.options import (
    Came,
    DryRun,
    Pairs,
    context_of,
    json_or_text,
    require_utf8,
    source_bytes,
    write_apart,
)
from alice_exp.terminal.streams import json_text
from alice_exp.timeline.cli.event_tables import (
    hit_document,
    picture,
    segment_document,
    show_change,
)
from alice_exp.timeline.rules.compaction import (
    between,
    narrative,
    recent,
    statistics,
    what_happened,
    what_mattered,
)
from alice_exp.timeline.usecases import events as diary
from alice_exp.timeline.usecases import original_events
from alice_exp.timeline.usecases.events import find_thoughts

Since = Annotated[str, typer.Option(help="From this day or time on.")]
Until = Annotated[str, typer.Option(help="Until this day or time.")]


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
        imported = diary.read_thoughts(source_bytes(named), named, session.caller.now)
        if imported.timeline is not None:
            raise UsageError(
                "this is a whole timeline", hint=Hint("alice-exp event import {named}", named=named)
            )
        show_change(terminal, diary.add_thoughts(session, imported.events))
        return
    require_utf8(thought, context, action)
    came = json_or_text(result) if result else None
    event = Event(terminal.moment(at), thought, context, action, came, context_of(meta, "--meta"))
    show_change(terminal, diary.add_thought(session, event))


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
    require_utf8(came)
    show_change(terminal, diary.finish_thought(terminal.session, number, json_or_text(came)))


def list_events(
    terminal: Terminal,
    since: Since = "",
    until: Until = "",
) -> None:
    """List a span of time: the segments that touch it, and the thoughts of it that are here word for word.

    Example: alice-exp event list --since 2026-02-19
    """
    timeline = _timeline(terminal)
    segments, events = between(timeline, terminal.moment(since), terminal.moment(until))

    def text() -> None:
        rows = [
            [f"#{one.id}", terminal.local(one.start), str(one.segment_length), short(what_happened(one), 90)]
            for one in segments
        ]
        terminal.table([say("id"), say("since"), say("thoughts"), say("what happened")], rows)
        if any(one.is_compressed for one in segments):
            terminal.line(say("'alice-exp event expand ID' shows the thoughts of a segment word for word"))

    document = {
        "segments": [segment_document(one) for one in segments],
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
    session = terminal.session
    found = find_thoughts(snapshot, session.history, query, session.caller.now, top, *span)
    document = {"query": query, "matches": [hit_document(one) for one in found]}

    def text() -> None:
        for one in found:
            where = str(one.number) if one.number else f"#{one.segment}"
            terminal.line(f"{where}  {terminal.local(one.at)}  {one_line(one.text, 200)}")
        if not found:
            terminal.note(say("no thought matches"))

    terminal.answer(document, text)
    terminal.exit_code = 0 if found else NotFoundError.exit_code


def segments(
    terminal: Terminal,
    last: Annotated[int, typer.Option(min=1, help="The newest alone, so many.")] = 1_000_000,
) -> None:
    """Show the segments: how long each is, how often it was merged, which time it spans.

    Example: alice-exp event segments
    """
    timeline = _timeline(terminal)
    shown = recent(timeline, last)
    document = {
        "segments": [segment_document(one) for one in shown],
        **attributes(timeline, "total_events total_compressions"),
    }
    terminal.answer(document, lambda: picture(terminal, timeline, shown))


def tell(
    terminal: Terminal,
    last: Annotated[int, typer.Option(min=1, help="So many segments, the newest.")] = 5,
) -> None:
    """Tell the newest segments as a story, oldest first, one line each.

    Example: alice-exp event narrative --last 5
    """
    timeline = _timeline(terminal)
    earlier = what_mattered(timeline.segments[: -last or None])
    document = {
        "narrative": narrative(timeline, last),
        "earlier": list(earlier),
        "segments": [
            {
                **attributes(one, "id start end segment_length"),
                "text": what_happened(one),
                "key_events": list(one.key_events),
            }
            for one in recent(timeline, last)
        ],
    }

    def text() -> None:
        if earlier:
            terminal.line(say("what mattered before: {events}", events="; ".join(earlier)))
        told = narrative(timeline, last, terminal.local).splitlines()
        for line in told or [say("there is no thought yet")]:
            terminal.line(line)

    terminal.answer(document, text)


def stats(terminal: Terminal) -> None:
    """Count the timeline: segments, thoughts, merges, how long the segments are.

    Example: alice-exp event stats
    """
    counts = statistics(_timeline(terminal))
    document = {
        **attributes(counts, "total_segments total_events total_compressions lengths"),
        "levels": list(counts.levels),
        "verbatim": counts.verbatim,
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
    found = original_events.expand(snapshot, terminal.session.history, diary.segment_number(reference))
    document = {
        "id": found.segment,
        "segment_length": len(found.numbers),
        "thoughts": [{"number": number, **event_json(event)} for number, event in found.thoughts.items()],
        "missing": list(found.missing),
    }

    def text() -> None:
        for number, event in found.thoughts.items():
            _verbatim(terminal, number, event)

    terminal.answer(document, text)
    if found.missing:
        terminal.note(
            say("alice-exp: {count} of the thoughts were never here word for word", count=len(found.missing))
        )
    terminal.exit_code = 0 if found.thoughts else NotFoundError.exit_code


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
        every = original_events.everything(terminal.session.history)
        whole = "".join(json_text(event_json(one), None) for one in every.values())
        if len(every) < timeline.total_events:
            lost = timeline.total_events - len(every)
            terminal.note(say("alice-exp: {count} of the thoughts were never here word for word", count=lost))
    else:
        whole = json_text(timeline_json(timeline))
    write_apart(terminal.session.root, target, whole)


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
    session = terminal.session
    imported = diary.read_thoughts(source_bytes(source), source, session.caller.now)
    if replace and not dry_run:
        terminal.confirm(say("Replace the whole timeline by {source}?", source=source))
    mode: ImportMode = "replace" if replace else "merge"
    show_change(terminal, diary.take_in(terminal.rehearsing(dry_run), imported, mode))


def _timeline(terminal: Terminal) -> Timeline:
    return terminal.records(EVENTS_PATH).timeline or Timeline()


def _verbatim(terminal: Terminal, number: int, event: Event) -> None:
    """Print a thought with all its fields, unabridged."""
    terminal.line(f"{number}  {terminal.local(event.at)}  {event.thought}")
    fields = event_json(event)
    for name in ("context", "action", "result", "metadata"):
        if name in fields:
            value = fields[name]
            plain = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            terminal.line(f"    {say('{name}: {text}', name=say(name), text=plain)}")
