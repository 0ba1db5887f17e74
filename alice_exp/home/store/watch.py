"""Notices that a person saved a file: watchdog on the home's directories, and a look now and then at what it missed.

The only module that imports ``watchdog``. Directories are watched, not files, because editors save by renaming; the
history below ``.git`` is not. A watcher only says that something may have changed: the home's own doors know by
content what did, so what we wrote ourselves never comes back as an edit (B2.36).
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import threading
import time
from typing import TYPE_CHECKING, Any, Final

from alice_exp.home.store.list_files import scan
from alice_exp.kernel.journal.atomic_files import MARK

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from watchdog.events import FileSystemEvent

    from alice_exp.kernel.journal.atomic_files import Signature

FOLDERS: Final = ("", "universal", "personal", "low_value_pool", "archive", "records", ".schema")
"""Watched directories relative to ``experiences/``."""

RESCAN_SECONDS: Final = 1.0
"""How often the stamps of all files are compared: an overflow is silent, a deleted root ends a watch unseen."""

_LONGEST = 5
"""A file that never stops changing is read after this many debounces all the same."""

_PAIRING_SECONDS = 0.02
_READING = ("opened", "closed_no_write")
_ENDINGS = (".jsonc", ".json")


class Watcher:
    """Calls ``on_change()`` on a thread of its own once files under ``experiences`` have been quiet for ``debounce``.

    A context manager. ``debounce`` and ``rescan`` are seconds and may be set while it runs. ``on_change`` must not
    raise and must use a home of its own: the doors of one home object are for one thread.
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
        """Start watching."""
        from watchdog.observers import Observer

        _pair_moves_quickly()
        _keep_quiet()
        self._observer = Observer()
        self._observer.daemon = True
        self._observer.start()
        self._watch_directories()
        self._seen = scan(self.experiences).files
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop watching; a call of ``on_change`` that runs is waited for."""
        with self._news:
            self._stopped = True
            self._news.notify()
        self._thread.join(10)
        self._observer.stop()
        self._observer.join(2)

    @property
    def polls(self) -> bool:
        """Whether the system refuses to watch, so that looking now and then has to do."""
        return any(watch is None for _, watch in self._watched.values())

    def again(self, seconds: float = 0.05) -> None:
        """Call ``on_change`` once more after ``seconds``: another process was at it."""
        with self._news:
            self._due_early = time.monotonic() + seconds
            self._news.notify()

    def dispatch(self, event: FileSystemEvent) -> None:
        """What watchdog calls with each event, on its thread."""
        if event.event_type in _READING or (event.is_directory and event.event_type == "modified"):
            return
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
                due = self._due()
                wait = (due or next_rescan) - time.monotonic()
                if wait > 0:
                    self._news.wait(wait)
                    continue
                if due:
                    self._first = self._last = self._due_early = 0.0
            if due:
                self._on_change()
            else:
                self._look()
                next_rescan = time.monotonic() + (
                    min(self.rescan, self.debounce / 2) if self.polls else self.rescan
                )

    def _due(self) -> float:
        """When ``on_change`` is to be called (monotonic seconds); 0 where nothing is known to have changed."""
        quiet = min(self._last + self.debounce, self._first + _LONGEST * self.debounce) if self._last else 0.0
        times = [moment for moment in (quiet, self._due_early) if moment]
        return min(times, default=0.0)

    def _look(self) -> None:
        """What no event told: a directory that came, went or was replaced, a file whose stamp is another."""
        moved = self._watch_directories()
        found = scan(self.experiences).files
        if moved or found != self._seen:
            self._seen = found
            self._note()

    def _watch_directories(self) -> bool:
        """Watch every directory that is there now, by its inode; whether that changed anything."""
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
            return self._observer.schedule(self, str(directory), recursive=False)
        except OSError:
            return None


def _inode(directory: Path) -> int:
    try:
        return directory.stat().st_ino
    except OSError:
        return 0


def _pair_moves_quickly() -> None:
    """Let watchdog wait 20 ms, not 0.5 s, for a move's other half: an editor's backup elsewhere has none here.

    Both halves of one rename come in one read; 0.5 s is longer than a save may take to become searchable (DESIGN 9).
    """
    for module, name in (
        ("watchdog.observers.inotify_move_event_grouper", "InotifyMoveEventGrouper"),
        ("watchdog.observers.inotify_buffer", "InotifyBuffer"),
    ):
        with contextlib.suppress(ImportError, AttributeError):
            getattr(importlib.import_module(module), name).delay = _PAIRING_SECONDS


def _keep_quiet() -> None:
    """Keep what watchdog logs off stderr: it calls its own end, met between two events, an error.

    A program that sets logging up still gets these lines; nothing is missed by them, for the rescan looks again.
    """
    logging.getLogger("watchdog").addHandler(logging.NullHandler())
