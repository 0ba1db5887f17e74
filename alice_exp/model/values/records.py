"""Records of what happened: episodes (one per task), the timeline of thoughts, and what was said.

Files contain times as ISO-8601 UTC with ``Z``, precise to the millisecond at most; the times in seconds or
milliseconds that the specification requires are properties (R0.12, R1.4, B1.9). Roles and tool calls follow the
chat-completions API, so that an agent loop can pass its messages unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from itertools import accumulate
from typing import Literal, get_args

from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.text.times import milliseconds, seconds
from alice_exp.kernel.value_class import attributes, dataclass

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


Role = Literal["system", "user", "assistant", "tool"]
ROLES: tuple[Role, ...] = get_args(Role)
_SAME = {"developer": "system", "function": "tool"}


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's tool call; ``arguments`` is the JSON text the model wrote, not parsed here."""

    id: str
    name: str
    arguments: str = "{}"


@dataclass(frozen=True, slots=True)
class Message:
    """One message. ``at`` is ISO-8601 UTC, empty if unknown; ``tool_call_id`` of a tool's message the call that it
    answers; ``speaker`` a name, in conversations with more than two participants."""

    role: Role
    content: str
    at: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class ChatRecord:
    """A message of a session (empty: not known yet), its id in the source it came from, all names of its project, and
    its index in the session (from 0; -1 while it is not stored; R4.15)."""

    session: str
    message: Message
    name: str = ""
    project: str = ""
    index: int = -1

    @property
    def ref(self) -> str:
        """``session#index``, the form in which evidence refers to the message."""
        return f"{self.session}#{self.index}"


Signature = tuple[int, int, int]
"""Inode, size and time (ns) of a conversation's file, which stay or grow while it is only added to."""


def message_of(value: Mapping[str, Json]) -> Message:
    """Read a chat-completions message or a line of a session file; raises ``UsageError`` if malformed.

    Missing content (a bare tool call) becomes empty; content in parts becomes the parts' text, one per line. The roles
    ``developer`` and ``function`` are read as ``system`` and ``tool``.
    """
    given = value.get("role")
    role = next((one for one in ROLES if one == _SAME.get(str(given), given)), None)
    if role is None:
        said = 'a message needs a "role": system, user, assistant or tool, not {role}'
        raise UsageError(said, role=repr(given))
    return Message(
        role,
        _as_text(value.get("content")),
        _as_text(value.get("at")),
        _calls(value.get("tool_calls")),
        _as_text(value.get("tool_call_id")),
        _as_text(value.get("speaker", value.get("name"))),
    )


def as_dict(message: Message) -> dict[str, Json]:
    """The message in chat-completions form, with ``at`` and ``speaker``; empty keys are omitted."""
    calls: Json = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in message.tool_calls
    ]
    more = {"tool_calls": calls} | attributes(message, "tool_call_id at speaker")
    told = {key: value for key, value in more.items() if value}
    return {"role": message.role, "content": message.content, **told}


def _as_text(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = (part.get("text") if isinstance(part, dict) else part for part in value)
        return "\n".join(part for part in parts if isinstance(part, str))
    raise UsageError("a message holds text, not {kind}", kind=type(value).__name__)


def _calls(value: Json) -> tuple[ToolCall, ...]:
    if not isinstance(value, list | None):
        raise UsageError('"tool_calls" is a list')
    found = []
    for item in value or ():
        call = item if isinstance(item, dict) else {}
        function = call.get("function", call)
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise UsageError('each of "tool_calls" is an object with a function')
        sent = _as_text(function.get("arguments", "{}"))
        found.append(ToolCall(_as_text(call.get("id")), str(function["name"]), sent))
    return tuple(found)
