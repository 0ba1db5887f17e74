"""The single-writer lock: an advisory ``flock`` that child processes inherit."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from alice_exp.kernel.errors import BusyError, ProblemError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._depth > 0

    @contextmanager
    def hold(self, wait: float = WAIT_SECONDS) -> Iterator[None]:
        """Hold the lock for the duration of the block.

        Raises ``BusyError`` (exit 5) naming the holder after ``wait`` seconds, ``ProblemError`` if the disk refuses.
        """
        if self._depth:
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
            return
        self._take(wait)
        self._depth = 1
        try:
            yield
        finally:
            self._depth = 0
            self._release()

    def _release(self) -> None:
        handle, self.handle = self.handle, -1
        try:
            # Best effort: a name left behind only makes the next holder look for damage that is not there.
            with contextlib.suppress(OSError):
                os.ftruncate(handle, 0)
        finally:
            os.close(handle)

    def _take(self, wait: float) -> None:
        try:
            self._open_and_take(wait)
        except OSError as error:
            raise ProblemError(
                "nothing was changed: the home cannot be locked: {why}",
                why=(error.strerror or str(error)).lower(),
                path=str(self.path),
            ) from error

    def _open_and_take(self, wait: float) -> None:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        # Polling rather than a blocking flock: the wait has to end, and flock knows no timeout.
        deadline = time.monotonic() + wait
        try:
            while not _try_lock(handle):
                if time.monotonic() >= deadline:
                    holder = os.pread(handle, 200, 0).decode("utf-8", "replace").strip() or "another process"
                    raise BusyError(
                        "the home is in use by {holder}",
                        holder=holder,
                        hint="wait for it to end and run the command again",
                    )
                time.sleep(_PAUSE)
            # Only a holder that never reached `_release` leaves its name in the file.
            self.holder_died = os.fstat(handle).st_size > 0
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"process {os.getpid()}\n".encode(), 0)
        except BaseException:
            os.close(handle)
            raise
        self.handle = handle


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
