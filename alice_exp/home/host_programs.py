"""The processes above this one, and which is the program of an agent's host: by executable and arguments, never by a
mere word."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from alice_exp.home.hosts import KNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from alice_exp.home.hosts import Host


_RUNTIMES = ("node", "nodejs", "bun", "deno", "python")
_TAKES_VALUE = frozenset(
    ("-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "-W", "-X")
)
_CODE = frozenset(("-e", "-p", "-c", "--eval", "--print"))
_VERBS = frozenset(("run", "x", "--"))


class Process(NamedTuple):
    """A process: its executable's path and its arguments; empty where they cannot be read."""

    pid: int
    executable: str = ""
    arguments: tuple[str, ...] = ("",)

    @property
    def shown(self) -> str:
        """A few words by which a person knows it."""
        return " ".join(" ".join(self.arguments[:2]).split())[:60] or self.executable


def host_of(process: Process) -> Host | None:
    """The host whose program this is; None for every other.

    Some programs give themselves a title, which then stands in the place of the arguments.
    """
    title = process.arguments[0]
    executable = process.executable.removesuffix(" (deleted)") or title
    told = [executable]
    if _base(executable).lower().rstrip("0123456789.") in _RUNTIMES:
        told += [title.partition(" ")[0], *_script(process.arguments[1:])]
    return next((host for host in KNOWN if any(_is_of(host, one) for one in told)), None)


def _is_of(host: Host, told: str) -> bool:
    return _base(told) in host.agents or any(part in told for part in host.packages)


def _base(path: str) -> str:
    """The name of a program without its folder, and without what a packager put around it."""
    return path.rpartition("/")[2].removesuffix("-wrapped").lstrip(".")


def _script(arguments: Sequence[str]) -> Iterator[str]:
    """What a runtime was told to run: the path of a script, or ``-m MODULE.``, as the table has it."""
    rest = iter(arguments)
    for argument in rest:
        if argument in _CODE:
            return
        if argument in _TAKES_VALUE:
            next(rest, "")
        elif argument == "-m":
            yield f"-m {next(rest, '')}."
            return
        elif argument not in _VERBS and not argument.startswith("-"):
            yield argument
            return


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
