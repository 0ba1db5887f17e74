"""Access to the record files when one of them has a problem: its last good version for readers, an error for acts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.kernel.jsonc.scan import Problem, first_error
from alice_exp.kernel.text.times import seconds
from alice_exp.model.formats.record_schema import past_episodes, past_timeline
from alice_exp.model.values.records import EPISODES_PATH, EVENTS_PATH, EpisodeBook, Timeline

if TYPE_CHECKING:
    from collections.abc import Collection

    from alice_exp.home.file_home import Home
    from alice_exp.home.store.git_history import GitHistory
    from alice_exp.model.values.block import Place
    from alice_exp.model.values.snapshot import Snapshot

SKEW = 120.0
"""Seconds by which a record's time may lie in the future before the clock is doubted."""


def recorded(home: Home, history: GitHistory, path: str, places: Collection[Place] = ()) -> Snapshot:
    """A snapshot with the record file at ``path``; if that has a problem, with its last good version (DESIGN 3)."""
    snapshot = home.read(places, records=path)
    if _value(snapshot, path) is not None:
        return snapshot
    data = next((text for _, text in history.texts(path)), "{}").encode()
    if path == EPISODES_PATH:
        return replace(snapshot, episodes=past_episodes(data))
    return replace(snapshot, timeline=past_timeline(data))


def _value(snapshot: Snapshot, path: str) -> EpisodeBook | Timeline | None:
    return snapshot.episodes if path == EPISODES_PATH else snapshot.timeline


def require_sound(snapshot: Snapshot, path: str) -> None:
    """Raise ``ProblemError`` if the record file that an act would write has a problem; it is left untouched."""
    if _value(snapshot, path) is not None:
        return
    fault = first_error(snapshot.problems, path) or Problem.fault(path, "the file cannot be read")
    raise fault.as_error("{message}; nothing was recorded", hint="mend the file, then run the command again")


def ahead(snapshot: Snapshot, now: str) -> tuple[Problem, ...]:
    """Warnings about records from the future, which formulas treat as of now (B0.12)."""
    latest = seconds(now) + SKEW
    episodes = snapshot.episodes.episodes if snapshot.episodes else ()
    segments = snapshot.timeline.segments if snapshot.timeline else ()
    found = [(EPISODES_PATH, one.id, one.at) for one in episodes if one.at and seconds(one.at) > latest]
    late = (one for one in segments if max(one.start_timestamp, one.end_timestamp) > latest)
    found += [(EVENTS_PATH, f"#{one.id}", one.end) for one in late]
    template = "{what} is of {at}, which is still to come: the clock is wrong, or was"
    return tuple(Problem.warning(path, template, what=what, at=at) for path, what, at in found)
