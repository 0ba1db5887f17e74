"""The two doors of a home on disk: ``read`` and ``apply``.

Every call recovers what a crash left and adopts what a person edited before it does its own work; a look at time
stamps tells whether there is anything to do.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from alice_exp.home.judge import Judge
from alice_exp.home.store.config_cache import recalled, remember
from alice_exp.home.store.list_files import CONFIG, scan, scan_config
from alice_exp.home.store.read_files import LastGood, Reading, holds_blocks, snapshot
from alice_exp.kernel import jsonc
from alice_exp.kernel.errors import AliceError, BusyError, ProblemError
from alice_exp.kernel.gc_pause import gc_paused
from alice_exp.kernel.journal.atomic_files import ChangedOnDisk, read_bytes
from alice_exp.kernel.journal.commit_writer import CommitWriter, Sources
from alice_exp.kernel.journal.git_process import LOST, PENDING
from alice_exp.kernel.journal.lock import WriterLock
from alice_exp.kernel.jsonc.problem import Problem
from alice_exp.model.values.block import SETS
from alice_exp.model.values.config import Config

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from pathlib import Path

    from alice_exp.home.ports import Purged
    from alice_exp.home.store.hand_edits import Adopting
    from alice_exp.home.store.list_files import Found
    from alice_exp.home.store.record_files import Recording
    from alice_exp.home.store.write_changes import Composing
    from alice_exp.kernel.journal.act import Act, Actor, Commit
    from alice_exp.kernel.journal.atomic_files import Signature
    from alice_exp.kernel.journal.git_process import Message
    from alice_exp.kernel.journal.repo_config import RepoConfig
    from alice_exp.model.values.block import Block, Place
    from alice_exp.model.values.changes import Plan
    from alice_exp.model.values.snapshot import Snapshot

R = TypeVar("R")

TRIES = 5
"""How often an act starts again because a person saved a file meanwhile."""


_PAUSE = 0.005
_SAVING_NS = 50_000_000
"""A broken file this young (ns) may be half saved: an act looks again before it calls that a problem."""


__all__ = ["FileHome", "Sources"]


class FileHome:
    """A home in a directory (``~/.alice``); see ``home.ports.Home`` and ``Purge``."""

    def __init__(self, root: Path, sources: Sources, judge: Judge | None = None) -> None:
        self.root = root
        self.experiences = root / "experiences"
        self.lock = WriterLock(root / "state" / "lock")
        self._writer = CommitWriter(self.experiences, root / "state" / "files.json", sources, _repo_config)
        self.repository = self._writer.repository
        self._sources = sources
        self._judge = judge or Judge()
        self._reading = Reading(self.experiences)
        self.waiting = False
        """Whether hand edits wait because another process was writing when the home was last read."""

    # -- reading ------------------------------------------------------------------------------------------------

    @gc_paused()
    def read(self, places: Collection[Place] = SETS, *, records: bool | str = False) -> Snapshot:
        """All blocks of some sets as they are now; see ``home.ports.Home.read``."""
        self._require_home()
        self._settled()
        for _ in range(200):
            head = self._head()
            seen = self._snapshot(scan(self.experiences), places, records)
            # Pending first: landing moves the branch before it drops the mark, so that one of the two tells.
            if not self.repository.resolve(PENDING) and self._head() == head:
                return seen
            self._wait_for_writer()
        return seen

    @gc_paused()
    def steady(self, body: Callable[[Mapping[str, Signature]], R | None]) -> R | None:
        """What ``body`` makes of the files that hold blocks, given as path and signature, while nothing changes.

        ``None`` where a file holds a problem, an act is under way, or each approval has to be judged by itself.
        """
        self._require_home()
        head, found = self._head(), self._settled()
        if found.problems or not self.repository.exists or self._judge.is_judged():
            return None
        tracked = self._writer.stamps.files
        if self.repository.resolve(PENDING) or any(holds_blocks(p) and p not in found.files for p in tracked):
            return None
        files = {path: signature for path, signature in found.files.items() if holds_blocks(path)}
        answer = body(files)
        whole = not self.repository.resolve(PENDING) and self._head() == head
        return answer if whole else None

    def bytes_of(self, path: str) -> tuple[bytes, Signature]:
        """One file's bytes and its signature; ``OSError`` as the system gave it."""
        return read_bytes(self.experiences / path)

    def sound_blocks(self, path: str, data: bytes) -> tuple[Block, ...] | None:
        """The blocks of a file's bytes; ``None`` where it holds a problem."""
        return self._reading.sound(path, data)

    def text(self, path: str) -> str | None:
        """The text of one file under ``experiences/``; None where it does not exist."""
        try:
            return self._reading.content(path).decode("utf-8", "replace")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ProblemError("{path} cannot be read: {why}", path=path, why=str(error.strerror)) from error

    def config(self) -> Config:
        """The configuration as it is on disk; its defaults where there is none or it cannot be read."""
        return self._config(scan_config(self.experiences))[0]

    @cached_property
    def _recording(self) -> Recording:
        from alice_exp.home.store.record_files import Recording

        return Recording(self.experiences)

    @cached_property
    def _adopting(self) -> Adopting:
        from alice_exp.home.store.hand_edits import Adopting

        return Adopting(self._writer, self._reading)

    @cached_property
    def _composing(self) -> Composing:
        from alice_exp.home.store.write_changes import Composing

        return Composing(self._writer, self._reading, self._recording)

    def _require_home(self) -> None:
        if not self.experiences.is_dir():
            raise ProblemError(
                "there is no home at {root}", root=self.root, hint="make one with 'alice-exp init'"
            )

    def _head(self) -> str:
        return self.repository.head() if self.repository.exists else ""

    def _snapshot(self, found: Found, places: Collection[Place], records: bool | str = False) -> Snapshot:
        head = self._head()
        seen = snapshot(self._reading, found, places, head, self._last_good(head))
        config, problems = self._config(found)
        seen = replace(seen, config=config, problems=(*seen.problems, *problems))
        return self._judge.judge(self._with_records(seen, found, records) if records else seen)

    def _with_records(self, seen: Snapshot, found: Found, records: bool | str) -> Snapshot:
        from alice_exp.model.formats.record_schema import EPISODES_PATH, EVENTS_PATH

        if records in (True, EPISODES_PATH):
            episodes, faults = self._recording.episodes(found.files.get(EPISODES_PATH))
            seen = replace(seen, episodes=episodes, problems=(*seen.problems, *faults))
        if records in (True, EVENTS_PATH):
            timeline, faults = self._recording.timeline(found.files.get(EVENTS_PATH))
            seen = replace(seen, timeline=timeline, problems=(*seen.problems, *faults))
        return seen

    def _config(self, found: Found) -> tuple[Config, tuple[Problem, ...]]:
        signature = found.files.get(CONFIG)
        if signature is None:
            return Config(), ()
        known = recalled(self.root / "state" / "config.json", signature)
        if known is not None:
            return known, ()
        try:
            return self._parsed_config(signature)
        except OSError as error:
            why = (error.strerror or "it is gone").lower()
            return Config(), (Problem(CONFIG, 0, 0, "this file cannot be read: {why}", {"why": why}),)

    def _parsed_config(self, signature: Signature) -> tuple[Config, tuple[Problem, ...]]:
        from alice_exp.model.formats.config_file import read_config

        began = time.time_ns()
        data, read = read_bytes(self.experiences / CONFIG)
        config, problems = read_config(jsonc.parse(data, CONFIG))
        if read == signature and not problems:
            remember(self.root / "state" / "config.json", signature, began, config)
        return config, problems

    def _last_good(self, head: str) -> LastGood:
        stamps = self._writer.stamps
        if head and stamps.head == head:
            tree = {path: oid for path, (_, oid) in stamps.files.items()}
        else:
            tree = self.repository.tree(head) if head else {}
        return self._reading.last_good(tree, self.repository.blob)

    def _wait_for_writer(self) -> None:
        time.sleep(_PAUSE)
        with contextlib.suppress(BusyError), self._locked(wait=0):
            self._settle()

    # -- settling: recover and adopt ----------------------------------------------------------------------------

    def _settled(self) -> Found:
        """Recover and adopt where there is something to do and nobody else is at it; what is there now."""
        self.waiting = False
        found = scan(self.experiences)
        if not self.repository.exists or self._is_settled(found):
            return found
        try:
            with self._locked(wait=0):
                self._settle(strict=False)
        except BusyError:
            self.waiting = True
        except (OSError, ProblemError) as error:
            self._sources.warn(_as_warning(error))
        return scan(self.experiences)

    def _is_settled(self, found: Found) -> bool:
        if self.repository.resolve(PENDING):
            return False
        head = self.repository.head()
        stamps = self._writer.stamps
        if stamps.head != head:
            stamps = self._writer.reread()
        return bool(head) and stamps.equal(head, found.files)

    @contextlib.contextmanager
    def _locked(self, wait: float = 10.0) -> Iterator[None]:
        with self.lock.hold(wait):
            self.repository.lock_handle = self.lock.handle
            try:
                yield
            finally:
                self.repository.lock_handle = -1

    def _settle(self, *, strict: bool = True) -> Found:
        """Under the lock: recover, then adopt; ``strict`` raises where history is not fit to be written."""
        obstacle = self.repository.obstacle()
        if obstacle:
            if strict:
                raise ProblemError("{obstacle}", obstacle=obstacle, hint=self.repository.way_out())
            wait = ProblemError(
                "{obstacle}; hand edits wait", obstacle=obstacle, hint=self.repository.way_out()
            )
            self._sources.warn(wait)
            return scan(self.experiences)
        from alice_exp.home.store.recovery import recover_home

        try:
            done = recover_home(self.repository, holder_died=self.lock.holder_died)
        except OSError as error:
            raise ProblemError(
                "an interrupted act could not be finished: {why}",
                why=(error.strerror or str(error)).lower(),
                hint="see that the disk can be written, then run this again",
            ) from error
        if done.lost:
            self._sources.warn(
                ProblemError(
                    "an interrupted act did not fit the history any more; it is kept as {ref}",
                    ref=f"{LOST}/{done.lost}",
                )
            )
        for _ in range(TRIES):
            found, head = scan(self.experiences), self.repository.head()
            try:
                self._adopting.adopt(found)
            except ChangedOnDisk:
                continue
            return found if self._writer.stamps.head == head else scan(self.experiences)
        raise BusyError("the files change faster than they can be read", hint="run the command again")

    def create(self, actor: Actor, defaults: Mapping[str, str]) -> tuple[Commit | None, int]:
        """Make the home; the commit (None: it was there) and how many blocks it took in.

        Files that a person put there before are taken in as they are, in one commit by ``actor``; ``defaults`` maps
        paths to the texts of files that a new home has. A file with a problem stays out and is warned of.
        """
        from alice_exp.home.store import create as founding

        founding.make_directories(self.root, self.experiences)
        with self._locked():
            if self.repository.exists and self.repository.head():
                self._settle()
                return None, 0
            return founding.found(self._writer, self._adopting, actor, defaults)

    # -- writing ------------------------------------------------------------------------------------------------

    @gc_paused()
    def apply(
        self, plan: Plan[R], places: Collection[Place] = SETS, *, records: bool | str = False
    ) -> tuple[Commit | None, R]:
        """Read, plan, write one commit; see ``home.ports.Home.apply``."""
        from alice_exp.model.rules.expiry import with_expired

        self._require_home()
        if not self.repository.exists:
            raise ProblemError(
                "the home at {root} has no history yet", root=self.root, hint="make one with 'alice-exp init'"
            )
        with self._locked():
            for left in reversed(range(TRIES)):
                found = self._settle()
                seen = self._snapshot(found, places, records)
                changes, answer = plan(seen)
                if changes is None:
                    return None, answer
                changes = with_expired(changes, seen)
                try:
                    return self._composing.carry_out(changes, seen, found), answer
                except ChangedOnDisk:
                    continue
                except ProblemError:
                    if not left or not _is_being_saved(seen, found):
                        raise
                    time.sleep(_SAVING_NS / 1e9)
        raise BusyError("the files change faster than they can be read", hint="run the command again")

    def purge(self, block_id: str, act: Act) -> Purged | None:
        """Take a block out of every file and every commit; see ``home.ports.Purge.purge``."""
        from alice_exp.home.store.purge import purge

        with self.alone() as composed:
            return purge(self.repository, block_id, *composed(act))

    def versions(self, block_id: str) -> int:
        """How many versions of files hold the block; see ``home.ports.Purge.versions``."""
        from alice_exp.home.store.purge import count

        return count(self.repository, block_id)

    @contextlib.contextmanager
    def alone(self) -> Iterator[Callable[[Act], tuple[Commit, Message]]]:
        """Be the only writer of a settled home; gives what composes an act's commit."""
        self._require_home()
        with self._locked():
            self._settle()
            try:
                yield self._writer.composed
            finally:
                self._writer.forget()


def _repo_config() -> RepoConfig:
    from alice_exp.home.store.repo_setup import repo_config

    return repo_config()


def _is_being_saved(seen: Snapshot, found: Found) -> bool:
    young = time.time_ns() - _SAVING_NS
    broken = (found.files.get(file.path) for file in seen.files if file.stale)
    return any(signature is not None and signature.mtime > young for signature in broken)


def _as_warning(error: Exception) -> AliceError:
    if isinstance(error, AliceError):
        return error
    return ProblemError("hand edits could not be committed: {why}", why=str(error))
