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
from pathlib import Path
from typing import Final, NamedTuple

from alice_exp.kernel.value_class import digest

MARK: Final = ".alice-tmp-"
"""Part of the name of every temporary file, by which ``sweep`` recognises them."""

OUT: Final = ".out"
"""Ends the name of a displaced file; before it stands a digest of what it is expected to contain."""

# Values of <fcntl.h> and <linux/fs.h>: RENAME_EXCHANGE on Linux and RENAME_SWAP on macOS are both 2.
_AT_FDCWD, _EXCHANGE = -100, 2

RACY_NS: Final = 20_000_000
"""A file recorded within this time (ns) of its time stamp may change again in the same tick, unnoticed."""


class ChangedOnDisk(Exception):
    """The file at ``path`` differs from what was read earlier."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.path = path


class Signature(NamedTuple):
    """What identifies an unchanged file: modification and change time (ns), size (bytes), inode."""

    mtime: int
    ctime: int
    size: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> Signature:
        """The signature of an ``lstat``."""
        return cls(status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)

    def is_older(self, at: int) -> bool:
        """Whether the file was clearly changed before ``at`` (ns), so that it cannot have changed since, unnoticed."""
        return max(self.mtime, self.ctime) < at - RACY_NS


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
            _write_all(handle, data)
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


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def replace(path: Path, data: bytes, *, durable: bool, mode: int = 0o600) -> None:
    """Replace ``path`` atomically by a file of this ``mode`` that contains ``data``.

    ``durable``: the content is fsynced before the rename, and the directory after it.
    """
    temporary = _beside(path, data, mode, durable=durable)
    try:
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    if durable:
        sync_directory(path.parent)


def create(path: Path, data: bytes) -> None:
    """Write a new file (0600) that appears whole, fsynced; ``FileExistsError`` if the name is taken."""
    sweep(path.parent, dead_only=True)
    temporary = _beside(path, data, 0o600, durable=True)
    try:
        os.link(temporary, path)
    except OSError:
        # A file system without links, as on a memory stick, or somebody has the name.
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        temporary.rename(path)
    finally:
        temporary.unlink(missing_ok=True)
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
        _write_all(handle, data)
        end = os.lseek(handle, 0, os.SEEK_CUR)
        if at is not None:
            os.utime(handle, (at, at))
        os.fsync(handle)
    finally:
        os.close(handle)
    if not size:
        sync_directory(path.parent)
    return end


def remove(path: Path) -> None:
    """Remove ``path``, fsynced; a missing file is as good as removed."""
    path.unlink(missing_ok=True)
    sync_directory(path.parent)


def sync_file(path: Path) -> None:
    """fsync a file that another program wrote."""
    sync_directory(path, os.O_NOFOLLOW)


def exchange(one: Path, other: Path) -> None:
    """Exchange two names atomically; where the system cannot, by a hard link and two renames.

    In that case a save that falls between the renames can be overwritten (``journal.md``, What is promised).
    """
    # Called through ctypes because Python offers neither; glibc has renameat2 since 2.28.
    import ctypes

    libc, names = ctypes.CDLL(None, use_errno=True), (os.fsencode(one), os.fsencode(other))
    if hasattr(libc, "renameat2"):
        done = libc.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _EXCHANGE)
    else:
        done = libc.renamex_np(*names, _EXCHANGE) if hasattr(libc, "renamex_np") else None
    number = errno.ENOTSUP if done is None else ctypes.get_errno()
    # The file system cannot exchange names (some network file systems); all else is an error.
    if done and number not in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        raise OSError(number, os.strerror(number), str(other))
    if done != 0:
        _exchange_by_links(one, other)


def _exchange_by_links(one: Path, other: Path) -> None:
    aside = one.with_name(f"{one.stem}.aside{one.suffix}")
    os.link(other, aside)
    one.replace(other)
    aside.rename(one)


def swap_in(temporary: Path, path: Path, expected: bytes | None, new: bytes) -> Path | None:
    """Put ``temporary``, which contains ``new``, in the place of ``path``, which must contain ``expected``.

    Returns the displaced file, for ``let_go``; None if ``expected`` is None: ``path`` must not exist then. Raises
    ``ChangedOnDisk``, with the other file back in its place, if it does not contain that.
    """
    if expected is None:
        try:
            # link, unlike rename, fails if the name exists: a file that a person just created is not overwritten.
            os.link(temporary, path)
        except FileExistsError:
            raise ChangedOnDisk(path) from None
        temporary.unlink()
        return None
    displaced = temporary.with_name(f"{temporary.name}-{digest(expected)}{OUT}")
    temporary.rename(displaced)
    try:
        exchange(displaced, path)
    except FileNotFoundError:
        displaced.unlink()
        raise ChangedOnDisk(path) from None
    # Compared after the exchange: a save between an earlier comparison and the rename would be lost.
    if _content(displaced) != expected:
        give_back(displaced, path, new)
        raise ChangedOnDisk(path)
    return displaced


def give_back(displaced: Path, path: Path, new: bytes) -> None:
    """Put a displaced file back in its place, where our ``new`` content stands; the latest save stays there.

    A save that came between the two exchanges comes out with the second, and is put in its place by another one.
    """
    believed = new
    while True:
        saved = _content(displaced)
        try:
            exchange(displaced, path)
        except FileNotFoundError:
            link_back(displaced, path)
            return
        if _content(displaced) == believed:
            break
        believed = saved or b""
    if not is_written(displaced):
        displaced.unlink()


def take_out(path: Path, expected: bytes) -> Path:
    """Remove ``path``, which must contain ``expected``; returns the displaced file, for ``let_go``.

    Otherwise raise ``ChangedOnDisk`` and leave the file.
    """
    name = f".{path.name}{MARK}{os.getpid()}-{os.urandom(4).hex()}-{digest(expected)}{OUT}"
    displaced = path.with_name(name)
    try:
        path.rename(displaced)
    except FileNotFoundError:
        raise ChangedOnDisk(path) from None
    if _content(displaced) != expected:
        link_back(displaced, path)
        raise ChangedOnDisk(path)
    return displaced


def link_back(displaced: Path, path: Path) -> None:
    """Put back a file that was taken out; whoever created the name again meanwhile has the newer content."""
    with contextlib.suppress(FileExistsError):
        os.link(displaced, path)
    displaced.unlink()


def is_as_expected(displaced: Path) -> bool:
    """Whether a displaced file contains what it did when it was read; false once somebody wrote into it since."""
    content = _content(displaced)
    return content is not None and digest(content) == displaced.name.rpartition("-")[2].partition(".")[0]


def let_go(displaced: Path) -> bool:
    """Remove a displaced file; False if it stays, because it contains a late save or may still receive one."""
    # In this order: once nobody has it open, what it contains is final.
    if is_written(displaced) or not is_as_expected(displaced):
        return False
    displaced.unlink(missing_ok=True)
    return True


def is_written(path: Path) -> bool:
    """Whether some process has the file open for writing; False where the system cannot tell (macOS)."""
    if sys.platform != "linux":
        return False
    import fcntl

    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        # A lease for reading is granted only while no writer has the file open; nobody opens this name meanwhile.
        fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return error.errno == errno.EAGAIN
    finally:
        os.close(handle)
    return False


def content_of(path: Path) -> bytes | None:
    """A file's bytes; None if there is none. ``OSError`` unchanged."""
    try:
        return read_bytes(path)[0]
    except FileNotFoundError:
        return None


def _content(path: Path) -> bytes | None:
    with contextlib.suppress(OSError):
        return read_bytes(path)[0]
    return None


def sync_directory(path: Path, flags: int = os.O_DIRECTORY) -> None:
    """fsync a directory, so that the names in it survive a power cut."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sweep(directory: Path, *, dead_only: bool = False) -> list[Path]:
    """Remove what is temporary and a crash left in ``directory``; returns the displaced files that stay.

    A displaced file stays if it contains something else than was read, or may still receive it (``lock``).
    ``dead_only`` spares those whose process is alive: for directories that are written without the lock.
    """
    waiting: list[Path] = []
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(directory) as entries:
        for entry in entries:
            maker = entry.name.rpartition(MARK)[2].partition("-")[0]
            if MARK in entry.name and not (dead_only and maker_lives(maker)):
                with contextlib.suppress(FileNotFoundError):
                    if entry.is_dir(follow_symlinks=False):
                        import shutil

                        shutil.rmtree(entry.path, ignore_errors=True)
                    elif not entry.name.endswith(OUT):
                        Path(entry.path).unlink()
                    elif not let_go(Path(entry.path)):
                        waiting.append(Path(entry.path))
    return waiting


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
