"""Watches a home: events from watchdog, a periodic scan for what they miss, and what each look at the home finds.

The only module that imports ``watchdog``. Directories are watched rather than files, because editors save by
renaming; ``.git`` is not watched. A watcher only reports that something may have changed. The home compares contents,
so what we wrote ourselves does not come back as an edit (B2.36).
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import threading
import time
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from alice_exp.finding.store.search_index import index
from alice_exp.home.session import Session
from alice_exp.home.store.list_files import TRACKED, scan
from alice_exp.kernel.errors import AliceError, ProblemError
from alice_exp.kernel.journal.act import Commit
from alice_exp.kernel.journal.atomic_files import MARK, Signature
from alice_exp.kernel.jsonc import Problem
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import PLACES
from alice_exp.model.values.snapshot import Snapshot

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent

FOLDERS: Final = ("", *TRACKED)
"""Watched directories relative to ``experiences/``."""

RESCAN_SECONDS: Final = 1.0
"""The interval (s) of the full scan: neither lost events nor a deleted root directory are reported by the system."""

_LONGEST = 5
"""Debounce periods after which files are read even if they keep changing."""

_PAIRING_SECONDS = 0.02
_ENDINGS = (".jsonc", ".json")


class Watcher:
    """Calls ``on_change()`` on its own thread once files under ``experiences`` are quiet for ``debounce`` seconds.

    A context manager. ``debounce`` and ``rescan`` are in seconds and may be changed while it runs. ``on_change`` must
    not raise, and must use its own home object, since those are not thread-safe.
    """

    def __init__(
        self,
        experiences: Path,
        on_change: Callable[[], None],
        *,
        debounce: float = 0.2,
        rescan: float = RESCAN_SECONDS,
    ) -> None:
        self.experiences = experiences
        self.debounce = debounce
        self.rescan = rescan
        self._on_change = on_change
        self._news = threading.Condition()
        self._first = self._last = 0.0
        self._due_early = 0.0
        self._stopped = False
        self._watched: dict[str, tuple[int, Any]] = {}
        self._seen: dict[str, Signature] = {}
        self._observer: Any = None
        self._thread = threading.Thread(target=self._run, name="alice-watch", daemon=True)

    def __enter__(self) -> Watcher:
        from watchdog.observers import Observer

        # watchdog waits 0.5 s for the second half of a move, longer than a save may take to become searchable (DESIGN
        # 9); one into an unwatched directory has none, and both halves of a rename arrive in one read.
        for module, name in (
            ("watchdog.observers.inotify_move_event_grouper", "InotifyMoveEventGrouper"),
            ("watchdog.observers.inotify_buffer", "InotifyBuffer"),
        ):
            with contextlib.suppress(ImportError, AttributeError):
                getattr(importlib.import_module(module), name).delay = _PAIRING_SECONDS
        # It logs an error where it is stopped between two events.
        logging.getLogger("watchdog").addHandler(logging.NullHandler())
        self._observer = Observer()
        self._observer.daemon = True
        self._observer.start()
        self._watch_directories()
        self._seen = scan(self.experiences).files
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop watching, after a running call of ``on_change`` has ended."""
        with self._news:
            self._stopped = True
            self._news.notify()
        self._thread.join(10)
        self._observer.stop()
        self._observer.join(2)

    @property
    def polls(self) -> bool:
        """Whether the system refuses to watch a directory (such as at inotify's limit), so that scans have to do."""
        return any(watch is None for _, watch in self._watched.values())

    def again(self) -> None:
        """Call ``on_change`` once more in a twentieth of a second, because another process held the lock."""
        with self._news:
            self._due_early = time.monotonic() + 0.05
            self._news.notify()

    def dispatch(self, event: FileSystemEvent) -> None:
        """Take an event; called by watchdog, on its thread."""
        if any(self._matters(os.fsdecode(path)) for path in (event.src_path, event.dest_path) if path):
            self._note()

    def _matters(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        if name.endswith(_ENDINGS):
            return not name.startswith(".") and MARK not in name
        return path == str(self.experiences) or (folder == str(self.experiences) and name in FOLDERS)

    def _note(self) -> None:
        with self._news:
            self._last = time.monotonic()
            self._first = self._first or self._last
            self._news.notify()

    def _run(self) -> None:
        next_rescan = time.monotonic() + self.rescan
        while True:
            with self._news:
                if self._stopped:
                    return
                quiet = min(self._last + self.debounce, self._first + _LONGEST * self.debounce)
                due = min(filter(None, (quiet if self._last else 0.0, self._due_early)), default=0.0)
                wait = (due or next_rescan) - time.monotonic()
                if wait > 0:
                    self._news.wait(wait)
                    continue
                if due:
                    self._first = self._last = self._due_early = 0.0
            if due:
                self._on_change()
            else:
                moved = self._watch_directories()
                found = scan(self.experiences).files
                if moved or found != self._seen:
                    self._seen = found
                    self._note()
                next_rescan = time.monotonic() + (
                    min(self.rescan, self.debounce / 2) if self.polls else self.rescan
                )

    def _watch_directories(self) -> bool:
        """Watch every existing directory; returns whether any appeared, vanished or was replaced.

        Compared by inode: a watch stays on a directory that was renamed away, and does not see its replacement.
        """
        changed = False
        for folder in FOLDERS:
            inode = _inode(self.experiences / folder)
            known, watch = self._watched.get(folder, (0, None))
            if inode == known:
                continue
            changed = True
            if watch is not None:
                with contextlib.suppress(KeyError, OSError):
                    self._observer.unschedule(watch)
            self._watched.pop(folder, None)
            if inode:
                self._watched[folder] = (inode, self._schedule(self.experiences / folder))
        return changed

    def _schedule(self, directory: Path) -> Any:
        try:
            return self._observer.schedule(self, str(directory), event_filter=_changing())
        except OSError:
            return None


def _changing() -> list[Any]:
    """The events to ask the system for.

    Reading, which we do after each change, must not count as the next one; and a question opens some twenty
    directories, each of which would wake a thread, for a fifth of the question's processor time.
    """
    from watchdog import events

    return [
        *(events.FileCreatedEvent, events.FileModifiedEvent, events.FileMovedEvent, events.FileDeletedEvent),
        *(events.FileClosedEvent, events.DirCreatedEvent, events.DirMovedEvent, events.DirDeletedEvent),
    ]


def _inode(directory: Path) -> int:
    try:
        return directory.stat().st_ino
    except OSError:
        return 0


def watcher(session: Session, on_change: Callable[[], None]) -> Watcher:
    """A context manager that calls ``on_change`` on its own thread when files of the home were saved."""
    debounce = session.config.count("watch.debounce_ms") / 1000
    return Watcher(session.home.experiences, on_change, debounce=debounce)


def reloading(session: Session) -> Watcher:
    """A context manager for long-running processes that adopts what a person saves meanwhile.

    It reads through a separate home object, since those are not thread-safe; the process's own home notices the change
    by file signatures at its next read.
    """
    apart = session.apart()

    def adopt() -> None:
        try:
            apart.home.read()
            # Brings the index up to date now rather than while an agent waits.
            index(apart).ask(lambda _: True)
        except AliceError as error:
            session.warn(error)
        if apart.home.waiting:
            watching.again()

    watching = watcher(session, adopt)
    return watching


Kind = Literal["act", "problem", "mended"]

_MOST = 200
"""The most acts reported at once, since in a history that was rewritten meanwhile the last known act is missing."""


@dataclass(frozen=True, slots=True)
class Noticed:
    """One thing that a look found. ``at`` is when it was noticed (ISO-8601 UTC).

    ``act``: ``commit`` landed. ``problem``: the file at ``path`` has ``problem``; its last good version stays in use.
    ``mended``: the file at ``path`` has no problem any more.
    """

    kind: Kind
    at: str
    path: str = ""
    commit: Commit | None = None
    problem: Problem | None = None


class Watching:
    """A watch of a home: each ``look`` returns what is new since the previous one.

    Reading the home adopts what a person saved (DESIGN 5); the act is reported whichever process adopted it first.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._head = ""
        self.problems: tuple[Problem, ...] = ()
        self.snapshot = Snapshot(())
        """The snapshot of the last look."""

    def begin(self) -> tuple[Noticed, ...]:
        """The first look: the present problems, no past acts. ``ProblemError`` if there is no home."""
        before = next(iter(self._session.history.log(limit=1)), None)
        self._head = before.commit if before is not None else ""
        self.snapshot = self._session.home.read(PLACES)
        return (*self._acts(), *self._faults(self.snapshot.problems))

    def look(self) -> tuple[Noticed, ...]:
        """What happened since the last look: acts in order, then new problems, then mended files."""
        try:
            self.snapshot = self._session.home.read(PLACES)
        except ProblemError as error:
            return self._faults((Problem.told(error),))
        # Brings the index up to date, so that the next query does not have to.
        index(self._session).ask(lambda _: True)
        return (*self._acts(), *self._faults(self.snapshot.problems))

    def _acts(self) -> tuple[Noticed, ...]:
        head = self.snapshot.head
        if not head or head == self._head:
            return ()
        newer = list(takewhile(lambda act: act.commit != self._head, self._session.history.log(limit=_MOST)))
        self._head = newer[0].commit if newer else head
        return tuple(Noticed("act", self._session.caller.now, commit=act) for act in reversed(newer))

    def _faults(self, problems: tuple[Problem, ...]) -> tuple[Noticed, ...]:
        now = self._session.caller.now
        known = set(map(_identity, self.problems))
        new = [problem for problem in problems if _identity(problem) not in known]
        broken = {problem.path for problem in problems}
        mended = [path for path in dict.fromkeys(p.path for p in self.problems) if path not in broken]
        self.problems = problems
        return (
            *(Noticed("problem", now, problem.path, problem=problem) for problem in new),
            *(Noticed("mended", now, path) for path in mended),
        )


def _identity(problem: Problem) -> tuple[str, str]:
    return (problem.where, problem.message)
