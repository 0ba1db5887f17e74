"""What rooms above supply to a home, the owner key's signature above all, and the values that its acts give.

With an owner key an act is composed first, signed while nobody holds the lock, and then done (DESIGN 6).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol, TypeAlias

from alice_exp.kernel.errors import AliceError, BusyError, ProblemError, RefusedError
from alice_exp.kernel.journal.act import SIGNED_BY, Act, Commit
from alice_exp.kernel.journal.ledger_objects import OWNER, SIGNED, LedgerObjects, row_of
from alice_exp.kernel.jsonc import Problem
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.ledger import found, shard_of
from alice_exp.model.values.block import NONE, Block, Entry, Placed
from alice_exp.model.values.config import Config
from alice_exp.model.values.snapshot import Catalogue, ChangeSet, Plan, R, Snapshot

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

    def faults(self) -> tuple[Problem, ...]:
        """A warning where the working folder's repository carries what cannot be read: nothing of it is told."""

    def came(self) -> tuple[Came, ...]:
        """What waits to be trusted in the repositories that this machine knows; never raises."""

    def trust(self, came: Came) -> tuple[str, ...]:
        """A person's key for all that came, but what stands apart; the ids."""


class Unsigned(Exception):
    """What an act decided counts only with the owner key's signature over ``text``; nothing was written."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class OwnedHeads:
    """The newest commits of a ledger that the owner key signed, at or below its head; each is verified once."""

    def __init__(self, objects: LedgerObjects, signer: SignerOf) -> None:
        self._objects = objects
        self._signer = signer
        self._holder: Signer | None = None
        self.key = ""
        """The line of the owner key; empty: the home has none."""
        self.signature = ("", "")
        """What the key signed for the next act, and the signature."""
        self._head = ""
        self._signed: tuple[str, ...] | None = None

    def follow(self, head: str) -> bool:
        """Read by the key that is valid now and the ledger's ``head``; whether that is another key."""
        self._holder = self._signer()
        was, self.key = self.key, "" if self._holder is None else self._holder.line()
        if (was, self._head) != (self.key, head):
            self._head, self._signed = head, None
        return was != self.key

    def entries(self, block_id: str) -> list[Entry]:
        """What these say of an id (``NONE``: nothing)."""
        if self._signed is None:
            said = self._objects.message(self._head)
            named = (self._head,) if row_of(said, OWNER) else row_of(said, SIGNED).split()
            self._signed = tuple(filter(self._is_signed, named))
        name = shard_of(block_id)
        shards = (self._objects.shards((name,), one).get(name, b"") for one in self._signed)
        return [found(shard, block_id) or NONE for shard in shards]

    def _is_signed(self, commit: str) -> bool:
        made = row_of(self._objects.message(commit), OWNER)
        signer = self._holder
        return signer is not None and bool(made) and signer.holds(self._objects.signed_text(commit), made)

    def signing(self, act: Act, text: str, warn: Callable[[AliceError], None]) -> Act:
        """A purge with the key's signature over ``text``, for which the person is asked, or without where they have not
        the key; as it is where there is nothing to sign."""
        if not text or (signer := self._signer()) is None:
            return act
        try:
            return replace(act, trailers=(*act.trailers, (SIGNED_BY, signer.sign(text))))
        except RefusedError:
            said = "the purge goes on without your key's signature, so what you approved waits for it"
            warn(ProblemError(said, hint="alice-exp owner sign --all"))
            return act

    def problems(self, config: Config) -> tuple[Problem, ...]:
        """See ``home.ports.Signer``; as of the last ``follow``."""
        return self._holder.problems(config) if self._holder is not None else ()

    def applied(
        self,
        new_id: Callable[[str], str],
        applied: Callable[[Plan[R]], tuple[Commit | None, R]],
        plan: Plan[R],
    ) -> tuple[Commit | None, R]:
        """Apply a plan, signed where there is a key; ``applied`` holds the lock while it plans and writes.

        The second attempt has the first one's act id, and its change set where no act came between. ``RefusedError`` if
        the key does not sign, ``BusyError`` if something else is to be signed then; nothing is changed.
        """
        signer = self._signer()
        if signer is None or not signer.line():
            return applied(plan)
        made: list[tuple[str, ChangeSet, R]] = []

        def once(seen: Snapshot) -> tuple[ChangeSet | None, R]:
            if made and made[-1][0] == seen.head:
                return made[-1][1:]
            changes, answer = plan(seen)
            if changes is None:
                return None, answer
            act_id = made[-1][1].act.act_id if made else new_id("act")
            made.append((seen.head, replace(changes, act=replace(changes.act, act_id=act_id)), answer))
            return made[-1][1:]

        try:
            return applied(once)
        except Unsigned as needed:
            self.signature = (needed.text, signer.sign(needed.text))
        try:
            return applied(once)
        except Unsigned:
            raise BusyError(
                "something changed while it was being signed; nothing was done", hint="do it again"
            ) from None
