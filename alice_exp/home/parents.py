"""The processes above this one, up to the first of the machine: by ``/proc``, by ``ps`` where there is none."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from alice_exp.home.host_programs import Process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PS = "/bin/ps"
_PATIENCE = 5.0

Found = tuple[Process, int]
"""A process and the id of its parent; 0: none that can be seen from here."""


def parents() -> Iterator[Process]:
    """This process, its parent and so on; it ends where nothing more can be read."""
    look_up: Callable[[int], Found | None] = _of_proc if sys.platform == "linux" else _of_ps()
    pid, met = os.getpid(), set[int]()
    while pid > 0 and pid not in met:
        met.add(pid)
        found = look_up(pid)
        if found is None:
            return
        yield found[0]
        pid = found[1]


def _of_proc(pid: int) -> Found | None:
    # The name in brackets may hold anything, brackets and blanks too; a program chooses it, so that it tells nothing.
    _, closed, rest = _read(f"/proc/{pid}/stat").rpartition(")")
    if not closed:
        return None
    try:
        executable = os.readlink(f"/proc/{pid}/exe")  # noqa: PTH115
    except OSError:
        executable = ""  # another user's, or the kernel's
    arguments = _read(f"/proc/{pid}/cmdline").rstrip("\0").split("\0")
    return Process(pid, executable, tuple(arguments)), int(rest.split()[1])


def _read(path: str) -> str:
    try:
        return os.fsdecode(Path(path).read_bytes())
    except OSError:
        return ""


def _of_ps() -> Callable[[int], Found | None]:
    """All processes at once. It tells no executable, and parts arguments that hold a blank."""
    import subprocess

    command = (_PS, "-axww", "-o", "pid=,ppid=,args=")
    try:
        told = subprocess.run(
            command, capture_output=True, timeout=_PATIENCE, check=False, env={"LC_ALL": "C"}
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        told = b""
    rows = [line.split() for line in os.fsdecode(told).splitlines()]
    found = {int(row[0]): (Process(int(row[0]), "", tuple(row[2:])), int(row[1])) for row in rows if row[1:]}
    return found.get
