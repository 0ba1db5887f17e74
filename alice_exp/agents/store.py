"""What hooks leave to be done, one durable file each in ``state/hooks``, and when each host last called.

A file is written before anything is started, and removed when its work is committed: a crash in between leaves it to
the next command.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alice_exp.agents.ports import Left
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.atomic_files import MARK, replace

_ENDING = ".json"
_LOCK = ".lock"
_ONCE = "once-"
_MONTH = 30 * 86_400
_MOST = 64 << 20
_PAUSE = 0.02


class FileSpool:
    """Implements ``agents.ports.Spool`` over the folder ``state`` of a home."""

    def __init__(self, state: Path, stamp: Callable[[], str]) -> None:
        self._folder = state / "hooks"
        self._hosts = state / "hosts"
        self._stamp = stamp

    def leave(self, left: Mapping[str, Any]) -> None:
        """Write down, fsynced, what is to be done."""
        name = f"{time.time_ns():020d}-{os.getpid()}{_ENDING}"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace(self._folder / name, json.dumps(left, ensure_ascii=False).encode(), durable=True)
        except OSError as error:
            raise _refused(error) from error

    def left(self, idle: float = 0.0) -> tuple[Left, ...]:
        """What is to be done, oldest first; with ``idle``, nothing that was tried within so many seconds."""
        found = []
        for name in sorted(os.listdir(self._folder)) if self._folder.is_dir() else ():  # noqa: PTH208
            path = self._folder / name
            with contextlib.suppress(OSError, ValueError):
                if not name.endswith(_ENDING) or MARK in name:
                    continue
                fields = json.loads(path.read_bytes())
                if not isinstance(fields, dict):
                    continue
                if "failed" not in fields or time.time() - path.stat().st_mtime >= idle:
                    found.append(Left(name, fields))
        return tuple(found)

    def done(self, left: Left) -> None:
        """Drop what is done, and marks that are older than a month."""
        (self._folder / left.name).unlink(missing_ok=True)
        for mark in self._folder.glob(f"{_ONCE}*"):
            with contextlib.suppress(OSError):
                if time.time() - mark.stat().st_mtime > _MONTH:
                    mark.unlink()

    def failed(self, left: Left, why: str) -> None:
        """Note that it was tried now, and why it failed: the file's time says when."""
        fields = {**left.fields, "failed": why}
        with contextlib.suppress(OSError):
            replace(self._folder / left.name, json.dumps(fields, ensure_ascii=False).encode(), durable=False)

    @contextmanager
    def claim(self, wait: float) -> Iterator[bool]:
        """Hold the right to work; False where no hook left anything, or another process has it for ``wait`` seconds."""
        if not self._folder.is_dir():
            yield False
            return
        handle = os.open(self._folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            yield _locked(handle, wait)
        finally:
            os.close(handle)

    def size(self, left: Left) -> int:
        """Bytes of what is to be read: the transcript, or what was handed over; 0 where it is gone."""
        try:
            return Path(left.text("transcript") or self._folder / left.name).expanduser().stat().st_size
        except (OSError, ValueError):
            return 0

    def transcript(self, path: str) -> str | None:
        """A host's transcript as text; ``None`` where it cannot be read, or is larger than 64 MiB."""
        try:
            with Path(path).expanduser().open("rb") as file:
                data = file.read(_MOST + 1)
        except (OSError, ValueError):
            return None
        return None if len(data) > _MOST else data.decode(errors="replace")

    def first(self, name: str) -> bool:
        """Whether this is done for the first time: its mark could be made. Marks go after a month."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self._folder / f"{_ONCE}{name}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except OSError:
            return False
        return True

    def called(self, host: str) -> None:
        """Note that a host calls now."""
        with contextlib.suppress(OSError):
            self._hosts.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace(self._hosts / host, self._stamp().encode(), durable=False)

    def last_call(self, host: str) -> str:
        """When a host last called, ISO-8601 UTC; empty where it never did."""
        try:
            return (self._hosts / host).read_text(encoding="ascii")
        except (OSError, ValueError):
            return ""


def _locked(handle: int, wait: float) -> bool:
    deadline = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_PAUSE)


def _refused(error: OSError) -> ProblemError:
    why = (error.strerror or str(error)).lower()
    return ProblemError("what was said could not be kept: {why}", why=why)
