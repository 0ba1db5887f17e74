"""The home on disk and its two doors, ``read`` and ``apply``.

Before its own work every call recovers what a crash left and adopts what a person edited; comparing file signatures
shows whether there is anything to do.
"""

from __future__ import annotations

import contextlib
import time
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from alice_exp.home.store.list_files import (
    lacks_local,
    read_configuration,
    scan,
    scan_config,
    signature_of,
    write_local,
)
from alice_exp.home.store.read_files import SAVING_NS, Reading, is_being_saved, snapshot, unavailable
from alice_exp.home.store.standings import Standings
from alice_exp.kernel.errors import AliceError, BusyError, ProblemError
from alice_exp.kernel.journal.atomic_files import ChangedOnDisk, Signature
from alice_exp.kernel.journal.commit_writer import CommitWriter, Sources
from alice_exp.kernel.journal.git_references import LEDGER, PENDING, SEEN, RepoConfig
from alice_exp.kernel.journal.lock import WriterLock
from alice_exp.kernel.value_class import gc_paused
from alice_exp.model.values.block import SETS, Place, holds_blocks
from alice_exp.model.values.config import Config

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from alice_exp.home.ports import Cataloguing, Purged, SignerOf, WrittenFile
    from alice_exp.home.store.hand_edits import Adopting
    from alice_exp.home.store.list_files import Found
    from alice_exp.home.store.read_files import LastGood
    from alice_exp.home.store.write_changes import Composing
    from alice_exp.kernel.journal.act import Act, Actor, Commit, Message
    from alice_exp.kernel.jsonc import Json
    from alice_exp.model.values.snapshot import Plan, R, Snapshot

TRIES = 5
"""The number of attempts at an act when a person saves a file meanwhile."""

_PAUSE = 0.005


class Home:
    """A home in a directory (``~/.alice``); not thread-safe."""

    is_dry = False

    def __init__(self, root: Path, sources: Sources, signer: SignerOf = lambda: None) -> None:
        self.root = root
        self.experiences = root / "experiences"
        self.lock = WriterLock(root / "state" / "lock")
        self._writer = CommitWriter(self.experiences, root / "state" / "files.json", sources, _repo_config)
        self.repository = self._writer.repository
        self._sources = sources
        self.standings = Standings(self.repository, root, signer)
        self.follow: Callable[[Sequence[WrittenFile]], None] = lambda _: None
        """Called with what an act wrote, while it still holds the lock; never raises."""
        self.catalogued: Cataloguing = lambda _: None
        """What is known of files by their content (path to blob id), so that they need not be read."""
        self.reading = Reading(self.experiences)
        self._is_settled_now = False
        self.waiting = False
        """Whether the last read left hand edits unadopted because another process held the lock."""

    @gc_paused()
    def read(self, places: Collection[Place] = SETS, *, records: bool | str = False) -> Snapshot:
        """All blocks of the sets ``places``, after adopting hand edits.

        ``records`` adds the record files: True for both, or the path of one.
        """
        self._require_home()
        self._settled()
        # Readers take no lock: read optimistically, and again if an act landed meanwhile, for a second at least.
        for _ in range(200):
            head = self.repository.head()
            seen = self._snapshot(scan(self.experiences), places, records, self._is_settled_now)
            # Pending first: landing moves the branch before it drops the mark, so one of the two shows it.
            if not self.repository.resolve(PENDING) and self.repository.head() == head:
                return seen
            # A writer gets time, and what a dead one left is finished, unless that cannot be at present.
            time.sleep(_PAUSE)
            try:
                with self._locked(wait=0):
                    self._settle()
            except BusyError:
                continue
            except (OSError, ProblemError):
                break
        return seen

    @gc_paused()
    def steady(self, body: Callable[[Mapping[str, Signature]], R | None]) -> R | None:
        """Run ``body`` on the files with blocks (path to signature) and return its answer if nothing changed meanwhile.

        None, so that the caller falls back to ``read``, if a file has a problem or an act is in progress.
        """
        self._require_home()
        found = self._settled()
        self.standings.follow()
        if found.problems or not self._is_settled_now:
            return None
        # A tracked file that is missing needs the last good version from git, which only `read` looks up.
        head, tracked = self._writer.stamps.head, self._writer.stamps.files
        if any(holds_blocks(path) and path not in found.files for path in tracked):
            return None
        answer = body({path: signature for path, signature in found.files.items() if holds_blocks(path)})
        return answer if not self.repository.resolve(PENDING) and self.repository.head() == head else None

    def text(self, path: str) -> str | None:
        """The text of a file under ``experiences/``; None if it does not exist."""
        try:
            return self.reading.content(path).decode("utf-8", "replace")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ProblemError("{path} cannot be read: {why}", path=path, why=str(error.strerror)) from error

    def config(self) -> Config:
        """The configuration on disk; the defaults if the file is missing or cannot be read."""
        return read_configuration(self.root, scan_config(self.experiences))[0]

    @cached_property
    def _adopting(self) -> Adopting:
        from alice_exp.home.store.hand_edits import Adopting

        return Adopting(self._writer, self.reading, self.standings, self.config)

    @cached_property
    def _composing(self) -> Composing:
        from alice_exp.home.store.write_changes import Composing

        return Composing(self._writer, self.reading, self.standings, self.follow)

    def _require_home(self) -> None:
        if not self.experiences.is_dir():
            raise ProblemError(
                "there is no home at {root}", root=self.root, hint="make one with 'alice-exp init'"
            )

    def _snapshot(
        self, found: Found, places: Collection[Place], records: bool | str, is_adopted: bool
    ) -> Snapshot:
        """``is_adopted``: the files are those of the last commit, unless they hold an error."""
        head = self.repository.head()
        self.standings.follow()
        good, catalogue = self._last_good(head), None
        # What is known of files that are as committed and that this process has not read yet.
        if is_adopted and (contents := self.reading.not_read(self._writer.stamps.files, found, places)):
            catalogue = self.catalogued(contents)
        seen = snapshot(self.reading, found, places, head, good, self.standings.marked, catalogue)
        config, problems = read_configuration(self.root, found)
        wrong = () if self._is_settled_now else unavailable(self.repository)
        wrong = (*wrong, *self.standings.problems(config))
        seen = replace(
            seen, config=config, problems=(*seen.problems, *problems, *wrong), decisions=self.standings
        )
        return self.reading.records.within(seen, found, records) if records else seen

    def decide_here(self, values: Mapping[str, Json] | Callable[[Config], Mapping[str, Json]]) -> None:
        """Set keys of this machine's ``local.jsonc``, durably and without a commit (DESIGN 6); a function gets what is
        set now, and nobody changes it meanwhile."""
        self._require_home()
        with self._locked():
            if self.repository.exists:
                self._settle()
            write_local(self.root, values(self.config()) if callable(values) else values)

    def _last_good(self, head: str) -> LastGood:
        """The last versions of this home: those of its last commit, or of the last before foreign ones."""
        ours = head
        if not self._is_settled_now:
            ours = (self.repository.resolve(SEEN) or head) if self.repository.exists else ""
        stamps = self._writer.stamps
        tree = {path: oid for path, (_, oid) in stamps.files.items()}
        if ours and stamps.head != ours:
            with contextlib.suppress(ProblemError):
                tree = self.repository.tree(ours)
        return self.reading.last_good(tree, self.repository.blob)

    def _settled(self) -> Found:
        """Recover and adopt if necessary and no other process is writing; returns the files as they are then."""
        self.waiting = self._is_settled_now = False
        found = scan(self.experiences)
        is_there = self.repository.exists
        self._is_settled_now = is_there and self._is_settled(found)
        if self._is_settled_now or not is_there:
            return found
        try:
            # No waiting: a reader must answer even while a long import holds the lock.
            with self._locked(wait=0):
                self._settle(strict=False)
                self._is_settled_now = not self.repository.obstacle()
        except BusyError:
            self.waiting = True
        except (OSError, ProblemError) as error:
            told = ProblemError("hand edits could not be committed: {why}", why=str(error))
            self._sources.warn(error if isinstance(error, AliceError) else told)
        return scan(self.experiences)

    def _is_settled(self, found: Found) -> bool:
        if found.is_left or self.repository.resolve(PENDING) or signature_of(self.root) is None:
            return False
        head = self.repository.head()
        stamps = self._writer.stamps
        # Another process may have committed and saved newer signatures.
        if stamps.head != head:
            stamps = self._writer.reread()
        if not head or stamps.head != head or self.repository.resolve(SEEN) != head:
            return False
        if not self.repository.resolve(LEDGER) and not self.standings.objects.has_copy():
            return False
        return self._writer.compared(found.files)

    @contextlib.contextmanager
    def _locked(self, wait: float = 10.0) -> Iterator[None]:
        with self.lock.hold(wait):
            self.repository.lock_handle = self.lock.handle
            try:
                yield
            finally:
                self.repository.lock_handle = -1

    def _settle(self, *, strict: bool = True) -> Found:
        """Recover and adopt, under the lock; ``strict`` raises if the history cannot be written to."""
        if obstacle := self.repository.obstacle():
            way = self.repository.way_out()
            if strict:
                raise ProblemError("{obstacle}", obstacle=obstacle, hint=way)
            self._sources.warn(ProblemError("{obstacle}; hand edits wait", obstacle=obstacle, hint=way))
            return scan(self.experiences)
        from alice_exp.home.store.hand_edits import finish_interrupted

        finish_interrupted(self.repository, self.lock.holder_died, self._sources.warn)
        if not self.repository.resolve(LEDGER) and self.repository.head():
            from alice_exp.home.store.foreign_commits import build_ledger

            build_ledger(self._writer, self.standings)
        is_foreign = False
        if self.repository.head() not in ("", self.repository.resolve(SEEN)):
            from alice_exp.home.store.foreign_commits import take_foreign

            is_foreign = take_foreign(self._writer)
        for _ in range(TRIES):
            found, head = scan(self.experiences), self.repository.head()
            try:
                self._adopting.adopt(found, is_foreign=is_foreign)
            except ChangedOnDisk:
                continue
            if head and lacks_local(self.root):
                write_local(self.root, {})
            return found if self._writer.stamps.head == head else scan(self.experiences)
        raise BusyError("the files change faster than they can be read", hint="run the command again")

    def create(self, actor: Actor, defaults: Mapping[str, str]) -> tuple[Commit | None, int]:
        """Create the home, see ``foreign_commits.found``; returns its first commit (None: it existed already) and the
        number of blocks in it. A file with a problem is left out, with a warning."""
        from alice_exp.home.store.foreign_commits import found, make_directories
        from alice_exp.home.store.hand_edits import finish_interrupted

        make_directories(self.root, self.experiences)
        with self._locked():
            if self.repository.resolve(SEEN) and (damage := self.repository.damage()):
                raise ProblemError("{obstacle}", obstacle=damage, hint=self.repository.way_out())
            if self.repository.git_dir.is_dir() and not self.repository.git_dir.is_symlink():
                # What stands there may be a home whose making was interrupted: locks of git, a decided first act.
                finish_interrupted(self.repository, self.lock.holder_died, self._sources.warn)
            if self.repository.head():
                # A fresh clone, which no act of this home has touched: its files are taken in, its decisions wait.
                self._settle()
                return None, 0
            if signature_of(self.root) is None:
                write_local(self.root, {})
            return found(self._writer, self._adopting, self.standings, actor, defaults)

    def dry(self) -> Home:
        """The same home, which plans acts and writes nothing."""
        home = copy(self)
        home.is_dry = True
        return home

    @gc_paused()
    def apply(
        self, plan: Plan[R], places: Collection[Place] = SETS, *, records: bool | str = False
    ) -> tuple[Commit | None, R]:
        """Under the writer lock: read, run the plan, and write its change set as one commit (None: no change).

        If a person saves a file meanwhile, the plan runs again on the new state; it must not have side effects. A dry
        run drops the change set.
        """
        if self.is_dry:
            return None, plan(self.read((*places, "held"), records=records))[1]
        self._require_home()
        if not self.repository.exists:
            self.repository.require()
        from alice_exp.model.rules.lifecycle import with_expired

        def applied(planned: Plan[R]) -> tuple[Commit | None, R]:
            with self._locked():
                for left in reversed(range(TRIES)):
                    found = self._settle()
                    seen = self._snapshot(found, (*places, "held"), records, True)
                    changes, answer = planned(seen)
                    if changes is None:
                        return None, answer
                    # Expired candidates are removed by whatever act comes next: there is no background job.
                    changes = with_expired(changes, seen)
                    try:
                        return self._composing.carry_out(changes, seen, found), answer
                    except ChangedOnDisk:
                        continue
                    except ProblemError:
                        # An editor that truncates and rewrites a file leaves it broken for a moment.
                        if not left or not is_being_saved(seen, found):
                            raise
                        time.sleep(SAVING_NS / 1e9)
            raise BusyError("the files change faster than they can be read", hint="run the command again")

        return self.standings.owner.applied(self._sources.new_id, applied, plan)

    def purge(self, act: Act) -> Purged | None:
        """Erase the block of an act from every file and every commit, atomically; None if nothing contains it."""
        from alice_exp.home.store.held_back import purge

        with self.alone():
            text = self.standings.signed_without(*act.blocks)
        act = self.standings.owner.signing(act, text, self._sources.warn)
        with self.alone() as composed:
            return purge(self._composing.held, self._writer, self.standings, act, composed(act))

    def versions(self, block_id: str) -> int:
        """The number of file versions in history that contain the block."""
        from alice_exp.home.store.purge import count

        return count(self.repository, block_id)

    @contextlib.contextmanager
    def alone(self) -> Iterator[Callable[[Act], tuple[Commit, Message]]]:
        """Hold the writer lock on a settled home; yields the function that composes an act's commit and message."""
        self._require_home()
        with self._locked():
            self._settle()
            try:
                yield self._writer.composed
            finally:
                self._writer.forget()

    @contextlib.contextmanager
    def unsettled(self) -> Iterator[CommitWriter]:
        """Hold the writer lock on the home as it is, nothing recovered or adopted; yields what writes its commits."""
        with self._locked():
            yield self._writer


def _repo_config() -> RepoConfig:
    from alice_exp.home.store.foreign_commits import repo_config

    return repo_config()
