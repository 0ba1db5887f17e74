"""The diary of thoughts: added and compacted, told as a story, expanded from history, taken in and given out.

Plays the part of the source's EventMemory (R1.28-R1.43). The file stays bounded; every thought stays in git, word for
word (B1.4).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from alice_exp.core.changes import Act, ChangeSet
from alice_exp.core.errors import NotFoundError, RefusedError, UsageError
from alice_exp.core.records import Timeline
from alice_exp.rules.timeline import (
    STRATEGIES,
    WINDOW,
    add_event,
    add_events,
    covered,
    covered_by_order,
    verbatim,
)
from alice_exp.text.jsonc import parse
from alice_exp.text.record_import import import_timeline
from alice_exp.text.records import EVENTS_PATH, SEGMENTS, event_json, read_timeline
from alice_exp.usecases.acts import require_person
from alice_exp.usecases.recorded import refuse_faults, require_sound

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from alice_exp.core.changes import Commit
    from alice_exp.core.model import Snapshot
    from alice_exp.core.ports import History, Home
    from alice_exp.core.records import Event, Segment
    from alice_exp.rules.digest import Digest
    from alice_exp.rules.timeline import (
        Merge,
        Strategy,
        Summariser,
    )
    from alice_exp.text.record_import import ImportedTimeline
    from alice_exp.usecases.acts import Caller

_TOTAL = re.compile(r'"total_events":\s*(\d+)')


@dataclass(frozen=True, slots=True)
class Told:
    """What an addition did: the timeline after it, the ids of the new thoughts' own segments, the merges, the commit.

    ``known`` counts thoughts of an import that were there already.
    """

    timeline: Timeline
    segments: tuple[int, ...] = ()
    merges: tuple[Merge, ...] = ()
    known: int = 0
    commit: Commit | None = None


@dataclass(frozen=True, slots=True)
class Expanded:
    """The thoughts behind a segment, by number (1-based, in the order of arrival), and those that no version holds."""

    segment: int
    numbers: range
    thoughts: Mapping[int, Event]

    @property
    def missing(self) -> tuple[int, ...]:
        """Numbers of thoughts that were never committed here word for word (a timeline that was imported, say)."""
        return tuple(number for number in self.numbers if number not in self.thoughts)


def strategy_named(name: str) -> Strategy:
    """A strategy of compaction by its name (R1.40); ``UsageError`` where there is none."""
    if name not in STRATEGIES:
        raise UsageError(
            "{name} is not a way to compact", name=repr(name), hint=f"ways are {', '.join(STRATEGIES)}"
        )
    return STRATEGIES[name]


def add_thought(
    home: Home,
    caller: Caller,
    event: Event,
    strategy: Strategy = STRATEGIES["length"],
    summarise: Summariser | None = None,
) -> Told:
    """One more thought, compacted at most once, in one commit (R1.14-R1.19, R1.29).

    A model is asked before the home is locked; where two other neighbours merge by then, the rule tells of them.
    """
    _require_said(event)
    answers = _asked(home, event, strategy, summarise) if summarise is not None else None

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Told]:
        timeline = _present(snapshot)
        added = add_event(timeline, event, strategy, answers)
        detail = f"add #{added.segment}{f', {_said(added.merge)}' if added.merge else ''}"
        act = Act("event", caller.actor, caller.now, (), detail)
        merges = (added.merge,) if added.merge else ()
        return ChangeSet(act, timeline=added.timeline), Told(added.timeline, (added.segment,), merges)

    commit, told = home.apply(plan, (), records=True)
    return replace(told, commit=commit)


def add_thoughts(
    home: Home,
    caller: Caller,
    events: Sequence[Event],
    strategy: Strategy = STRATEGIES["length"],
    verb: str = "add",
) -> Told:
    """Many thoughts in one act, merged by the rule.

    Where the end of it does not hold each of them word for word, they are committed so first (DESIGN 5).
    """
    for event in events:
        _require_said(event)

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Told]:
        timeline = _present(snapshot)
        if not events:
            return None, Told(timeline)
        many = add_events(timeline, events, strategy)
        fresh = tuple(one.id for one in many.raw.segments[len(timeline.segments) :])
        told = Told(many.compacted, fresh, many.merges)
        act = Act("event", caller.actor, caller.now, (), f"{verb} {len(events)} thoughts")
        numbers = range(timeline.total_events + 1, many.compacted.total_events + 1)
        if set(numbers) <= verbatim(many.compacted).keys():
            return ChangeSet(act, timeline=many.compacted), told
        after = Act("event", caller.actor, caller.now, (), f"compact, {len(many.merges)} merges")
        return ChangeSet(act, timeline=many.raw, then=ChangeSet(after, timeline=many.compacted)), told

    commit, told = home.apply(plan, (), records=True)
    return replace(told, commit=commit)


def read_thoughts(data: bytes, path: str, now: str) -> ImportedTimeline:
    """Thoughts, or a whole timeline, from a text: whole or not at all (``ProblemError`` with the first fault)."""
    imported = import_timeline(data, path, now)
    refuse_faults(imported.problems)
    return imported


def take_in(
    home: Home,
    history: History,
    caller: Caller,
    imported: ImportedTimeline,
    mode: Literal["merge", "replace"] = "merge",
    strategy: Strategy = STRATEGIES["length"],
) -> Told:
    """Import: thoughts that are not known yet are added; a whole timeline fills an empty one, or replaces (a person's).

    Known are those that this home's file or history holds word for word, so that importing twice changes nothing.
    """
    if mode == "replace":
        require_person(caller, "replace the timeline", "alice-exp event import FILE --replace")
        whole = imported.timeline or add_events(Timeline(), imported.events, strategy).compacted
        return _replaced(home, caller, whole, imported.events, strategy)
    if imported.timeline is not None:
        return _filled(home, caller, imported.timeline)
    home.read(())
    known = {_content(event) for event in everything(history).values()}
    fresh = [event for event in imported.events if _content(event) not in known]
    told = add_thoughts(home, caller, fresh, strategy, "import")
    return replace(told, known=len(imported.events) - len(fresh))


def expand(snapshot: Snapshot, history: History, segment: int) -> Expanded:
    """The original thoughts of a segment, present or merged long ago, from the versions of the file in git (B1.4).

    ``NotFoundError`` where no version had a segment of that id.
    """
    present = snapshot.timeline or Timeline()
    numbers = covered(present, segment) or _covered_once(history, segment) or _by_order(present, segment)
    if numbers is None:
        raise NotFoundError(
            "no segment ever had the id {id}", id=segment, hint="see 'alice-exp event segments'"
        )
    thoughts = {number: event for number, event in verbatim(present).items() if number in numbers}
    for number, event in _from_history(history, set(numbers) - thoughts.keys()):
        thoughts[number] = event
    return Expanded(segment, numbers, dict(sorted(thoughts.items())))


def everything(history: History) -> dict[int, Event]:
    """Every thought that history holds word for word, by number (export, and what an import has to know)."""
    newest = next((text for _, text in history.texts(EVENTS_PATH)), "")
    return dict(sorted(_from_history(history, set(range(1, _total(newest) + 1)))))


def segment_number(reference: str) -> int:
    """A segment's id from ``17`` or ``#17``; ``UsageError`` where it is none."""
    plain = reference.removeprefix("#")
    if not plain.isascii() or not plain.isdigit() or len(plain) > 12 or int(plain) < 1:
        raise UsageError(
            "{reference} is not a segment's id", reference=repr(reference), hint="an id is a number, as 17"
        )
    return int(plain)


def _present(snapshot: Snapshot) -> Timeline:
    require_sound(snapshot, EVENTS_PATH)
    return snapshot.timeline or Timeline()


def _require_said(event: Event) -> None:
    if not event.thought.strip():
        raise UsageError("an event needs a thought: what went through the mind")


def _said(merge: Merge) -> str:
    return f"#{merge.first.id} + #{merge.second.id} → #{merge.merged.id}"


def _asked(home: Home, event: Event, strategy: Strategy, summarise: Summariser) -> Summariser:
    """A model's answer for the merge that is about to happen; a failure is kept, and tells why the rule answered."""
    snapshot = home.read((), records=True)
    asked: list[tuple[Segment, Segment, Digest | None, Exception | None]] = []

    def ask(first: Segment, second: Segment) -> Digest | None:
        try:
            asked.append((first, second, summarise(first, second), None))
        except (
            Exception
        ) as failure:  # a model may fail in any way, and a thought is kept all the same (R1.25)
            asked.append((first, second, None, failure))
        return None

    def answer(first: Segment, second: Segment) -> Digest | None:
        for one, other, told, failure in asked:
            if (one, other) == (first, second):
                if failure is not None:
                    raise failure
                return told
        return None

    if snapshot.timeline is not None:
        add_event(snapshot.timeline, event, strategy, ask)
    return answer


def _replaced(
    home: Home, caller: Caller, whole: Timeline, events: Sequence[Event], strategy: Strategy
) -> Told:
    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Told]:
        require_sound(snapshot, EVENTS_PATH)
        act = Act(
            "event",
            caller.actor,
            caller.now,
            (),
            f"import, replaces {_present(snapshot).total_events} thoughts",
        )
        told = Told(whole, tuple(segment.id for segment in whole.segments))
        if whole == snapshot.timeline:
            return None, told
        if len(verbatim(whole)) >= len(events):
            return ChangeSet(act, timeline=whole), told
        raw = add_events(Timeline(), events, strategy).raw
        after = Act("event", caller.actor, caller.now, (), f"compact, {whole.total_compressions} merges")
        return ChangeSet(act, timeline=raw, then=ChangeSet(after, timeline=whole)), told

    commit, told = home.apply(plan, (), records=True)
    return replace(told, commit=commit)


def _filled(home: Home, caller: Caller, whole: Timeline) -> Told:
    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Told]:
        present = _present(snapshot)
        if present == whole:
            return None, Told(present, known=present.total_events)
        if present.total_events:
            raise RefusedError(
                "this home has a timeline of its own; two cannot be made one",
                hint="a person replaces it with --replace; thoughts (JSONL of 'event export --thoughts') are merged",
            )
        act = Act("event", caller.actor, caller.now, (), f"import {whole.total_events} thoughts")
        return ChangeSet(act, timeline=whole), Told(whole, tuple(one.id for one in whole.segments))

    commit, told = home.apply(plan, (), records=True)
    return replace(told, commit=commit)


def _timeline(text: str) -> Timeline:
    return read_timeline(parse(text.encode("utf-8", "replace"), EVENTS_PATH, SEGMENTS))[0]


def _total(text: str) -> int:
    found = _TOTAL.search(text)
    return int(found[1]) if found else 0


def _covered_once(history: History, segment: int) -> range | None:
    """Which thoughts a segment held when a version still had it."""
    id_line = re.compile(rf'"id":\s*{segment}\b')
    for _, text in history.texts(EVENTS_PATH):
        if id_line.search(text):
            numbers = covered(_timeline(text), segment)
            if numbers is not None:
                return numbers
    return None


def _by_order(present: Timeline, segment: int) -> range | None:
    """What compaction by length makes of an id that was given and taken within one addition."""
    return covered_by_order(segment) if segment < present.next_id else None


def _from_history(history: History, wanted: set[int]) -> Iterator[tuple[int, Event]]:
    """Thoughts by number: the fewest versions that hold them are read first, all others only for what is missing.

    The oldest version that is not older than the newest thought still wanted holds it, with the seven before it.
    """
    found: dict[int, Event] = {}
    missing = set(wanted)
    for text in _telling(history, missing):
        for number, event in verbatim(_timeline(text)).items():
            if number in missing:
                missing.discard(number)
                found[number] = event
    for _, text in history.texts(EVENTS_PATH) if missing else ():
        if missing and _may_hold(text, max(missing)):
            for number, event in verbatim(_timeline(text)).items():
                if number in missing:
                    missing.discard(number)
                    found[number] = event
    yield from found.items()


def _may_hold(text: str, number: int) -> bool:
    """Whether a version's verbatim thoughts, which are its newest, can reach back to a number."""
    total = _total(text)
    return total - text.count('"thought"') - WINDOW < number <= total


def _telling(history: History, missing: set[int]) -> Iterator[str]:
    """The versions to read, newest first; ``missing`` shrinks as the caller reads them."""
    newer = ""
    for _, text in history.texts(EVENTS_PATH):
        if not missing:
            return
        if newer and _total(text) < max(missing) <= _total(newer):
            yield newer
        newer = text
    if missing and newer:
        yield newer


def _content(event: Event) -> str:
    return repr(event_json(event))


def spans(segments: Iterable[Segment]) -> tuple[float, float]:
    """The first and the last moment of some segments, in seconds since 1970; zeros where there is none."""
    moments = [moment for one in segments for moment in (one.start_timestamp, one.end_timestamp)]
    return (min(moments), max(moments)) if moments else (0.0, 0.0)
