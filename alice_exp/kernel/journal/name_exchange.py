"""Exchanges two names of files in one step, as the write protocol needs it; ``OSError`` unchanged."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

# Values of <fcntl.h> and <linux/fs.h>: RENAME_EXCHANGE on Linux and RENAME_SWAP on macOS are both 2.
_AT_FDCWD = -100
_EXCHANGE = 2


def exchange(one: Path, other: Path) -> None:
    """Exchange two names atomically; where the system cannot, by a hard link and two renames.

    In that case a save that falls between the renames can be overwritten (``journal.md``, What is promised).
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
    aside = one.with_name(f"{one.stem}.aside{one.suffix}")
    os.link(other, aside)
    one.replace(other)
    aside.rename(one)
