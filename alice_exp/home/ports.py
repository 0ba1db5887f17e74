"""What rooms above supply to a home, and the values that its acts, its history and a purge give."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from alice_exp.kernel.journal.act import Commit
from alice_exp.kernel.jsonc.scan import Problem
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import Block, Placed
from alice_exp.model.values.config import Config
from alice_exp.model.values.snapshot import Catalogue

Cataloguing: TypeAlias = 'Callable[[Mapping[str, str]], "tuple[Collection[str], Catalogue] | None"]'
"""Which of some files are known by their content (path to blob id) to hold no problem, and what answers for these."""


@dataclass(frozen=True, slots=True)
class Version:
    """A block before and after one act (None: absent), with its source text before the act."""

    block_id: str
    before: Placed | None
    after: Placed | None
    before_raw: str = ""


@dataclass(frozen=True, slots=True)
class FileVersion:
    """The text of a file before and after one act (None: absent)."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Changed:
    """Everything that one act changed: blocks, files without blocks, and the whole texts of all files."""

    commit: Commit
    blocks: tuple[Version, ...]
    files: tuple[FileVersion, ...] = ()
    texts: tuple[FileVersion, ...] = ()
    """Every changed file, those with blocks included; empty if not known."""


NEW = -1
"""Stands for the place of a block that is new or changed."""


class WrittenFile(NamedTuple):
    """One written file: its content before and after, and what became of its blocks.

    ``kept`` says for each block of the new content, in order, at which place the old one had it unchanged, or ``NEW``.
    ``fresh`` holds the new and changed blocks by their place in the new content; ``is_plain`` that none of them brought
    a warning.
    """

    path: str
    before: bytes
    after: bytes
    kept: Sequence[int]
    fresh: Mapping[int, Block]
    is_plain: bool

    @classmethod
    def of(
        cls,
        path: str,
        before: bytes,
        after: bytes,
        old: Sequence[Block],
        new: Sequence[Block],
        *,
        is_plain: bool,
    ) -> WrittenFile:
        """From all blocks before and after: one that did not change is the same object on both sides."""
        places = {id(block): at for at, block in enumerate(old)}
        kept = [places.get(id(block), NEW) for block in new]
        fresh = {at: block for at, block in enumerate(new) if kept[at] == NEW}
        return cls(path, before, after, kept, fresh, is_plain)


class Signer(Protocol):
    """The owner key of a home, which signs what the ledger says more than before (``owner.store`` implements it)."""

    def line(self) -> str:
        """The line of the valid key; one that verifies nothing if it cannot be read."""

    def holds(self, text: str, signature: str) -> bool:
        """Whether a signature (base64) is that key's over a text."""

    def sign(self, text: str) -> str:
        """Sign a text, asking the person; ``RefusedError`` without a signature."""

    def problems(self, config: Config) -> tuple[Problem, ...]:
        """What is wrong between the key of this machine and the configuration."""


SignerOf: TypeAlias = Callable[[], Signer | None]
"""Gives the owner key as it is now; None where the home has none."""


@dataclass(frozen=True, slots=True)
class Purged:
    """The result of a purge: the tombstone commit and the numbers of rewritten commits and file versions.

    ``elsewhere`` names other files (``path`` or ``path (in history)``), in the home and those that it wrote outside,
    which contain the same text and were left alone.
    """

    commit: Commit
    commits: int
    versions: int
    left: tuple[str, ...] = ()
    """The remotes, peers and files to which the text went before, where no purge here reaches it."""
    elsewhere: tuple[str, ...] = ()
    trigger: tuple[str, ...] = ()
    """Other files with nothing but its trigger."""
    named: tuple[str, ...] = ()
    """Files with nothing but its id, and ``git log`` for the messages of acts."""


@dataclass(frozen=True, slots=True)
class Brought:
    """A block of a team that waits to be trusted: as it would be told, the words in which it was trusted before (empty:
    it is new), and why a key for all leaves it out (a message's template with the id of a block here; empty: it does
    not)."""

    placed: Placed
    was: str = ""
    apart: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Came:
    """What waits in one repository: its project, its folder, and the blocks."""

    project: str
    root: str
    blocks: tuple[Brought, ...]


class Team(Protocol):
    """What repositories carry of their teams (``.alice/experience.jsonc``), as far as the person trusts it."""

    def told(self) -> tuple[Placed, ...]:
        """What the working folder's repository brings and the person trusts, those in doubt here among it; never
        raises."""

    def of(self, ids: Collection[str]) -> dict[str, Placed]:
        """Trusted blocks by their ids, from wherever: where their repository is not here, without their words."""

    def keep(self, blocks: Sequence[Placed]) -> None:
        """Keep how uses of some blocks ended, in this home alone."""

    def waits(self) -> int:
        """How many blocks of the working folder's repository wait to be trusted; never raises."""

    def came(self) -> tuple[Came, ...]:
        """What waits to be trusted in the repositories that this machine knows; never raises."""

    def trust(self, came: Came) -> tuple[str, ...]:
        """A person's key for all that came, but what stands apart; the ids."""
