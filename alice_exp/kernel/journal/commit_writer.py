"""Writes acts as commits of one repository and keeps the file signatures up to date.

Every method but ``compared`` must be called with the writer lock held.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from alice_exp.kernel.content_digest import blob_id
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.atomic_files import read_bytes
from alice_exp.kernel.journal.commit_stream import Message
from alice_exp.kernel.journal.derived_file import UNKNOWN, Stamps, load, now_ns, save
from alice_exp.kernel.journal.git_process import Repository
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from alice_exp.kernel.errors import AliceError
    from alice_exp.kernel.journal.act import Act, Actor, Commit
    from alice_exp.kernel.journal.atomic_files import Signature
    from alice_exp.kernel.journal.commit_stream import LedgerCommit
    from alice_exp.kernel.journal.repo_config import RepoConfig
    from alice_exp.kernel.journal.transaction import FileChange

Ledgering: TypeAlias = "Callable[[Commit, int], LedgerCommit | None]"

PACK_AT = 4 << 20
"""Repack once this many bytes of new packs have gathered: files are rewritten whole, so size grows before number."""

PACKS = 40
"""Repack above this many packs: every act leaves one, and git searches them one by one."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Injected sources of time (``now`` ISO-8601 UTC, ``epoch`` seconds), fresh ids, and the sink for warnings."""

    now: Callable[[], str]
    epoch: Callable[[], int]
    new_id: Callable[[str], str]
    warn: Callable[[AliceError], None]


class CommitWriter:
    """Writer of the commits of one work tree; ``stamps`` is the path of its signature cache."""

    def __init__(
        self,
        work_tree: Path,
        stamps: Path,
        sources: Sources,
        config_of: Callable[[], RepoConfig] | None = None,
    ) -> None:
        self.work_tree = work_tree
        self.repository = Repository(work_tree, config_of)
        self.sources = sources
        self._path = stamps
        self._stamps: Stamps | None = None

    @property
    def stamps(self) -> Stamps:
        """The signatures as this process knows them, read from disk on first use."""
        if self._stamps is None:
            self._stamps = load(self._path)
        return self._stamps

    @stamps.setter
    def stamps(self, stamps: Stamps) -> None:
        self._stamps = stamps

    def reread(self) -> Stamps:
        """Read the signatures from disk again, because another process may have written."""
        self._stamps = load(self._path)
        return self._stamps

    def forget(self) -> None:
        """Drop the signatures in memory, after history itself was rewritten."""
        self._stamps = None

    def composed(self, act: Act) -> tuple[Commit, Message]:
        """The act as a ``Commit`` without an id, and its commit message."""
        from alice_exp.kernel.journal.act import compose

        commit, text = compose(act, self.sources.new_id("act"))
        # A commit is never older than its parent, even if the clock was set back.
        return commit, Message(_author(act.actor), max(self.sources.epoch(), self.stamps.commit_time), text)

    def write(
        self,
        act: Act,
        files: Mapping[str, FileChange],
        first: tuple[Act, Mapping[str, bytes | None]] | None = None,
        ledger: Ledgering = lambda *_: None,
    ) -> Commit:
        """Write one act, or ``first`` and then ``act`` as two commits that land together (``COMPLETES``).

        Returns the commit that the caller asked for: that of ``first`` if it is given. ``ledger`` gives the commit of
        the ledger that lands with it, from the act with its id and the time in epoch seconds; None: it stays.
        """
        from alice_exp.kernel.journal import transaction
        from alice_exp.kernel.journal.act import COMPLETES, LEDGER, Commit

        opened = self.composed(first[0]) if first else None
        if opened is not None:
            act = replace(act, trailers=(*act.trailers, (COMPLETES, opened[0].act_id)))
        commit, message = self.composed(act)
        made = ledger(opened[0] if opened else commit, message.when)
        if made is not None:
            message = replace(message, text=f"{message.text}Alice-{LEDGER}: {made.oid}\n")
        parent = self.stamps.head or self.repository.head()
        before = (opened[1], first[1]) if opened and first else None
        oid = transaction.write(self.repository, parent, message, files, before, ledger=made)
        self._stamp(oid, message.when, files)
        if opened is not None:
            commit, oid = opened[0], self.repository.parent(oid)
        return Commit(
            oid,
            commit.subject,
            commit.op,
            commit.actor,
            commit.at,
            commit.blocks,
            commit.act_id,
            commit.trailers,
        )

    def _stamp(self, oid: str, when: int, files: Mapping[str, FileChange]) -> None:
        """Record what landed, and repack if enough has gathered.

        Written files get the signature ``UNKNOWN``, so that they are compared next time: a person may have saved one of
        them in between, and then it is not what the commit says.
        """
        stamps = self.stamps
        known = dict(stamps.files)
        for path, change in files.items():
            known.pop(path, None)
            if change.new is not None:
                known[path] = (UNKNOWN, blob_id(change.new))
        packs, newest = self.repository.packs()
        grown = max(stamps.loose, 0) + newest
        if grown > PACK_AT or packs > PACKS:
            # The act has landed; a failed repack must not make it look failed. The next act tries again.
            with contextlib.suppress(ProblemError):
                self.repository.pack()
            grown = 0
        self._stamps = Stamps(oid, when, stamps.at, grown, known)
        self.save()

    def compared(self, found: Mapping[str, Signature]) -> bool:
        """Whether files that their signatures cannot vouch for, as what an act just wrote, are those of the commit.

        Reading them costs a fraction of what adopting does, and takes no lock.
        """
        unsure = self.stamps.unsure(found)
        if not unsure:
            return False
        files = dict(self.stamps.files)
        # Taken before the files are read, so that an edit during the reading is noticed next time.
        began = now_ns()
        for path in unsure:
            try:
                data, signature = read_bytes(self.work_tree / path)
            except OSError:
                return False
            oid = files[path][1]
            if blob_id(data) != oid:
                return False
            files[path] = (signature, oid)
        self.stamps = replace(self.stamps, at=began, files=files)
        self.save()
        return True

    def save(self) -> None:
        """Write the signatures to disk; without their commit if git's index is stale, so that the next act mends it."""
        stamps = self.stamps
        save(self._path, replace(stamps, head="") if self.repository.index_is_stale else stamps)


def _author(actor: Actor) -> str:
    return f"{actor} <{actor.kind}@alice>"
