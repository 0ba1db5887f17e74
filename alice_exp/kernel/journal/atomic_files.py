"""File primitives of the write protocol: read whole, write beside, exchange atomically, fsync.

Content-agnostic. Every function takes absolute paths and raises ``OSError`` unchanged; ``ChangedOnDisk`` means that
somebody saved the file in between.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MARK: Final = ".alice-tmp-"
"""Part of the name of every temporary file, by which ``sweep`` recognises them."""

# Values of <fcntl.h> and <linux/fs.h>: RENAME_EXCHANGE on Linux and RENAME_SWAP on macOS are both 2.
_AT_FDCWD = -100
_EXCHANGE = 2
RACY_NS: Final = 20_000_000
"""A file recorded within this time (ns) of its time stamp may change again in the same tick, unnoticed."""


class ChangedOnDisk(Exception):
    """The file at ``path`` differs from what was read earlier."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.path = path


@dataclass(frozen=True, slots=True)
class Signature:
    """What identifies an unchanged file: modification and change time (ns), size (bytes), inode."""

    mtime: int
    ctime: int
    size: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> Signature:
        """The signature of an ``lstat``."""
        return cls(status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)


class NotAFile(OSError):
    """A symlink, FIFO, device or directory where a regular file was expected."""


def read_bytes(path: Path) -> tuple[bytes, Signature]:
    """Read a regular file: its bytes and signature. Does not follow links or block on a FIFO.

    Raises ``NotAFile`` for anything but a regular file.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if path.is_symlink():
            raise NotAFile(error.errno, "a symbolic link stands in the file's place", str(path)) from None
        raise
    try:
        # Through the handle: the name may be given to another file between open and stat.
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise NotAFile(0, "this is not a plain file", str(path))
        chunks = []
        while chunk := os.read(handle, 1 << 20):
            chunks.append(chunk)
        return b"".join(chunks), Signature.of(status)
    finally:
        os.close(handle)


def require_replaceable(path: Path) -> None:
    """Raise ``OSError`` if the system would not let go of the name ``path``: an immutable or append-only file.

    Nothing else tells before the exchange itself, which comes when the act is decided and has to succeed.
    """
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError as error:
        # EPERM, and not EACCES: a file without the permission to write may be replaced all the same.
        if error.errno == errno.EPERM:
            raise OSError(errno.EPERM, f"{path.name} is immutable", str(path)) from None


def write_beside(path: Path, data: bytes) -> Path:
    """Write ``data``, fsynced, to a temporary file beside ``path`` with the mode of ``path`` (0600 if it is new)."""
    try:
        mode = stat.S_IMODE(path.lstat().st_mode)
    except FileNotFoundError:
        mode = 0o600
    return _beside(path, data, mode, durable=True)


def _beside(path: Path, data: bytes, mode: int, *, durable: bool) -> Path:
    # In the same directory, since a rename is atomic only within one file system.
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
    """Replace ``path`` atomically by a file (0600) that contains ``data``.

    ``durable``: the content is fsynced before the rename, and the directory after it.
    """
    temporary = _beside(path, data, 0o600, durable=durable)
    try:
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    if durable:
        sync_directory(path.parent)


def append(path: Path, data: bytes, *, create: bool = True, at: float | None = None) -> int:
    """Append lines to a file (0600 if it is new), fsynced with its name; returns the offset at which they end.

    A file whose last line was cut short gets a line break first, so that only that line is lost. ``at`` sets the file's
    times (epoch seconds). Without ``create`` a missing file is a ``FileNotFoundError``.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    handle = os.open(path, flags | (os.O_CREAT if create else 0), 0o600)
    try:
        size = os.fstat(handle).st_size
        if size and os.pread(handle, 1, size - 1) != b"\n":
            data = b"\n" + data
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
        end = os.lseek(handle, 0, os.SEEK_CUR)
        if at is not None:
            os.utime(handle, (at, at))
        os.fsync(handle)
    finally:
        os.close(handle)
    if not size:
        sync_directory(path.parent)
    return end


def keep(path: Path, text: str) -> None:
    """``replace`` for a dispensable file below ``state/``: errors of the disk are ignored, no fsync."""
    with contextlib.suppress(OSError):
        replace(path, text.encode(), durable=False)


def swap_in(temporary: Path, path: Path, expected: bytes | None) -> None:
    """Put ``temporary`` in the place of ``path``, which must contain ``expected`` (None: must not exist).

    Raises ``ChangedOnDisk``, with the other file back in its place, if it does not.
    """
    if expected is None:
        try:
            # link, unlike rename, fails if the name exists: a file that a person just created is not overwritten.
            os.link(temporary, path)
        except FileExistsError:
            raise ChangedOnDisk(path) from None
        temporary.unlink()
        return
    try:
        exchange(temporary, path)
    except FileNotFoundError:
        raise ChangedOnDisk(path) from None
    # Compared after the exchange: a save between an earlier comparison and the rename would be lost.
    if _content(temporary) != expected:
        exchange(temporary, path)
        raise ChangedOnDisk(path)
    temporary.unlink()


def take_out(path: Path, expected: bytes) -> None:
    """Remove ``path``, which must contain ``expected``; otherwise raise ``ChangedOnDisk`` and leave the file."""
    aside = path.with_name(f".{path.name}{MARK}{os.getpid()}-{os.urandom(4).hex()}")
    try:
        path.rename(aside)
    except FileNotFoundError:
        raise ChangedOnDisk(path) from None
    if _content(aside) != expected:
        # Whoever created the name again meanwhile has the newer content.
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
    """Exchange two names atomically; where the system cannot, by a hard link and two renames.

    In that case a save that falls between the renames can be overwritten (``docs/journal.md``, What is promised).
    """
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

    libc = ctypes.CDLL(None, use_errno=True)
    # Called through ctypes because Python offers no renameat2; glibc has it since 2.28.
    if not hasattr(libc, "renameat2"):
        return False
    if libc.renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    # The file system cannot exchange names (some network file systems); all else is an error.
    if number in (errno.ENOSYS, errno.EINVAL):
        return False
    raise OSError(number, os.strerror(number), str(other))


def _renamex(one: Path, other: Path) -> bool:
    import ctypes

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
    """fsync a directory, so that the names in it survive a power cut."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sweep(directory: Path, *, dead_only: bool = False) -> int:
    """Remove the temporary files that a crash left in ``directory``; returns their number.

    ``dead_only`` spares those whose process is alive: for directories that are written without the lock.
    """
    removed = 0
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(directory) as entries:
        for entry in entries:
            if MARK in entry.name and not (
                dead_only and maker_lives(entry.name.rpartition(MARK)[2].partition("-")[0])
            ):
                with contextlib.suppress(FileNotFoundError):
                    Path(entry.path).unlink()
                    removed += 1
    return removed


def maker_lives(maker: str) -> bool:
    """Whether another process with this id is running; False if ``maker`` is not a number."""
    if not maker.isdigit():
        return False
    try:
        # Signal 0 only checks; a process of another user answers with PermissionError.
        os.kill(int(maker), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return int(maker) != os.getpid()
