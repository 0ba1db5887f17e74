"""Where homes that live for a second are made: in memory, if this machine has a file system for that with room."""

import os
import shutil
from pathlib import Path

_MEMORY = Path("/dev/shm")
_ROOM = 2**30
"""As many bytes have to be free."""


def in_memory() -> Path | None:
    """A directory in memory, where programs may lie too; nothing where somebody chose a place or there is none."""
    if "TMPDIR" in os.environ or not os.access(_MEMORY, os.W_OK):
        return None
    has_programs = not os.statvfs(_MEMORY).f_flag & os.ST_NOEXEC
    return _MEMORY if has_programs and shutil.disk_usage(_MEMORY).free > _ROOM else None
