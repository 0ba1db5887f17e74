"""The acts of one home as commits: what the files equalled last, and how an act is written.

Everything here is called under the writer's lock.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.file_signatures import UNKNOWN, Stamps, load, save
from alice_exp.kernel.journal.git_process import Message, Repository, blob_id

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from alice_exp.kernel.errors import AliceError
    from alice_exp.kernel.journal.act import Act, Actor, Commit
    from alice_exp.kernel.journal.repo_config import RepoConfig
    from alice_exp.kernel.journal.transaction import FileChange

PACK_AT = 4 << 20
"""Bytes of new packs at which they are packed into one: files are rewritten whole, so size tells before number."""

PACKS = 40
"""And how many packs there may be: every act leaves one."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What an edge may not make up itself: the calendar, fresh ids, and where to say what was noticed."""

    now: Callable[[], str]
    epoch: Callable[[], int]
    new_id: Callable[[str], str]
    warn: Callable[[AliceError], None]


class CommitWriter:
    """What the files below ``work_tree`` equalled last (remembered in ``stamps``), and the writing of acts."""

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
        """The stamps as this process knows them."""
        if self._stamps is None:
            self._stamps = load(self._path)
        return self._stamps

    @stamps.setter
    def stamps(self, stamps: Stamps) -> None:
        self._stamps = stamps

    def reread(self) -> Stamps:
        """The stamps as they are on disk: another process may have written."""
        self._stamps = load(self._path)
        return self._stamps

    def forget(self) -> None:
        """Know nothing: history itself was rewritten."""
        self._stamps = None

    def composed(self, act: Act) -> tuple[Commit, Message]:
        """An act as git will know it, and its message."""
        from alice_exp.kernel.journal.commit_message import compose

        commit, text = compose(act, self.sources.new_id("act"))
        return commit, Message(_author(act.actor), max(self.sources.epoch(), self.stamps.commit_time), text)

    def write(
        self,
        act: Act,
        files: Mapping[str, FileChange],
        first: tuple[Act, Mapping[str, bytes | None]] | None = None,
    ) -> Commit:
        """Write one act, or two of one stream; the commit of the first, which is the one that was asked for."""
        from alice_exp.kernel.journal import transaction
        from alice_exp.kernel.journal.act import Commit
        from alice_exp.kernel.journal.commit_message import COMPLETES

        opened = self.composed(first[0]) if first else None
        if opened is not None:
            act = replace(act, trailers=(*act.trailers, (COMPLETES, opened[0].act_id)))
        commit, message = self.composed(act)
        parent = self.stamps.head or self.repository.head()
        before = (opened[1], first[1]) if opened and first else None
        oid = transaction.write(self.repository, parent, message, files, before)
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
        """Remember what landed, and pack where enough has gathered.

        The files are looked at again next time: one that could not be swapped in is not what the commit says.
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
            with contextlib.suppress(ProblemError):
                self.repository.pack()
            grown = 0
        self._stamps = Stamps(oid, when, stamps.at, grown, known)
        self.save()

    def save(self) -> None:
        """Remember the stamps; without their commit where git's index is stale, so that the next act mends it."""
        stamps = self.stamps
        save(self._path, replace(stamps, head="") if self.repository.index_is_stale else stamps)


def _author(actor: Actor) -> str:
    return f"{actor} <{actor.kind}@alice>"
