"""One command and all its processes under the eye of a tracer: one counter over the tree, and a word at each step.

A step is a call of the table that names something in the sandbox, whoever of the tree makes it. The process stands
still before the call is carried out, and ``meet`` says what becomes of it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO

from . import kernel, program
from .syscalls import AT_FDCWD, WRITING, Call, Place

_STOPPING = (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
_LONGEST_PATH = 4096


@dataclass(frozen=True)
class Step:
    """One call on the sandbox: its name, the file in it, and how many bytes it would write where it says so."""

    name: str
    path: str
    length: int = 0


@dataclass(frozen=True)
class Ended:
    """How a command ended: the exit status of its first process (128 and the signal), its steps, what it said."""

    rc: int
    steps: tuple[Step, ...]
    output: str
    timed_out: bool


class Stop:
    """A process that stands before a step, and what can be done to it and to the tree."""

    def __init__(self, tree: Tree, process: int, call: Call, registers: kernel.Registers) -> None:
        self._tree, self._process, self._call, self._registers = tree, process, call, registers

    def kill_all(self) -> None:
        """The whole tree dies, the call is not carried out."""
        self._tree.kill()

    def kill_one(self) -> None:
        """Only the process that makes the call dies; its parent goes on."""
        os.kill(self._process, signal.SIGKILL)

    def refuse(self, error: int) -> None:
        """The call fails with this ``errno`` and does nothing."""
        self._registers.refuse(error)

    def shorten(self) -> None:
        """The call writes half of what was asked."""
        if self._call.length is not None:
            asked = self._registers.argument(self._call.length)
            self._registers.change_argument(self._call.length, max(1, asked // 2))


Meet = Callable[[int, Step, Stop], None]
"""What is asked at each step: its number from 1, the step, and the process that stands there."""


class Tree:
    """The processes of one command. Only one tree at a time: it waits for whatever child its own process has."""

    def __init__(self, under: Path, meet: Meet) -> None:
        self._under, self._meet = str(under), meet
        self._machine = kernel.machine()
        self._calls = self._machine.calls()
        self._alive: set[int] = set()
        self._doomed = False
        self._steps: list[Step] = []

    def kill(self) -> None:
        """Every process dies, those that are just being born too."""
        self._doomed = True
        for process in tuple(self._alive):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def run(
        self, command: program.Program, where: Path, environment: Mapping[str, str], timeout: float
    ) -> Ended:
        """Run a command to its end and the end of all that it started; ``Unable`` where it cannot be followed."""
        with tempfile.TemporaryFile() as said, _followed(command, where, environment, said) as started:
            self._alive.add(started.process)
            with _alarm(timeout, self.kill) as rung:
                started.open_gate()
                status = self._until_all_ended(started.process)
            started.require_start()
            said.seek(0)
            return Ended(status, tuple(self._steps), said.read().decode("utf-8", "replace"), bool(rung))

    def _until_all_ended(self, first: int) -> int:
        """The kernel knows when nobody is left: a child whose parent dies as it bears it is not in our books yet."""
        ended = 0
        while True:
            try:
                process, status = os.waitpid(-1, kernel.CHILDREN_OF_ANY_KIND)
            except ChildProcessError:
                return ended
            if os.WIFSTOPPED(status):
                self._alive.add(process)
                with suppress(ProcessLookupError):
                    self._stopped(process, os.WSTOPSIG(status), status >> 16)
                continue
            self._alive.discard(process)
            if process == first:
                ended = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)

    def _stopped(self, process: int, number: int, event: int) -> None:
        """A process stands still for one of five reasons; all but one are none of ours."""
        if self._doomed:
            os.kill(process, signal.SIGKILL)
        elif event == kernel.EVENT_FILTER:
            self._at_call(process)
        elif event == kernel.EVENT_STOP and number in _STOPPING:
            kernel.stay_stopped(process)
        elif event:
            if event == kernel.EVENT_EXEC and (thread := kernel.event_message(process)) != process:
                self._alive.discard(thread)
            kernel.go_on(process)
        else:
            kernel.go_on(process, number)

    def _at_call(self, process: int) -> None:
        registers = kernel.Registers(self._machine, process)
        call = self._calls[registers.number]
        path = self._touched(process, call, registers)
        if path is not None:
            length = 0 if call.length is None else registers.argument(call.length)
            self._steps.append(Step(call.name, path, length))
            self._meet(len(self._steps), self._steps[-1], Stop(self, process, call, registers))
        kernel.go_on(process)

    def _touched(self, process: int, call: Call, registers: kernel.Registers) -> str | None:
        """The path in the sandbox that a call is about; ``None`` where it changes nothing there."""
        try:
            if call.flags is not None and not _flags(process, call, registers) & WRITING:
                return None
            for place in call.places:
                path = _named(process, place, registers)
                if path == self._under or path.startswith(self._under + "/"):
                    return os.path.relpath(path, self._under)
        except OSError:  # no such descriptor, no such memory: the call itself will fail
            pass
        return None


def _flags(process: int, call: Call, registers: kernel.Registers) -> int:
    value = registers.argument(call.flags or 0)
    return int.from_bytes(kernel.memory(process, value, 4), "little") if call.flags_behind else value


def _named(process: int, place: Place, registers: kernel.Registers) -> str:
    path = ""
    if place.path is not None:
        held = kernel.memory(process, registers.argument(place.path), _LONGEST_PATH)
        path = os.fsdecode(held.partition(b"\0")[0])
        if path.startswith("/"):
            return os.path.normpath(path)
    base = "cwd"
    if place.descriptor is not None:
        descriptor = ctypes.c_int(registers.argument(place.descriptor) & 0xFFFFFFFF).value
        base = base if descriptor == AT_FDCWD else f"fd/{descriptor}"
    return os.path.normpath(f"{Path(f'/proc/{process}/{base}').readlink()}/{path}")


# -- the first process ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Started:
    """The first process: it waits at a gate until it is followed, and reports where it could not become the command."""

    process: int
    gate: int
    report: int

    def open_gate(self) -> None:
        os.write(self.gate, b"\n")

    def require_start(self) -> None:
        if told := os.read(self.report, _LONGEST_PATH).decode():
            raise kernel.Unable(f"the command cannot be started under a filter here: {told}")


@contextmanager
def _followed(
    command: program.Program, where: Path, environment: Mapping[str, str], said: IO[bytes]
) -> Iterator[_Started]:
    """A child that will become the command, followed from its first step on."""
    waiting, gate = os.pipe()
    report, telling = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(gate)
        _become(command, where, environment, said.fileno(), waiting, telling)
    os.close(telling)
    try:
        try:
            kernel.seize(child)
        except kernel.Unable:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise
        yield _Started(child, gate, report)
    finally:
        for descriptor in (waiting, gate, report):
            os.close(descriptor)


def _become(
    command: program.Program,
    where: Path,
    environment: Mapping[str, str],
    said: int,
    waiting: int,
    telling: int,
) -> None:
    """The child's own part: never returns."""
    try:
        os.setpgid(0, 0)
        program.stand(where, said)
        if isinstance(command, str):  # Python ignores them; another command starts without that
            for number in (signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(number, signal.SIG_DFL)
        os.read(waiting, 1)
        kernel.filter_calls(kernel.machine())
        program.execute(command, environment)
    except BaseException as fault:
        os.write(telling, str(fault).encode())
    finally:
        os._exit(126)


@contextmanager
def _alarm(seconds: float, ring: Callable[[], None]) -> Iterator[list[bool]]:
    """Call ``ring`` once the time is over; what is yielded is true from then on."""
    rung: list[bool] = []

    def over(number: int, frame: FrameType | None) -> None:
        rung.append(True)
        ring()

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield rung
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
