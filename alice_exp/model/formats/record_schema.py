"""Converts the files that hold no blocks, those of ``records/`` and the configuration, to values and back.

Reading does not stop at the first fault: every faulty record becomes a ``Problem`` with its position, the others are
returned; the caller decides by severity. Sources: R0.6-R0.17, R1.3-R1.13, B0.14, B1.9; DESIGN 3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from alice_exp.kernel.jsonc import Json, Problem
from alice_exp.model.formats.field_readers import (
    Fault,
    Field,
    Found,
    Reader,
    Reading,
    Shape,
    anything,
    between,
    field,
    filled,
    flag,
    listed,
    mapping,
    matching,
    own_object,
    problem_at,
    read_object,
    readers,
    shaped,
    shapes,
    text,
    texts,
    time,
    unknown_key,
    whole,
)
from alice_exp.model.values.config import BY_NAME, OPTIONS, PAST, TAKEN, Config, Kind, is_local
from alice_exp.model.values.records import CAPACITY, Episode, EpisodeBook, Event, Segment, Timeline
from alice_exp.model.values.records import EPISODES_PATH as EPISODES_PATH
from alice_exp.model.values.records import EVENTS_PATH as EVENTS_PATH

if TYPE_CHECKING:
    from alice_exp.kernel.jsonc.document import Document, Unchanged


EMPTY: Mapping[str, str] = {
    EPISODES_PATH: '{\n  "$schema": "../.schema/episodes.json",\n  "capacity": 1000,\n  "episodes": []\n}\n',
    EVENTS_PATH: (
        '{\n  "$schema": "../.schema/events.json",\n  "next_id": 1,\n  "total_events": 0,\n'
        '  "total_compressions": 0,\n  "segments": []\n}\n'
    ),
}

EPISODES = "episodes"
SEGMENTS = "segments"
"""The names of the lists in the two files, for ``spans_of`` of ``parse``."""

EPISODE_ID = re.compile(r"ep-[a-z2-9]{8}")

_EPISODE: Mapping[str, Field] = {
    "id": field(
        matching(EPISODE_ID, 'an id is "ep-" and 8 characters of a-z and 2-9'),
        "Filled in where it is left out.",
    ),
    "task": field(filled, "What was to be done."),
    "context": field(mapping, "The surroundings, as key and value."),
    "action": field(text, "What was done."),
    "result": field(anything, "What came of it."),
    "success": field(flag, "Whether it worked."),
    "reward": field(between(0, 1), "How well it went, from 0 to 1."),
    "at": field(time, "When: ISO-8601 in UTC."),
    "reflection": field(text, "What was learned from it."),
    "type": field(text, "What kind of task it was."),
    "result_truncated": field(flag, "Whether the result was longer than what is kept."),
    "result_length": field(whole(0), "Characters of the whole result."),
    "access_count": field(whole(0), "How often it was found."),
    "note": field(text, "What the report of its outcome remarked."),
    "told": field(text, "The blocks that the decision told."),
    "unreported": field(flag, "Whether nobody said how it ended."),
    "project": field(text, "Where it happened; left out: in no project."),
}
_EVENT: Mapping[str, Field] = {
    "at": field(time, "When: ISO-8601 in UTC."),
    "thought": field(text, "What was thought."),
    "context": field(text, "In which situation."),
    "action": field(text, "What was done."),
    "result": field(anything, "What came of it."),
    "metadata": field(mapping, "Whatever else is to be kept."),
}

EPISODE_FIELDS: Mapping[str, Reader] = readers(_EPISODE)
EVENT_FIELDS: Mapping[str, Reader] = readers(_EVENT)
"""The readers of every key of an episode and of a thought, in canonical order."""

COUNTERS = ("next_id", "total_events", "total_compressions")


def read_episodes(
    document: Document, before: Unchanged[Episode] | None = None
) -> tuple[EpisodeBook, tuple[Problem, ...]]:
    """The episodes of a parsed ``episodes.jsonc``, and its problems.

    An episode that a person typed has ``id == ""`` until it is adopted; the default reward is 1 for a success, else 0.
    ``before`` is an earlier reading of the file, whose unchanged episodes are reused.
    """
    reading = Reading(document, EPISODES, ("capacity",))
    capacity = reading.member("capacity", whole(1), CAPACITY)
    episodes = reading.items(
        lambda item: read_episode(item, EPISODE_FIELDS), before.of(document) if before is not None else ()
    )
    reading.refuse_twins([(episode.id, index) for index, episode in episodes if episode.id])
    for index, episode in episodes:
        if episode.extra:
            reading.warn(episode.extra, (EPISODES, index), EPISODE_FIELDS)
    return EpisodeBook(tuple(episode for _, episode in episodes), capacity), reading.found.all()


def read_timeline(document: Document) -> tuple[Timeline, tuple[Problem, ...]]:
    """The timeline of a parsed ``events.jsonc``, and its problems.

    Missing counters are derived from the segments. Counters that contradict them are problems: errors if continuing
    would lose a thought or assign an id twice, warnings if thoughts were removed by hand.
    """
    reading = Reading(document, SEGMENTS, COUNTERS)
    listed = reading.items(lambda item: read_segment(item, SEGMENT_FIELDS))
    reading.refuse_twins([(segment.id, index) for index, segment in listed])
    segments = tuple(segment for _, segment in listed)
    held = sum(segment.segment_length for segment in segments)
    total = reading.member("total_events", whole(0), held)
    timeline = Timeline(
        reading.member("next_id", whole(1), max((one.id for one in segments), default=0) + 1),
        total,
        reading.member("total_compressions", whole(0), max(0, total - len(segments))),
        segments,
    )
    if not reading.found.has_error:
        _check(reading, timeline, held)
    return timeline, reading.found.all()


def read_episode(item: Json, readers: Mapping[str, Reader] = EPISODE_FIELDS) -> Episode:
    """Read one episode from its JSON value (``Fault`` if it is not one)."""
    known, extra = read_object(item, readers)
    if "task" not in known:
        raise Fault('an episode needs a "task": what was to be done')
    known.setdefault("id", "")
    known.setdefault("reward", 1.0 if known.get("success") else 0.0)
    return Episode(**known, extra=extra)


@shaped(own_object(shapes(_EVENT)))
def read_event(item: Json, readers: Mapping[str, Reader] = EVENT_FIELDS) -> Event:
    """Read one thought from its JSON value (``Fault`` if it is not one)."""
    known, extra = read_object(item, readers)
    for key in ("at", "thought"):
        if key not in known:
            raise Fault('an event needs "{key}"', key=key)
    return Event(**known, extra=extra)


EVENTS = '"{name}" is a list of events'
"""What is said of a list of thoughts that is none."""

_SEGMENT: Mapping[str, Field] = {
    "id": field(whole(1), "Counts up; never given twice."),
    "start": field(time, "The first thought's time."),
    "end": field(time, "The last thought's time."),
    "segment_length": field(whole(1), "How many thoughts it stands for."),
    "compression_level": field(whole(0), "How often it was merged."),
    "summary": field(text, "What happened, in short."),
    "key_events": field(texts, "What must not be lost in a summary."),
    "events": field(listed(read_event, EVENTS), "The thoughts that are here word for word."),
}
SEGMENT_FIELDS: Mapping[str, Reader] = readers(_SEGMENT)


def read_segment(item: Json, readers: Mapping[str, Reader] = SEGMENT_FIELDS) -> Segment:
    """Read one segment from its JSON value (``Fault`` if it is not one or contradicts itself)."""
    known, _ = read_object(item, readers)
    events: tuple[Event, ...] = known.get("events", ())
    if events:
        known.setdefault("start", events[0].at)
        known.setdefault("end", events[-1].at)
    for key in ("id", "start"):
        if key not in known:
            raise Fault('a segment needs "{key}"', key=key)
    known.setdefault("end", known["start"])
    segment = Segment(**known)
    if len(events) > segment.segment_length:
        what = "{count} events stand in a segment of {length} thoughts"
        raise Fault(what, ("events",), count=len(events), length=segment.segment_length)
    if not segment.is_compressed and (segment.segment_length > 1 or not events):
        raise Fault("a segment of level 0 is one thought and holds it in its events")
    return segment


def _check(reading: Reading, timeline: Timeline, held: int) -> None:
    last = max((segment.id for segment in timeline.segments), default=0)
    total, count = timeline.total_events, len(timeline.segments)
    if timeline.next_id <= last:
        what = '"next_id" is {next_id}, but there is a segment {last}'
        reading.report(Fault(what, next_id=timeline.next_id, last=last), ("next_id",), f"{last + 1}")
    if held > total:
        what = '"total_events" is {total}, but the segments hold {held} thoughts'
        reading.report(Fault(what, total=total, held=held), ("total_events",), f"{held}")
    elif held < total:
        what = "{missing} of {total} thoughts are no longer in this file; history keeps them"
        reading.report(Fault(what, missing=total - held, total=total), (SEGMENTS,), severity="warning")
    elif timeline.total_compressions > total - count:
        fault = Fault(
            '"total_compressions" is {count}, but {total} thoughts in {segments} segments come of {merges} merges',
            count=timeline.total_compressions,
            total=total,
            segments=count,
            merges=total - count,
        )
        reading.report(fault, ("total_compressions",), severity="warning")


def episode_json(episode: Episode) -> dict[str, Json]:
    """The JSON of an episode in a file: keys in canonical order; id, task, success and reward always."""
    always = frozenset(("id", "task", "success", "reward"))
    return _present(episode, Episode("", ""), tuple(EPISODE_FIELDS), always) | dict(episode.extra)


def event_json(event: Event) -> dict[str, Json]:
    """The JSON of a thought without its defaults; time and thought always."""
    return _present(event, Event("", ""), tuple(EVENT_FIELDS), frozenset(("at", "thought"))) | dict(
        event.extra
    )


def segment_json(segment: Segment) -> dict[str, Json]:
    """The JSON of a segment without its defaults; id, span and length always."""
    keys = tuple(key for key in SEGMENT_FIELDS if key != "events")
    always = frozenset(("id", "start", "end", "segment_length"))
    written = _present(segment, Segment(0, "", ""), keys, always)
    if segment.events:
        written["events"] = [event_json(event) for event in segment.events]
    return written


def _present(value: object, bare: object, keys: Sequence[str], always: frozenset[str]) -> dict[str, Json]:
    written: dict[str, Json] = {}
    for key in keys:
        own = getattr(value, key)
        if key in always or own != getattr(bare, key):
            written[key] = list(own) if isinstance(own, tuple) else own
    return written


def timeline_json(timeline: Timeline) -> dict[str, Json]:
    """The whole timeline as JSON, in the form of ``events.jsonc`` (R1.43)."""
    counters: dict[str, Json] = {key: getattr(timeline, key) for key in COUNTERS}
    return counters | {SEGMENTS: [segment_json(segment) for segment in timeline.segments]}


def past_episodes(data: bytes) -> EpisodeBook:
    """The episodes in the bytes of an ``episodes.jsonc``; none where they are no JSONC."""
    from alice_exp.kernel.jsonc.reader import parse

    return read_episodes(parse(data, EPISODES_PATH, EPISODES))[0]


def past_timeline(data: bytes) -> Timeline:
    """The timeline in the bytes of an ``events.jsonc``; an empty one where they are no JSONC."""
    from alice_exp.kernel.jsonc.reader import parse

    return read_timeline(parse(data, EVENTS_PATH, SEGMENTS))[0]


EPISODE_SHAPE: Shape = own_object(shapes(_EPISODE), ("task",))
SEGMENT_SHAPE: Shape = own_object(shapes(_SEGMENT))


CONFIG_PATH = "config.jsonc"

_HEAD = "// How this home behaves. Every key stands here with its default; change what you like."
_LOCAL_HEAD = "// What only this machine decides. This file is in no history and goes nowhere."


@shaped({"type": "number", "exclusiveMinimum": 0})
def _days(value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise Fault('"{name}" is a number of days, more than 0')
    return value


KINDS: Mapping[Kind, Field] = {
    "count": field(whole(0)),
    "share": field(between(0, 1)),
    "days": field(_days),
    "flag": field(flag),
    "text": field(text),
}
"""What an option of each kind takes."""


def default_text(*, local: bool = False) -> str:
    """The text of a new ``config.jsonc``, or of ``local.jsonc``: every key of it under a comment that explains it."""
    from alice_exp.kernel.jsonc.formatting import dump

    schema = f"{'experiences/' if local else ''}.schema/config.json"
    groups = [f'  "$schema": "{schema}"']
    options = (option for option in OPTIONS if is_local(option.name) == local)
    for head, group in groupby(options, lambda option: option.name.rpartition(".")[0]):
        start = "\n    " if head else "\n  "
        rows = (
            f'{start}// {one.doc}.{start}"{one.name.rpartition(".")[2]}": {dump(one.default)}'
            for one in group
        )
        keys = ",".join(rows)
        groups.append(f'  "{head}": {{{keys}\n  }}' if head else keys.removeprefix("\n"))
    return "\n".join([_LOCAL_HEAD if local else _HEAD, "{", ",\n".join(groups), "}", ""])


def with_value(text: str | None, name: str, value: Json) -> str:
    """The text of ``config.jsonc`` with one key set, its comments kept; None: there is no file, so a new one is made.
    ``ProblemError`` if it is broken."""
    from alice_exp.kernel.jsonc.edits import Set, edit
    from alice_exp.kernel.jsonc.reader import parse

    document = parse((default_text() if text is None else text).encode(), CONFIG_PATH)
    if document.problem is not None:
        raise document.problem.as_error("{message}; the file is left as it is")
    return edit(document, [Set(tuple(name.split(".")), value)]).decode()


def read_config(document: Document) -> tuple[Config, tuple[Problem, ...]]:
    """The valid values of a parsed file, and its problems."""
    if document.problem is not None:
        return Config(), (document.problem,)
    if not isinstance(document.value, dict):
        return Config(), (Problem(CONFIG_PATH, 1, 1, "the configuration is an object"),)
    values: dict[str, Json] = {}
    problems = Found(document.path)
    groups = {option.name.partition(".")[0] for option in OPTIONS if "." in option.name}
    for key, value in document.value.items():
        if key == "$schema" or key.startswith("x-"):
            continue
        if key in groups and isinstance(value, dict):
            for inner, setting in value.items():
                _take(document, (key, inner), setting, values, problems)
        else:
            _take(document, (key,), value, values, problems)
    return Config(values), problems.all()


def _take(
    document: Document, pointer: tuple[str, ...], value: Json, values: dict[str, Json], problems: Found
) -> None:
    name = ".".join(pointer)
    option = BY_NAME.get(name)
    if option is None:
        if not (pointer[-1].startswith("x-") or name in PAST):
            near = [TAKEN[name]] if name in TAKEN else BY_NAME
            other = "see 'alice-exp config list'"
            problems.add("warning", lambda: unknown_key(document, pointer, name, near, other=other))
        return
    try:
        KINDS[option.kind].read(value)
        values[name] = value
    except Fault as fault:
        template, given = fault.template, {"name": name, **fault.values}
        problems.add("error", lambda: problem_at(document, pointer, template, given))
