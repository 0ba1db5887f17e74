"""The words of alice-exp as frozen values.

Glossary: the class names of the source documents and the module that plays their part here.

==========================  =====================================================================
ExperienceModel             ``core.model.Block`` with ``rules.lifecycle`` (onSuccessfulReuse, onFailure, isShareable)
JsoncStorage                ``store.home`` over ``text.jsonc`` (load, save)
ExperienceRegistry          ``usecases.capture`` (register) and ``usecases.recall`` (retrieve)
HeartbeatReporter           ``rules.agenda`` (generateReport) and ``usecases.review`` (onUserDecision)
PeerDiscovery               ``lan.discovery``
ExperienceExchange          ``usecases.exchange``
ExperienceManager           ``usecases.records`` with ``rules.retention`` and ``rules.similarity``
Experience (S0)             an episode: ``core.records.Episode``
ExperienceMemory (S1)       the set of blocks: ``core.model.Snapshot``
EventMemory, EventSegment   ``rules.timeline``, ``core.records.Segment``
ShortTermMemory             ``rules.window``
LongTermMemory              ``usecases.sessions``
MemoryStore                 ``core.ports.MemoryStore``
ChatHistoryStore            ``core.ports.ChatHistoryStore``
MemoryExtractor             ``rules.extraction``
MemoryRecallTool            ``mcp`` (``search_memory_tool``)
==========================  =====================================================================
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from alice_exp.core.config import Config

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from alice_exp.core.config import Json
    from alice_exp.core.records import EpisodeBook, Timeline

State = Literal["possible", "past", "reliable", "obsolete"]
STATES: tuple[State, ...] = get_args(State)

Place = Literal["personal", "universal", "low_value", "archive"]
PLACES: tuple[Place, ...] = get_args(Place)
SETS: tuple[Place, ...] = ("personal", "universal", "low_value")
DIRECTORIES: Mapping[Place, str] = {
    "personal": "personal",
    "universal": "universal",
    "low_value": "low_value_pool",
    "archive": "archive",
}
PLACE_OF_DIRECTORY: Mapping[str, Place] = {directory: place for place, directory in DIRECTORIES.items()}

BlockType = Literal[
    "preference", "habit", "fact", "goal", "identity", "rule", "solution", "pattern", "feature"
]
BLOCK_TYPES: tuple[BlockType, ...] = get_args(BlockType)

About = Literal["work", "user"]
ABOUT: tuple[About, ...] = get_args(About)
Severity = Literal["error", "warning"]

TRUST: Mapping[Place, float] = {"personal": 0.9, "universal": 0.7, "low_value": 0.2, "archive": 0.0}
"""How far a set is trusted, in [0, 1] (R2.16-R2.18)."""

CONFIDENCE: Mapping[State, float] = {"possible": 0.3, "past": 0.6, "reliable": 0.9, "obsolete": 0.0}
"""A state's confidence, in [0, 1] (R2.6-R2.9, B2.11)."""

EVIDENCE_KEPT = 20
"""A block keeps its newest pieces of evidence; git keeps the rest."""


EXPLICIT = "explicit"
"""The tag of a candidate that the user asked to be remembered in a conversation (B4.18)."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """When a block applies: free text, keywords, and an environment (``context``) that a query may share."""

    text: str = ""
    keywords: tuple[str, ...] = ()
    context: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Payload:
    """What to do or to believe: the text, an optional kind, optional ordered steps."""

    content: str
    kind: str = ""
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a block is believed. ``ref`` names an act, an episode, an event or ``session#index``, never a commit.

    ``effect`` says what an outcome did: ``ok``, ``fail``, ``debounced``; ``scenario`` where it happened.
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
    signature: str = ""


Decision = Literal["approve", "share", "revive"]
"""What an owner key signs (DESIGN 6)."""
DECISIONS: tuple[Decision, ...] = get_args(Decision)


@dataclass(frozen=True, slots=True)
class Claim:
    """What a block's signature says of itself: the text that it has to cover, the decision, the bare base64."""

    text: str
    decision: Decision
    signature: str


@dataclass(frozen=True, slots=True)
class Archived:
    """Where an archived block came from (``set/namespace``), when and why (``rejected`` or ``obsolete``)."""

    origin: str
    at: str
    reason: str


@dataclass(frozen=True, slots=True)
class Block:
    """One experience: what was learned, when it applies, why it is believed, and how it has fared.

    Times are ISO-8601 UTC with ``Z``; counts are whole and >= 0; ``importance`` and ``consolidation_score`` lie in
    [0, 1], ``emotional_weight`` in [-1, 1]. Set and namespace are not here: they follow from the file.
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
    importance: float = 0.5
    emotional_weight: float = 0.0
    tags: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    supersedes: str = ""
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
    """Keys that the schema does not know, ``x-`` keys among them: kept, never interpreted."""
    signed: bool | None = field(default=None, compare=False)
    """Never in a file: whether the owner key signed the approval; None where the home has no owner key."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A block and the file that holds it (``path`` relative to ``experiences/``, as ``personal/habits.jsonc``)."""

    block: Block
    path: str
    stale: bool = field(default=False, compare=False)
    """Whether the file holds a problem now, so that this is its last good version."""

    @property
    def place(self) -> Place:
        """The set (or the archive) that the path lies in."""
        return place_of(self.path)

    @property
    def namespace(self) -> str:
        """The file's name without its ending."""
        return namespace_of(self.path)


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault in a person's file, as a value. ``line`` and ``column`` are 1-based; 0 where there is no place.

    ``template`` is the English sentence with ``{name}`` places that ``values`` fills. A warning freezes nothing.
    """

    path: str
    line: int
    column: int
    template: str
    values: Mapping[str, object] = field(default_factory=dict)
    severity: Severity = "error"
    hint: str = ""

    @property
    def message(self) -> str:
        """The sentence in English."""
        return self.template.format(**self.values) if self.values else self.template

    @property
    def where(self) -> str:
        """``path:line:column``, as editors and terminals link it."""
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: ``user``, ``agent[:name]``, ``editor``, ``peer:name``, ``system``."""

    kind: Literal["user", "agent", "editor", "peer", "system"]
    name: str = ""

    @property
    def is_person(self) -> bool:
        """Whether the acts that only a person may do are open to this actor."""
        return self.kind == "user"

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}" if self.name else self.kind


@dataclass(frozen=True, slots=True)
class Reads:
    """How often a block or an episode was read since the last fold, and when last (ISO-8601 UTC)."""

    count: int
    last_at: str


@dataclass(frozen=True, slots=True)
class NamespaceFile:
    """One namespace as one read saw it.

    ``stale`` is true where the file on disk holds a problem, so that ``blocks`` are those of the last good version.
    """

    path: str
    blocks: tuple[Block, ...]
    problems: tuple[Problem, ...] = ()
    stale: bool = False

    @property
    def place(self) -> Place:
        """The set (or the archive) that the path lies in."""
        return place_of(self.path)

    @property
    def namespace(self) -> str:
        """The file's name without its ending."""
        return namespace_of(self.path)


@dataclass(frozen=True)
class Snapshot:
    """All that one read saw: files in path order, each block once, and what was wrong."""

    files: tuple[NamespaceFile, ...]
    problems: tuple[Problem, ...] = ()
    head: str = ""
    config: Config = field(default_factory=Config)
    episodes: EpisodeBook | None = None
    """The episodes, where they were asked for; ``None`` also where their file holds a problem."""
    timeline: Timeline | None = None
    """The segments of thoughts, likewise."""

    def __iter__(self) -> Iterator[Placed]:
        for file in self.files:
            for block in file.blocks:
                yield Placed(block, file.path, file.stale)

    def within(self, *places: Place) -> Iterator[Placed]:
        """The blocks of some sets alone, in file order."""
        return (
            Placed(block, file.path, file.stale)
            for file in self.files
            if file.place in places
            for block in file.blocks
        )

    def find(self, block_id: str) -> Placed | None:
        """The block with exactly this id, or ``None``."""
        for file in self.files:
            for block in file.blocks:
                if block.id == block_id:
                    return Placed(block, file.path, file.stale)
        return None


def place_of(path: str) -> Place:
    """The set or archive of a path such as ``low_value_pool/pending_20260220.jsonc`` (KeyError where none is)."""
    return PLACE_OF_DIRECTORY[path.partition("/")[0]]


def namespace_of(path: str) -> str:
    """The namespace of a path: its last part without ``.jsonc``."""
    return path.rpartition("/")[2].removesuffix(".jsonc")


def path_of(place: Place, namespace: str) -> str:
    """The path of a namespace relative to ``experiences/``."""
    return f"{DIRECTORIES[place]}/{namespace}.jsonc"


def content_hash(block: Block) -> str:
    """SHA-256 (hex) over the canonical JSON of type, about, trigger and payload: what an approval is bound to."""
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
    canonical = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def is_approved(placed: Placed) -> bool:
    """Whether a person stands behind this content: by typing it into ``personal/``, or by approving exactly it.

    Under an owner key (``signed`` is not None) only a signed approval of exactly this content counts, in both sets.
    """
    block = placed.block
    if block.signed is False:
        return False
    if placed.place == "personal" and block.signed is None:
        return True
    approved = block.approved
    return (
        placed.place in ("personal", "universal")
        and approved is not None
        and approved.hash == content_hash(block)
    )
