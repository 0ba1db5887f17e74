"""What each tool answers, as typed dictionaries: the SDK makes the output schemas from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import TypedDict
else:
    # The SDK of MCP brings it and asks for its dictionaries before Python 3.12; without the SDK nothing needs them.
    try:
        from typing_extensions import TypedDict
    except ImportError:
        from typing import TypedDict


class Known(TypedDict):
    """One block that fits: where it is, what it says, its score, whether a person approved it."""

    id: str
    set: str
    namespace: str
    state: str
    key: str | None
    trigger: str
    payload: str
    score: float
    match: float
    confidence: float
    trust: float
    decay: float
    approved: bool
    stale: bool


class Recalled(TypedDict):
    """What is known, best first."""

    query: str
    matches: list[Known]
    # Without keys: every turn pays for a schema.
    episodes: list[Any]


class Decision(TypedDict):
    """A decision: report the outcome under its id."""

    decision: str
    tier: str


class Decided(Decision, total=False):
    """A procedure: what to keep to, what to do, or one of what nobody has reviewed, each with id and where it is from.
    What is empty is left out."""

    constraints: list[Any]
    steps: list[Any]
    alternatives: list[Any]
    warnings: list[str]
    disclaim: bool


class Reported(TypedDict):
    """What an outcome did to each block."""

    id: str
    blocks: list[dict[str, Any]]
    episode: str | None
    commit: str | None


class Secret(TypedDict):
    """A secret or private fact in what was kept: its kind, and the field in which it stands."""

    kind: str
    at: str


class Kept(TypedDict):
    """A candidate that waits for the person. Where ``secrets`` is not empty, say so: the person can purge it."""

    id: str
    set: str
    namespace: str
    state: str
    merged: bool
    commit: str | None
    secrets: list[Secret]


class HeardSentences(TypedDict):
    """The oldest sentences, how many more wait, what to do with them."""

    # Rows of id, at and text, without keys here: every turn pays for a schema.
    sentences: list[Any]
    left: int
    lines: str


class Listened(TypedDict):
    """How many were taken out, and how many wait."""

    listened: int
    left: int


class Recorded(TypedDict):
    """An episode on record."""

    id: str
    pruned: list[str]
    commit: str | None


class Told(TypedDict):
    """The timeline after a thought."""

    segments: int
    total_events: int
    total_compressions: int
    commit: str | None


class Memory(Known):
    """One memory: a block, or an episode, a thought of the diary, a message (``source``), and when it was."""

    source: str
    at: str


class Remembered(TypedDict):
    """Memories as text and as items, each with its source."""

    text: str
    memories: list[Memory]


class Statistics(TypedDict):
    """What an assessment rests on; the averages and the coverage lie in [0, 1]."""

    total_memories: int
    avg_confidence: float
    avg_recency: float
    avg_consolidation: float
    coverage: float


class Assessed(TypedDict):
    """How well a topic is known."""

    ok: bool
    topic: str
    confidence: str
    score: float
    message: str
    suggestions: list[str]
    evidence: list[dict[str, Any]]
    stats: Statistics


class Summary(TypedDict):
    """What waits for the person; reading it decides nothing."""

    report: str
    waiting: int
    new: int
    today: int
    problems: int
    summary: str
