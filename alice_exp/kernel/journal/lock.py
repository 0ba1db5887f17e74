"""The single-writer lock, an advisory ``flock`` that child processes inherit; and what a killed git left, cleaned
up; what somebody saved into a file that an act had just displaced is kept, as a hand edit or a commit set aside."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from alice_exp.kernel.errors import BusyError, refused_as
from alice_exp.kernel.journal.act import COMMITTER, Message
from alice_exp.kernel.journal.atomic_files import (
    MARK,
    exchange,
    is_written,
    link_back,
    maker_lives,
    read_bytes,
)
from alice_exp.kernel.journal.git_process import FETCHED, LOST, Repository
from alice_exp.kernel.value_class import blob_id

WAIT_SECONDS = 10.0
_PAUSE = 0.005


class WriterLock:
    """An advisory lock on one file, re-entrant within one object.

    ``handle`` is passed to every git process, so that the git of a killed parent still holds the lock. While the
    lock is held the file contains ``process PID``; ``holder_died`` says that it was still there on taking the lock.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.handle = -1
        self.holder_died = False
        self._depth = 0

    @contextmanager
    def hold(self, wait: float = WAIT_SECONDS) -> Iterator[None]:
        """Hold the lock for the duration of the block.

        Raises ``BusyError`` (exit 5) naming the holder after ``wait`` seconds, ``ProblemError`` if the disk refuses.
        """
        if not self._depth:
            with refused_as("nothing was changed: the home cannot be locked: {why}", self.path):
                self._take(wait)
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if not self._depth:
                self._release()

    def _release(self) -> None:
        handle, self.handle = self.handle, -1
        try:
            # Best effort: a name left behind only makes the next holder look for damage that is not there.
            with suppress(OSError):
                os.ftruncate(handle, 0)
        finally:
            os.close(handle)

    def _take(self, wait: float) -> None:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if not locked_within(handle, wait):
                holder = os.pread(handle, 200, 0).decode("utf-8", "replace").strip() or "another process"
                hint = "wait for it to end and run the command again"
                raise BusyError("the home is in use by {holder}", holder=holder, hint=hint)
            # Only a holder that never reached `_release` leaves its name in the file.
            self.holder_died = os.fstat(handle).st_size > 0
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"process {os.getpid()}\n".encode(), 0)
        except BaseException:
            os.close(handle)
            raise
        self.handle = handle


def locked_within(handle: int, wait: float) -> bool:
    """Lock an open file against other processes until it is closed; False where one holds it for ``wait`` s."""
    # Polling rather than a blocking flock: the wait has to end, and flock knows no timeout.
    deadline = time.monotonic() + wait
    while True:
        with suppress(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(_PAUSE)


INCOMING = "alice-incoming"
"""The directory below ``.git`` of repositories ``PID``: a remote's history until that process knows its sizes."""

REPORTS = "fast_import_crash_*"
"""What a git that failed writes below ``.git``: nobody reads it, and it repeats the texts of the act."""

_DYING_TRIES, _DYING_PAUSE = 60, 0.05
"""How often, and at which interval (s), recovery checks whether the git that holds a lock has ended."""


def drop_stale_locks(repository: Repository) -> None:
    """Remove lock files of git whose holder is dead; a lock whose holder lives stays.

    Under the writer lock no git process of ours is running, so a living holder is a person's own git.
    """
    git_dir = repository.git_dir
    if not (stale := locks(repository)):
        return
    # A git that was killed a moment ago may still be on its way out.
    for _ in range(_DYING_TRIES):
        if not git_works_on(git_dir):
            for path in stale:
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            return
        time.sleep(_DYING_PAUSE)


def locks(repository: Repository) -> list[Path]:
    """The lock files of git that are there, whoever holds them."""
    git_dir = repository.git_dir
    found = [git_dir / name for name in ("index.lock", "HEAD.lock", "packed-refs.lock", "config.lock")]
    return [path for path in (*found, *(git_dir / "refs").glob("**/*.lock")) if path.exists()]


def drop_abandoned_names(repository: Repository) -> None:
    """Remove references to fetched history, and what was fetched, of dead processes; both come without the lock."""
    for folder in (FETCHED, INCOMING):
        for path in (repository.git_dir / folder).glob("[0-9]*"):
            if path.name != str(os.getpid()) and not maker_lives(path.name):
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


def sweep_objects(repository: Repository) -> None:
    """Remove objects and packs that a killed git never finished; nothing refers to them."""
    objects = repository.git_dir / "objects"
    # git guards an unfinished pack with a .keep file; a stale one keeps its pack out of every repack.
    unfinished = [*objects.glob("*/tmp_*"), *objects.glob("pack/*.keep"), *repository.git_dir.glob(REPORTS)]
    if unfinished and not git_works_on(repository.git_dir):
        for path in unfinished:
            path.unlink(missing_ok=True)


_READERS = (b"cat-file", b"log", b"show", b"diff", b"diff-tree", b"rev-list", b"ls-tree", b"for-each-ref")
"""Git commands that take no lock: an open pager, or the cat-file that a long-running process of ours keeps."""


def _verb(words: list[bytes]) -> bytes:
    """The subcommand of a git command line; empty if there is none."""
    rest = iter(words[1:])
    for word in rest:
        if word in (b"-c", b"-C"):
            next(rest, b"")
        elif not word.startswith(b"-"):
            return word
    return b""


def git_works_on(git_dir: Path) -> bool:
    """Whether a git process that may write works on this repository.

    Looked up in ``/proc``; without it (macOS) a lock younger than a minute counts as held.
    """
    here = str(git_dir.parent)
    proc = Path("/proc")
    if not (proc / "self" / "cmdline").exists():
        newest = max((path.stat().st_mtime for path in git_dir.glob("*.lock")), default=0.0)
        return time.time() - newest < 60
    for process in proc.glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            # startswith: git runs parts of itself as programs of their own, such as git-remote-https.
            if Path(os.fsdecode(words[0])).name.startswith("git") and _verb(words) not in _READERS:
                where = str((process / "cwd").readlink())
                if where.startswith(here) or any(here in os.fsdecode(word) for word in words):
                    return True
        # The process ended meanwhile, or belongs to another user.
        except OSError:
            continue
    return False


def keep_late_saves(repository: Repository, waiting: Iterable[Path], *, interrupted: bool = False) -> str:
    """Remove displaced files once git knows their content; returns the last commit that was set aside, if any.

    ``waiting`` are those that ``atomic_files.sweep`` left.

    A save later than what stands in the file now takes its place, as a hand edit; an earlier one is committed as
    ``refs/alice/lost/ID``. What an ``interrupted`` act put there is newer than the save that it displaced, and yields
    all the same. A file that some process has still open for writing waits.
    """
    lost = ""
    for displaced in sorted(waiting):
        if not is_written(displaced):
            lost = _keep(repository, displaced, interrupted) or lost
    return lost


def _keep(repository: Repository, displaced: Path, interrupted: bool) -> str:
    path = displaced.with_name(displaced.name[1:].partition(MARK)[0])
    if not _is_known(repository, displaced):
        if not path.exists():
            link_back(displaced, path)
            return ""
        is_later = displaced.stat().st_mtime_ns > path.stat().st_mtime_ns
        if is_later or (interrupted and _is_known(repository, path)):
            exchange(displaced, path)
    lost = "" if _is_known(repository, displaced) else _set_aside(repository, displaced, path)
    displaced.unlink()
    return lost


def _is_known(repository: Repository, displaced: Path) -> bool:
    return repository.holds("blob", blob_id(read_bytes(displaced)[0]))


def _set_aside(repository: Repository, displaced: Path, path: Path) -> str:
    head = repository.head()
    message = Message(COMMITTER, repository.commit_time(head), "a save that came in the middle of an act\n")
    files = {str(path.relative_to(repository.work_tree)): read_bytes(displaced)[0]}
    kept = repository.prepare(head, message, files)
    repository.point([(f"{LOST}/{kept}", kept, None)])
    repository.give_up(kept)
    return kept
