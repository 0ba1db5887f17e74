"""Records of what happened: episodes (one per task) and the timeline of thoughts.

Files contain times as ISO-8601 UTC with ``Z``, precise to the millisecond at most; the times in seconds or
milliseconds that the specification requires are properties (R0.12, R1.4, B1.9).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from itertools import accumulate

from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.text.times import milliseconds, seconds
from alice_exp.kernel.value_class import dataclass

EPISODES_PATH = "records/episodes.jsonc"
EVENTS_PATH = "records/events.jsonc"
"""The paths of the record files under ``experiences/``."""

CAPACITY = 1000
"""The number of episodes that a book keeps unless its file says otherwise (R0.27)."""

DECISION = "decision"
"""The metadata key of a thought that belongs to a decision; the value is the decision's id."""

GENERAL = "general"
"""The type of an episode without one (B0.7)."""


@dataclass(frozen=True, slots=True)
class Episode:
    """The record of one task (R0.6-R0.17).

    ``result`` is any JSON value; if it was shortened, ``result_truncated`` is True and ``result_length`` is the number
    of characters of the whole text (B0.14). ``reward`` is in [0, 1], ``at`` is ISO-8601 UTC. ``context`` is copied.
    ``id`` is ``ep-`` and 8 of ``a-z2-9``; empty if a person typed the record and it has not been adopted yet.
    """

    id: str
    task: str
    context: Mapping[str, Json] = field(default_factory=dict)
    action: str = ""
    result: Json = None
    success: bool = False
    reward: float = 0.0
    at: str = ""
    reflection: str = ""
    type: str = ""
    result_truncated: bool = False
    result_length: int = 0
    access_count: int = 0
    """The number of searches that returned it, updated once a day (B0.8)."""
    note: str = ""
    """What an outcome's report remarked: kept and found, no source of lessons."""
    told: str = ""
    """What a decision told, as ``universal: exp-…``, where ``action`` says what was done; a purge knows it by that."""
    unreported: bool = False
    """Whether a hook read it from a transcript and nobody said how it ended: ``success`` and ``reward`` say nothing."""
    project: str = ""
    """The project in which it happened; empty: in none."""
    extra: Mapping[str, Json] = field(default_factory=dict)
    """Keys unknown to the schema: kept, never interpreted."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "context", dict(self.context))

    @property
    def task_type(self) -> str:
        """The type by which searches group: the field, else the context's type, domain or topic, or general (B0.7)."""
        if self.type:
            return self.type
        named = (self.context.get(key) for key in ("type", "domain", "topic"))
        return next((name for name in named if isinstance(name, str) and name), GENERAL)

    @property
    def timestamp(self) -> int:
        """Milliseconds since 1970; 0 if the episode has no time (R0.12)."""
        return milliseconds(self.at)


@dataclass(frozen=True, slots=True)
class EpisodeBook:
    """The episodes of a home in file order (usually oldest first) and the most that it may keep (>= 1)."""

    episodes: tuple[Episode, ...] = ()
    capacity: int = CAPACITY


@dataclass(frozen=True, slots=True)
class Event:
    """One thought: time, content, situation, action and result (R1.13).

    ``result`` is any JSON value, None while there is none; ``metadata`` is arbitrary (cycle_id, purpose …).
    """

    at: str
    thought: str
    context: str = ""
    action: str = ""
    result: Json = None
    metadata: Mapping[str, Json] = field(default_factory=dict)
    extra: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "metadata", dict(self.metadata))

    @property
    def timestamp(self) -> float:
        """Seconds since 1970."""
        return seconds(self.at)


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of consecutive thoughts (R1.3-R1.12).

    ``segment_length`` is the number of original thoughts (>= 1), ``events`` contains those still kept verbatim, the
    newest of the run. A raw segment has ``compression_level`` 0, no summary, and always its event.
    """

    id: int
    start: str
    end: str
    segment_length: int = 1
    compression_level: int = 0
    summary: str = ""
    key_events: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()

    @property
    def is_compressed(self) -> bool:
        """Whether it results from a merge (R1.8)."""
        return self.compression_level > 0

    @property
    def start_timestamp(self) -> float:
        """Seconds since 1970 (R1.4)."""
        return seconds(self.start)

    @property
    def end_timestamp(self) -> float:
        """Seconds since 1970 (R1.5)."""
        return seconds(self.end)


@dataclass(frozen=True, slots=True)
class Timeline:
    """All segments, oldest first, and the counters that survive compaction (R1.34).

    ``next_id`` is the id of the next segment, raw or merged (R1.19).
    """

    next_id: int = 1
    total_events: int = 0
    total_compressions: int = 0
    segments: tuple[Segment, ...] = ()

    @property
    def lengths(self) -> tuple[int, ...]:
        """The segments' lengths, oldest first."""
        return tuple(segment.segment_length for segment in self.segments)

    def numbers(self) -> tuple[range, ...]:
        """The thoughts that each segment covers: 1-based numbers in order of arrival.

        Counted back from the newest, so that removing a segment at the beginning by hand shifts nothing.
        """
        ends = list(accumulate(self.lengths))
        skipped = self.total_events - (ends[-1] if ends else 0)
        return tuple(
            range(skipped + end - length + 1, skipped + end + 1)
            for end, length in zip(ends, self.lengths, strict=True)
        )
