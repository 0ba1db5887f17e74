"""What happened, as frozen values: episodes (one task each) and the timeline of thoughts.

Files hold times as ISO-8601 UTC with ``Z``, to the millisecond at most; the float and millisecond views that the
source documents speak of are properties (R0.12, R1.4, B1.9).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Literal

from alice_exp.kernel.text.times import milliseconds, seconds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from alice_exp.kernel.jsonc.problem import Json

ImportMode = Literal["merge", "replace"]
"""How records are taken in: beside those that are here already, or in their place."""

CAPACITY = 1000
"""Episodes that a book holds where its file names no other number (R0.27)."""

GENERAL = "general"
"""The type of an episode that names none (B0.7)."""


@dataclass(frozen=True, slots=True)
class Episode:
    """What happened in one task (R0.6-R0.17).

    ``result`` is any JSON value; where it was shortened, ``result_truncated`` is true and ``result_length`` counts
    the characters of its whole text (B0.14). ``reward`` lies in [0, 1], ``at`` is ISO-8601 UTC. ``context`` is copied.
    ``id`` is ``ep-`` and 8 of ``a-z2-9``; empty where a person typed the record and it was not adopted yet.
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
    """How often searches returned it, folded in once a day (B0.8)."""
    extra: Mapping[str, Json] = field(default_factory=dict)
    """Keys that the schema does not know: kept, never interpreted."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "context", dict(self.context))

    @property
    def task_type(self) -> str:
        """The type that searches group by: the field, else context type, domain or topic, else general (B0.7)."""
        if self.type:
            return self.type
        named = (self.context.get(key) for key in ("type", "domain", "topic"))
        return next((name for name in named if isinstance(name, str) and name), GENERAL)

    @property
    def timestamp(self) -> int:
        """Milliseconds since 1970; 0 where the episode has no time (R0.12)."""
        return milliseconds(self.at)


@dataclass(frozen=True, slots=True)
class EpisodeBook:
    """The episodes of one home in file order (oldest first as a rule) and how many it may hold (>= 1)."""

    episodes: tuple[Episode, ...] = ()
    capacity: int = CAPACITY


@dataclass(frozen=True, slots=True)
class Event:
    """One thought: when, what, in which situation, what was done, what came of it (R1.13).

    ``result`` is any JSON value, None while nothing came of it; ``metadata`` is free (cycle_id, purpose …).
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
    """A run of neighbouring thoughts (R1.3-R1.12).

    ``segment_length`` counts the original thoughts (>= 1), ``events`` holds those that are still kept verbatim, the
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
        """Whether it came of a merge (R1.8)."""
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
        """Which thoughts each segment covers: 1-based numbers in the order of arrival.

        Counted back from the newest, so that a segment which a person took out at the beginning shifts nothing.
        """
        ends = list(accumulate(self.lengths))
        skipped = self.total_events - (ends[-1] if ends else 0)
        return tuple(
            range(skipped + end - length + 1, skipped + end + 1)
            for end, length in zip(ends, self.lengths, strict=True)
        )
