"""The doors and provenance as Protocols: what a use case may ask of an edge.

Each has two implementations: the real one in ``store`` and the in-memory one in ``tests/contracts``, under one suite;
``DryHome`` in ``usecases.acts`` is the door that plans and writes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from alice_exp.core.model import SETS
from alice_exp.core.nearness import Embedder as Embedder
from alice_exp.core.nearness import Meanings as Meanings
from alice_exp.core.network_ports import Link as Link
from alice_exp.core.network_ports import Neighbour as Neighbour
from alice_exp.core.network_ports import Network as Network
from alice_exp.core.network_ports import Peer as Peer
from alice_exp.core.network_ports import Peers as Peers
from alice_exp.core.session_ports import ChatHistoryStore as ChatHistoryStore
from alice_exp.core.session_ports import Claimed as Claimed
from alice_exp.core.session_ports import MemoryStore as MemoryStore
from alice_exp.core.session_ports import Provider as Provider

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from alice_exp.core.changes import Act, Commit, Plan
    from alice_exp.core.collection import Known
    from alice_exp.core.config import Config
    from alice_exp.core.model import Claim, Place, Placed, Problem, Reads, Snapshot
    from alice_exp.core.records import OpenDecision

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Version:
    """A block before and after one act (None: it was not there), with its own text from the files."""

    block_id: str
    before: Placed | None
    after: Placed | None
    before_raw: str = ""


@dataclass(frozen=True, slots=True)
class FileVersion:
    """A file that holds no blocks, before and after one act."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Changed:
    """All that one act changed."""

    commit: Commit
    blocks: tuple[Version, ...]
    files: tuple[FileVersion, ...] = ()
    texts: tuple[FileVersion, ...] = ()
    """Every file that it changed, whole; empty where that is not known."""


class Home(Protocol):
    """The two doors of the home, and what a use case may know of its state."""

    def read(self, places: Collection[Place] = SETS, *, records: bool | str = False) -> Snapshot:
        """All blocks of some sets as they are now, hand edits adopted.

        With ``records`` the record files too: both, or the one at that path.
        """
        ...

    def apply(
        self, plan: Plan[R], places: Collection[Place] = SETS, *, records: bool | str = False
    ) -> tuple[Commit | None, R]:
        """Read under the lock, plan, and write what the plan says as one commit (None: it changed nothing)."""
        ...

    def ask(self, question: Callable[[Known], R]) -> R | None:
        """The answer to a question about the living blocks and the archive, from a derived index.

        ``None`` where the files have to answer. What the question is given must not be kept.
        """
        ...

    def config(self) -> Config:
        """The configuration as it is now."""
        ...

    def text(self, path: str) -> str | None:
        """The text of one file under ``experiences/``; None where it does not exist."""
        ...


class History(Protocol):
    """What happened, read from git. Commits are newest first; ``NotFoundError`` where a name fits none."""

    def log(self, *, block: str = "", limit: int = 0) -> Iterator[Commit]:
        """The acts, of one block where given."""
        ...

    def commit(self, name: str) -> Commit:
        """The act that a commit id, a unique prefix of one, or an act id names."""
        ...

    def carries(self, trailer: str, value: str) -> bool:
        """Whether some act's message has the trailer ``Alice-<trailer>: <value>``."""
        ...

    def changed(self, commit: str) -> Changed:
        """What an act changed, block by block."""
        ...

    def states(self, block_id: str) -> Iterator[tuple[Commit, str, str]]:
        """The acts on a block, newest first, each with its state before and after (empty: not there)."""
        ...

    def last_text(self, block_id: str) -> tuple[Placed, str] | None:
        """A block's last version in history, with its own text, whether or not it still exists."""
        ...

    def texts(self, path: str) -> Iterator[tuple[Commit, str]]:
        """Every version of one file, newest first, each with the act that left it so; a removal is passed over."""
        ...

    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the repository itself."""
        ...


class Reports(Protocol):
    """The open report: what its numbers stand for. Momentary: rebuilt from history where it is lost."""

    def open_report(self) -> str:
        """Its id; empty before the first."""
        ...

    def open_at(self) -> str:
        """When it was made (ISO-8601 UTC); empty before the first."""
        ...

    def open_ids(self) -> tuple[str, ...]:
        """Block ids in the order of their numbers."""
        ...

    def prepare(self, report: str, at: str, ids: tuple[str, ...]) -> None:
        """Keep a new report in mind until its commit stands."""
        ...

    def publish(self, head: str = "") -> None:
        """Open the report that was prepared last, where there is one; ``head`` is the commit that it stands on."""
        ...

    def since(self, day_began: str) -> str:
        """The time that this report counts from (ISO-8601 UTC): the report before, or the newest of an earlier day."""
        ...

    def acts(self, day_began: str) -> Sequence[Commit]:
        """The acts since then, newest first."""
        ...

    def bookmark(self) -> str:
        """The block at which a review stopped last; empty where none did."""
        ...

    def keep_bookmark(self, block_id: str) -> None:
        """Remember where a review is."""
        ...


@dataclass(frozen=True, slots=True)
class Purged:
    """What a purge did: the tombstone, the commits and file versions rewritten, and what still holds the words.

    ``elsewhere`` names files (``path`` or ``path (in history)``) that are not the block's own but say the same.
    """

    commit: Commit
    commits: int
    versions: int
    elsewhere: tuple[str, ...] = ()


class Purge(Protocol):
    """The right to be forgotten: what rewrites history, apart from the two doors."""

    def purge(self, block_id: str, act: Act) -> Purged | None:
        """Take a block out of every file and every commit, whole or not at all; None where none holds it."""
        ...

    def versions(self, block_id: str) -> int:
        """How many versions of files in history hold the block."""
        ...


@dataclass(frozen=True, slots=True)
class OwnerKey:
    """An SSH key that signs decisions: ``line`` is ``TYPE BASE64``, ``fingerprint`` as ``SHA256:…``.

    ``file`` is the private key's path on this machine (empty: not here). ``protection``: ``passphrase``, ``hardware``,
    ``none``, ``agent`` (only an ssh-agent holds it, so that nobody can see), empty where it was not looked at.
    """

    line: str
    fingerprint: str
    comment: str = ""
    file: str = ""
    protection: str = ""

    @property
    def is_hardware(self) -> bool:
        """Whether every signature needs a touch."""
        return self.line.startswith("sk-")


class Owner(Protocol):
    """The owner key, where a home has one. ``ProblemError`` where ``ssh-keygen`` is missing."""

    def key(self, configured: str) -> OwnerKey | None:
        """The key that counts: the one pinned on this machine, else the configured line; None without either."""
        ...

    def examine(self, path: str) -> OwnerKey:
        """A key file (empty: the usual one) and how it is protected; ``ProblemError`` where it is none."""
        ...

    def keep(self, key: OwnerKey | None) -> None:
        """Pin the key on this machine; None: none any more."""
        ...

    def sign(self, key: OwnerKey, texts: Sequence[str]) -> tuple[str, ...]:
        """A signature (bare base64) a text, the passphrase asked once; ``RefusedError`` where it was not given."""
        ...

    def verify(self, key: OwnerKey, claims: Sequence[Claim]) -> tuple[bool, ...]:
        """Fresh verdicts on what signatures claim to cover; verdicts from before are forgotten."""
        ...


class AccessLog(Protocol):
    """Which blocks were read: untracked, shown at once, folded once a day (R3.4-R3.6, B2.30)."""

    def record(self, ids: Sequence[str], at: str) -> None:
        """Append one read of some blocks; never raises."""
        ...

    def pending(self) -> dict[str, Reads]:
        """What was read since the last fold, by block id."""
        ...

    def seal(self, segment: str) -> None:
        """Put everything that is pending under one name, which the folding commit then carries.

        ``ProblemError`` where the disk refuses it.
        """
        ...

    def forget(self, segment: str) -> None:
        """The segment is folded: its commit stands."""
        ...


class Decisions(Protocol):
    """Open decisions, in ``state/``; one that had its outcome is known from history."""

    def open(self, decision: OpenDecision) -> None:
        """Remember a decision until its outcome."""
        ...

    def find(self, decision: str) -> OpenDecision:
        """An open decision; ``RefusedError`` where it had its outcome, ``NotFoundError`` where there is none."""
        ...

    def close(self, decision: str) -> None:
        """Its outcome stands in history."""
        ...


class Inspection(Protocol):
    """What ``doctor`` looks at beside the files' content."""

    def look(self, check: str) -> tuple[Problem, ...]:
        """What is wrong with one of these.

        ``git``, ``history``, ``leftovers``, ``permissions``, ``disk``, ``index``, ``cloud`` or ``reads``.
        """
        ...

    def mend(self, check: str) -> int:
        """Mend what no person has to decide; how much was mended."""
        ...

    def commit_time(self) -> int:
        """The newest commit's time in epoch seconds; 0 where there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Disclosure:
    """Something that left: when (ISO-8601 UTC), to whom, how (``file``, ``peer``, ``sync``), the SHA-256 of the bytes.

    ``blocks`` are ids with their content hashes, in the order in which they left.
    """

    at: str
    to: str
    way: str
    digest: str
    blocks: tuple[tuple[str, str], ...]


class Shares(Protocol):
    """The name that others know this home by, and what went to whom. One implementation: it is two small files."""

    def name(self) -> str:
        """The configured name, else one made up once and kept."""
        ...

    def record(self, disclosure: Disclosure) -> None:
        """Write down what is about to leave; ``ProblemError`` where that fails, so that nothing leaves unseen."""
        ...

    def log(self) -> tuple[Disclosure, ...]:
        """What left, oldest first."""
        ...
