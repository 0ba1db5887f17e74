"""A disk whose power can be cut: a file system in a file, mounted, told to forget all that was not forced to it.

ext4 has a call for that (``EXT4_IOC_SHUTDOWN``): from then on nothing more reaches the disk, not even its journal. The
next mount reads the journal as it would after a real cut. It takes root and a loop device.
"""

import fcntl
import os
import shutil
import struct
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from .kernel import Unable, mounts_of_our_own

_PROGRAMS = ("mkfs.ext4", "mount", "umount", "cp")
_SHUTDOWN, _WITHOUT_ITS_JOURNAL = 0x8004587D, 2
_BYTES = 64 * 2**20
_OPTIONS = "loop,commit=600"
"""The journal is not written by the clock: what is on the disk is there because somebody asked for it."""

_LET_GO = 5.0
"""Seconds that the kernel is given to let go of a disk."""


class Disk:
    """One disk as ``setup`` left it, and a fresh copy of it for each run. Only in a process that it may have mounts in."""

    def __init__(self, scratch: Path, setup: Callable[[Path], None], size: int = _BYTES) -> None:
        require()
        self._scratch, self._master, self._place = scratch, scratch / "master.img", scratch / "run"
        self._copies = 0
        self._image = self._master
        self._place.mkdir()
        with self._master.open("wb") as image:
            image.truncate(size)
        _call("mkfs.ext4", "-q", "-F", str(self._master))
        self._mount()
        try:
            self.sandbox.mkdir()
            setup(self.sandbox)
        finally:
            self.release()

    @property
    def sandbox(self) -> Path:
        """Where the command runs: a directory on the disk."""
        return self._place / "sandbox"

    def fresh(self) -> Path:
        """A new copy of the disk, mounted. Each has a name of its own: the kernel may hold on to the one before."""
        self._copies += 1
        self._image = self._scratch / f"copy-{self._copies}.img"
        _call("cp", "--reflink=auto", str(self._master), str(self._image))
        self._mount()
        return self.sandbox

    def cut(self) -> None:
        """The power goes and comes back: what was not forced to the disk is gone."""
        place = os.open(self._place, os.O_RDONLY)
        try:
            fcntl.ioctl(place, _SHUTDOWN, struct.pack("I", _WITHOUT_ITS_JOURNAL))
        finally:
            os.close(place)
        self._unmount()
        self._mount()

    def release(self) -> None:
        """Let go of the disk; a copy is thrown away."""
        self._unmount()
        if self._image != self._master:
            self._image.unlink()

    def _unmount(self) -> None:
        """A process that was killed is gone before the kernel has let go of all that it held: it is asked for again."""
        until = time.monotonic() + _LET_GO
        while True:
            try:
                _call("umount", str(self._place))
            except Unable:
                if time.monotonic() > until:
                    raise
                time.sleep(0.01)
            else:
                return

    def _mount(self) -> None:
        _call("mount", "-t", "ext4", "-o", _OPTIONS, str(self._image), str(self._place))


def require() -> None:
    """``Unable`` where nobody but root may, or a program is missing; from here on this process has its own mounts."""
    if os.geteuid() != 0:
        raise Unable("the power is cut on a loop mount, which takes root")
    missing = [name for name in _PROGRAMS if shutil.which(name) is None]
    if missing:
        raise Unable(f"no {missing[0]} here")
    mounts_of_our_own()


def attempt(scratch: Path) -> None:
    """Cut the power of a small disk, to see whether this machine lets us; ``Unable`` says why not."""
    disk = Disk(scratch, lambda _: None, size=8 * 2**20)
    disk.fresh()
    try:
        disk.cut()
    except OSError as fault:
        raise Unable(f"a file system cannot be shut down here: {fault.strerror}") from fault
    finally:
        disk.release()


def _call(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Unable(f"{words[0]} is refused here: {(done.stdout + done.stderr).strip()}")
