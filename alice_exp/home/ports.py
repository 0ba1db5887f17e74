"""The doors and provenance as Protocols: what a use case may ask of an edge.

Each has two implementations: the real one in ``store`` and the in-memory one in ``tests/contracts``, under one suite;
``DryHome`` in ``home.references`` is the door that plans and writes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from alice_exp.model.values.block import SETS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from alice_exp.kernel.journal.act import Act, Commit
    from alice_exp.kernel.jsonc.problem import Problem
    from alice_exp.model.values.block import Place, Placed
    from alice_exp.model.values.changes import Plan
    from alice_exp.model.values.config import Config
    from alice_exp.model.values.snapshot import Snapshot

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
