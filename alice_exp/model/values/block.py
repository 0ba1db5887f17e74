"""Blocks, their parts, and the sets (places) that contain them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import field
from operator import attrgetter
from typing import Any, Literal, get_args

from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.value_class import dataclass, sha256

Standing = Literal["trusted", "rejected", "retired", "forgotten", "waiting"]
"""What holds of a block since its newest entry: ``trusted`` as far as it is what the entry binds; ``rejected`` and
``retired`` by a person; ``forgotten``: purged, which always wins; ``waiting``: an earlier decision was taken back."""
STANDINGS: tuple[Standing, ...] = get_args(Standing)

ASKED = "sync"
"""The channel of an entry that two machines' decisions led to: it holds, and is asked in each report, until the person
decides again."""

PUT_AWAY = ("rejected", "retired", "forgotten")
"""The standings under which a block that stands in a set all the same is neither told nor offered for a decision."""

OPEN, KEYED = "~", "*"
"""How a fingerprint begins: a plain hash, or one by a key that never is in git."""
MARKS = (OPEN, KEYED)


@dataclass(frozen=True, slots=True)
class Entry:
    """The newest decision on one block. ``content`` to ``both`` are what it binds; ``content`` is a SHA-256 in hex
    (``block.content_hash``), ``path`` the file at which the block counts (its set is bound, the file says which of
    several copies), ``importance`` in [0, 1]. ``op``, ``act``, ``by``, ``channel`` and ``at`` (ISO-8601 UTC) say which
    act by whom through what; ``replaced`` is the digest of the entry before (empty: the first).

    A rejected text is known by its fingerprints, too: ``id`` is one of them, ``content`` the id of the rejected block.
    """

    id: str
    standing: Standing
    content: str = ""
    path: str = ""
    project: str = ""
    importance: float = 0.5
    shareable: bool = False
    replaces: tuple[str, ...] = ()
    both: tuple[str, ...] = ()
    op: str = ""
    act: str = ""
    by: str = ""
    channel: str = ""
    at: str = ""
    replaced: str = ""


NONE = Entry("", "waiting")
"""The entry of a block on which nobody decided: no block that was looked up is without one."""

State = Literal["possible", "past", "reliable", "obsolete"]
STATES: tuple[State, ...] = get_args(State)

Place = Literal["personal", "universal", "low_value", "archive", "held"]
PLACES: tuple[Place, ...] = ("personal", "universal", "low_value", "archive")
SETS: tuple[Place, ...] = ("personal", "universal", "low_value")
REVIEWED: tuple[Place, ...] = (*PLACES, "held")
"""What a person's review reads: ``held``, too, the candidates that wait outside of git. Nobody else asks for these;
their blocks say ``low_value``."""
OUTSIDE: tuple[Place, ...] = ("held",)
HELD = "low_value_pool/.held.jsonc"
"""The path of what waits outside of git, in ``state/held.jsonc``: what is marked secret or private (DESIGN 5)."""
DIRECTORIES: Mapping[Place, str] = {**{place: place for place in PLACES}, "low_value": "low_value_pool"}
PLACE_OF_DIRECTORY: Mapping[str, Place] = {directory: place for place, directory in DIRECTORIES.items()}

BlockType = Literal[
    "preference", "habit", "fact", "goal", "identity", "rule", "solution", "pattern", "feature"
]
BLOCK_TYPES: tuple[BlockType, ...] = get_args(BlockType)

About = Literal["work", "user"]
ABOUT: tuple[About, ...] = get_args(About)

TRUST: Mapping[Place, float] = {"personal": 0.9, "universal": 0.7, "low_value": 0.2, "archive": 0.0}
"""How far a set is trusted, in [0, 1] (R2.16-R2.18)."""

CONFIDENCE: Mapping[State, float] = {"possible": 0.3, "past": 0.6, "reliable": 0.9, "obsolete": 0.0}
"""A state's confidence, in [0, 1] (R2.6-R2.9, B2.11)."""

EVIDENCE_KEPT = 20
"""The number of pieces of evidence that a block keeps, the newest; git keeps the rest."""

CLAIM = "claim"
"""The kind of evidence that records a sender's count, quoted as ``72 verified there``."""

IMPORTANT, MOST_OF_AGENTS = 0.9, 0.89
"""The importance from which a block counts as marked by the person, and the most that an agent may give one."""

EXPLICIT = "explicit"
"""The tag of a candidate that the user asked to be remembered in a conversation (B4.18)."""

HEARD, CUES = "heard", "cues"
"""Origins of a block that rests on a person's sentence: a model worded the rule, or cues found it in it as said."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """When a block applies: free text, keywords, and key-value pairs (``context``) to compare with a query's."""

    text: str = ""
    keywords: tuple[str, ...] = ()
    context: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Payload:
    """What to do or to believe: a text, an optional kind, and optional ordered steps."""

    content: str
    kind: str = ""
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """A reason to believe a block. ``ref`` names an act, an episode, an event or ``session#index``, never a commit.

    ``effect`` says what an outcome did: ``ok``, ``fail``, ``debounced``, or that a person said ``still_true``;
    ``scenario`` where it happened.
    """

    kind: str
    ref: str = ""
    at: str = ""
    quote: str = ""
    scenario: str = ""
    effect: str = ""


@dataclass(frozen=True, slots=True)
class Reported:
    """Which report showed the block, when (ISO-8601 UTC), and the content hash that was shown."""

    report: str
    at: str
    hash: str


@dataclass(frozen=True, slots=True)
class Approved:
    """A person's approval of exactly one content (``hash``)."""

    at: str
    by: str
    hash: str
    report: str = ""


@dataclass(frozen=True, slots=True)
class Archived:
    """An archived block's origin (``set/namespace``), and when and why (``rejected``, ``obsolete``) it was archived."""

    origin: str
    at: str
    reason: str


@dataclass(frozen=True, slots=True)
class Record:
    """How every use of a block ever ended: successes, and failures with the debounced ones (DESIGN 12.4)."""

    ok: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Doubt:
    """How much recent outcomes speak against a block: ``value`` >= 0, and the UTC ``day`` (YYYY-MM-DD) of the newest.

    ``since`` is when it came in doubt (ISO-8601 UTC; empty: it is not), ``beside`` the ids that were told with it then,
    ``asked`` when a report last put the question to the person. A newcomer's test: ``rate`` in [0.5, 0.95] is that of
    the established blocks beside it (0: no test), ``against`` >= 0 what its outcomes say against it (DESIGN 12.4).
    """

    value: float
    day: str
    since: str = ""
    asked: str = ""
    beside: tuple[str, ...] = ()
    rate: float = 0.0
    against: float = 0.0


@dataclass(frozen=True, slots=True)
class Block:
    """One experience: what was learned, when it applies, why it is believed, and its record of use.

    Times are ISO-8601 UTC with ``Z``; counts are integers >= 0; ``importance`` and ``consolidation_score`` are in
    [0, 1], ``emotional_weight`` in [-1, 1]. Set and namespace are not fields: they follow from the file.
    """

    id: str
    payload: Payload
    trigger: Trigger = Trigger()
    key: str = ""
    type: BlockType = "fact"
    about: About = "work"
    evidence: tuple[Evidence, ...] = ()
    state: State = "possible"
    verifications: int = 0
    verifications_local: int = 0
    observations: int = 0
    open_failures: Mapping[str, str] = field(default_factory=dict)
    record: Record | None = None
    doubt: Doubt | None = None
    project: str = ""
    """The project that it belongs to; empty: everywhere (DESIGN 7)."""
    importance: float = 0.5
    emotional_weight: float = 0.0
    tags: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    """The ids of the blocks in whose place it came: of a candidate a proposal, of what is trusted the person's word."""
    both: tuple[str, ...] = ()
    """The ids of blocks of which the person said that they hold beside it, read from either of the two."""
    shareable: bool = False
    origin: str = "local"
    access_count: int = 0
    last_accessed_at: str = ""
    consolidation_score: float = 0.0
    created_at: str = ""
    updated_at: str = ""
    reported: Reported | None = None
    approved: Approved | None = None
    suggested: str = ""
    archived: Archived | None = None
    extra: Mapping[str, Json] = field(default_factory=dict)
    """Keys unknown to the schema, including ``x-`` keys: kept, never interpreted."""
    entry: Entry | None = field(default=None, compare=False)
    """The newest entry of the ledger on it (``ledger.NONE``: nobody decided); None until a home looked it up."""

    @property
    def importance_factor(self) -> float:
        """0.75 + 0.5 · importance, in [0.75, 1.25]: 1 for a block of which nothing is said (DESIGN 12.9)."""
        return 0.75 + 0.5 * self.importance


CONTENT = (
    *("payload", "trigger", "key", "type", "about", "tags", "related", "replaces", "evidence"),
    *("importance", "emotional_weight", "project", "suggested", "created_at", "origin"),
)
"""The fields of a block that whoever captures it may set; only acts set the others."""


def content_of(one: object, **others: object) -> Block:
    """A block of what another one, or a draft, has of ``CONTENT``, and of the ``others``; without an id by default."""
    fields: dict[str, Any] = {name: getattr(one, name) for name in CONTENT}
    return Block(**{"id": "", **fields, **others})


@dataclass(frozen=True, slots=True)
class Placed:
    """A block and its file (``path`` relative to ``experiences/``, e.g. ``personal/habits.jsonc``)."""

    block: Block
    path: str
    stale: bool = field(default=False, compare=False)
    """Whether the file has a problem at present, so that this comes from its last good version."""

    @property
    def place(self) -> Place:
        """The set (or the archive) that the path belongs to."""
        return place_of(self.path)

    @property
    def namespace(self) -> str:
        """The file's name without its suffix."""
        return namespace_of(self.path)

    @property
    def where(self) -> str:
        """Where it is told to stand: ``SET/NAMESPACE``, or ``team``."""
        return "team" if is_of_team(self) else f"{self.place}/{self.namespace}"


def is_of_team(placed: Placed) -> bool:
    """Whether a block is a team's, from a repository: it stands in no file of the home, and has no id of it."""
    return placed.block.id.startswith("team-")


@dataclass(frozen=True, slots=True)
class Reads:
    """How often a block was read since the last fold, and when last (ISO-8601 UTC)."""

    count: int
    last_at: str


def place_of(path: str) -> Place:
    """The set or archive of a path such as ``low_value_pool/pending_20260220.jsonc`` (KeyError for other paths)."""
    return PLACE_OF_DIRECTORY[path.partition("/")[0]]


def holds_blocks(path: str) -> bool:
    """Whether a path is a namespace file (sets and archive) rather than a record, a schema or the configuration."""
    return path.partition("/")[0] in PLACE_OF_DIRECTORY


def namespace_of(path: str) -> str:
    """The namespace of a path: its last part without ``.jsonc``."""
    return path.rpartition("/")[2].removesuffix(".jsonc")


NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def path_of(place: Place, namespace: str) -> str:
    """The path of a namespace relative to ``experiences/``."""
    return f"{DIRECTORIES[place]}/{namespace}.jsonc"


def content_hash(block: Block) -> str:
    """SHA-256 (hex) of the canonical JSON of type, about, trigger and payload; an approval is bound to this."""
    content = {
        "type": block.type,
        "about": block.about,
        "trigger": {
            "text": block.trigger.text,
            "keywords": list(block.trigger.keywords),
            "context": dict(block.trigger.context),
        },
        "payload": {
            "kind": block.payload.kind,
            "content": block.payload.content,
            "steps": list(block.payload.steps),
        },
    }
    return sha256(_CANONICAL(content).encode("utf-8", "surrogatepass")).hexdigest()


_CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode

BOUND = ("project", "importance", "shareable", "replaces", "both")
"""The fields of a block that an entry binds beside its content, under the same names."""

_bound = attrgetter(*BOUND)


def is_approved(placed: Placed) -> bool:
    """Whether the newest decision on the block stands at trusted and binds it as it is (DESIGN 6).

    False where no home looked it up.
    """
    block, entry = placed.block, placed.block.entry
    return (
        entry is not None
        and entry.standing == "trusted"
        and place_of(entry.path) == placed.place
        and _bound(entry) == _bound(block)
        and entry.content == content_hash(block)
    )


def says_approved(placed: Placed) -> bool:
    """Whether the file says so, which is a comment: approved as it is, or a person's own."""
    mark = placed.block.approved
    if placed.place not in ("personal", "universal"):
        return False
    return placed.place == "personal" if mark is None else mark.hash == content_hash(placed.block)


def is_shown_as_it_is(block: Block) -> bool:
    """Whether the last report that showed the block showed its present content (B2.20)."""
    return block.reported is not None and block.reported.hash == content_hash(block)


def is_asked(placed: Placed) -> bool:
    """Whether two machines decided otherwise on the block, so that the person decides again, either way."""
    return placed.block.entry is not None and placed.block.entry.channel == ASKED


def is_put_away(placed: Placed) -> bool:
    """Whether a person rejected, retired or purged a block that stands in a set all the same: it is neither told nor
    offered for a decision until they say so."""
    entry = placed.block.entry
    return entry is not None and entry.standing in PUT_AWAY and placed.place != "archive"


def stretch(consolidation_score: float, emotional_weight: float) -> float:
    """How many half-lives of its type one of a block lasts: (1 + 2 · consolidation) · (1 + |emotional weight| / 2), in
    [1, 4.5] (R3.14, DESIGN 12.9)."""
    return (1 + 2 * consolidation_score) * (1 + abs(emotional_weight) / 2)
