"""Files as the write protocol needs them: read whole, written beside, exchanged, forced to disk.

Nothing here knows what the files say. Every function takes absolute paths and raises ``OSError`` as the system gave it;
``ChangedOnDisk`` says that a person saved in between.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MARK: Final = ".alice-tmp-"
"""Stands in the name of every temporary file, so that a sweep knows them."""

_AT_FDCWD = -100
_EXCHANGE = 2
RACY_NS: Final = 20_000_000
"""A file whose time stamp is younger than this when it is recorded may change again within the same tick."""


class ChangedOnDisk(Exception):
    """A file is not what it was when it was read; ``path`` says which."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.path = path


@dataclass(frozen=True, slots=True)
class Signature:
    """What tells an unchanged file: modification and change time (ns), size (bytes), inode."""

    mtime: int
    ctime: int
    size: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> Signature:
        """The signature of an ``lstat``."""
        return cls(status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)


class NotAFile(OSError):
    """A symlink, FIFO, device or directory stands where a file should."""


def read_bytes(path: Path) -> tuple[bytes, Signature]:
    """A regular file's bytes and their signature, never following a link and never waiting on a FIFO."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if path.is_symlink():
            raise NotAFile(error.errno, "a symbolic link stands in the file's place", str(path)) from None
        raise
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise NotAFile(0, "this is not a plain file", str(path))
        chunks = []
        while chunk := os.read(handle, 1 << 20):
            chunks.append(chunk)
        return b"".join(chunks), Signature.of(status)
    finally:
        os.close(handle)


def write_beside(path: Path, data: bytes) -> Path:
    """A temporary file beside ``path`` that holds ``data``, on disk, with the mode that ``path`` has (else 0600)."""
    try:
        mode = stat.S_IMODE(path.lstat().st_mode)
    except FileNotFoundError:
        mode = 0o600
    return _beside(path, data, mode, durable=True)


def _beside(path: Path, data: bytes, mode: int, *, durable: bool) -> Path:
    temporary = path.with_name(f".{path.name}{MARK}{os.getpid()}-{os.urandom(4).hex()}")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(handle, view) :]
            os.fchmod(handle, mode)
            if durable:
                os.fsync(handle)
        finally:
            os.close(handle)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    return temporary


def replace(path: Path, data: bytes, *, durable: bool) -> None:
    """Put a file (0600) that holds ``data`` in the place of ``path``, whole or not at all.

    ``durable``: its content is on disk before it has the name.
    """
    temporary = _beside(path, data, 0o600, durable=durable)
    try:
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def keep(path: Path, text: str) -> None:
    """``replace`` for a momentary file of ``state/``: a disk that refuses costs nothing but the memory of it."""
    with contextlib.suppress(OSError):
        replace(path, text.encode(), durable=False)


def swap_in(temporary: Path, path: Path, expected: bytes | None) -> None:
    """Put ``temporary`` in the place of ``path``, which must hold ``expected`` (None: must not exist).

    Raises ``ChangedOnDisk`` with the person's file back in its place.
    """
    if expected is None:
        try:
            os.link(temporary, path)
        except FileExistsError:
            raise ChangedOnDisk(path) from None
        temporary.unlink()
        return
    try:
        exchange(temporary, path)
    except FileNotFoundError:
        raise ChangedOnDisk(path) from None
    if _content(temporary) != expected:
        exchange(temporary, path)
        raise ChangedOnDisk(path)
    temporary.unlink()


def take_out(path: Path, expected: bytes) -> None:
    """Remove ``path``, which must hold ``expected``; else ``ChangedOnDisk`` and the file stays."""
    aside = path.with_name(f".{path.name}{MARK}{os.getpid()}-{os.urandom(4).hex()}")
    try:
        path.rename(aside)
    except FileNotFoundError:
        raise ChangedOnDisk(path) from None
    if _content(aside) != expected:
        with contextlib.suppress(FileExistsError):
            os.link(aside, path)
        aside.unlink()
        raise ChangedOnDisk(path)
    aside.unlink()


def _content(path: Path) -> bytes | None:
    try:
        return read_bytes(path)[0]
    except OSError:
        return None


def exchange(one: Path, other: Path) -> None:
    """Exchange two names in one step; where the system cannot, rename over (a small window, see the README)."""
    if sys.platform == "linux":
        done = _renameat2(one, other)
    elif sys.platform == "darwin":
        done = _renamex(one, other)
    else:
        done = False
    if not done:
        _exchange_by_links(one, other)


def _renameat2(one: Path, other: Path) -> bool:
    import ctypes
    import errno

    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "renameat2"):
        return False
    if libc.renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.ENOSYS, errno.EINVAL):
        return False
    raise OSError(number, os.strerror(number), str(other))


def _renamex(one: Path, other: Path) -> bool:
    import ctypes
    import errno

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renamex_np(os.fsencode(one), os.fsencode(other), _EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.ENOTSUP, errno.EINVAL):
        return False
    raise OSError(number, os.strerror(number), str(other))


def _exchange_by_links(one: Path, other: Path) -> None:
    aside = one.with_name(f"{one.name}.aside")
    os.link(other, aside)
    one.replace(other)
    aside.rename(one)


def sync_directory(path: Path) -> None:
    """Force a directory's names to disk."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sweep(directory: Path, *, dead_only: bool = False) -> int:
    """Remove the temporary files that a crash left in ``directory``; returns how many.

    ``dead_only`` spares those whose maker lives: for places that are written without the lock.
    """
    gone = 0
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(directory) as entries:
        for entry in entries:
            if MARK in entry.name and not (
                dead_only and maker_lives(entry.name.rpartition(MARK)[2].partition("-")[0])
            ):
                with contextlib.suppress(FileNotFoundError):
                    Path(entry.path).unlink()
                    gone += 1
    return gone


def maker_lives(maker: str) -> bool:
    """Whether another process of this number lives; false for what is no number."""
    if not maker.isdigit():
        return False
    try:
        os.kill(int(maker), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return int(maker) != os.getpid()
