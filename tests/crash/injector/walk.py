"""From step to step: a fresh sandbox, the command with a fault at one step, then the check that says what survived.

The three commands are a shell's, or functions (``program``), and run in the sandbox. They see ``CM_DIR``, ``CM_MODE``, ``CM_N`` (the step, 0 in the
undisturbed run) and ``CM_TOTAL`` (how many there are, 0 while unknown); the check also sees ``CM_RC``, the command's
exit status (137 when it was killed, 124 when it did not end), and ``CM_ACKED``, which is 1 when it reported success.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from . import faults, powercut, program
from .tracer import Ended, Step, Stop, Tree

_SETTLED = 0.1
"""Seconds after which a file is no longer one that may be written to in the same tick of the clock."""
_SAID = 400
"""As much of what a check says is kept."""


class Failed(Exception):
    """There is nothing to interrupt: the setup, the undisturbed command or its check failed."""


@dataclass(frozen=True)
class Task:
    """What to walk: three commands, a mode, every how many steps (or the one step ``only``), and the time for a run."""

    command: program.Program
    check: program.Program
    setup: program.Program = ""
    mode: str = "kill"
    every: int = 1
    only: int = 0
    timeout: float = 60


@dataclass(frozen=True)
class Row:
    """One interrupted run: where, how the command ended, what the check found, and all that the command said."""

    n: int
    syscall: str
    path: str
    rc: int
    survived: bool
    why: str
    output: str = ""


@dataclass(frozen=True)
class Walked:
    """A whole walk: the steps of the undisturbed run, and a row for each that was interrupted."""

    mode: str
    steps: tuple[Step, ...]
    rows: tuple[Row, ...]


class Sandbox(Protocol):
    """Where a command runs: the same each time."""

    def fresh(self) -> Path: ...

    def cut(self) -> None: ...

    def release(self) -> None: ...


class Folder:
    """A plain directory, copied for each run."""

    def __init__(self, scratch: Path, task: Task) -> None:
        self._master, self._next, self._copy = scratch / "master", scratch / "next", scratch / "run"
        self._master.mkdir()
        _set_up(task, self._master)
        self._make_next()
        time.sleep(_SETTLED)

    def fresh(self) -> Path:
        """A new copy, made one run ahead."""
        self._next.rename(self._copy)
        self._make_next()
        return self._copy

    def cut(self) -> None:
        """A directory has no power of its own."""

    def release(self) -> None:
        """Throw the copy away."""
        shutil.rmtree(self._copy)

    def _make_next(self) -> None:
        shutil.copytree(self._master, self._next, symlinks=True)


def walk(task: Task, scratch: Path | None = None) -> Walked:
    """Interrupt the command at each step that the mode can happen at; ``Failed`` or ``Unable`` where it cannot begin."""
    fault = faults.named(task.mode)
    with tempfile.TemporaryDirectory(prefix="injector-", dir=scratch) as made:
        place = Path(made).resolve()
        sandbox: Sandbox = (
            powercut.Disk(place, lambda inside: _set_up(task, inside)) if fault.cuts else Folder(place, task)
        )
        ended, row = _one(task, fault, sandbox, 0, 0)
        if ended.rc or not (row.survived or fault.cuts == "at the end"):
            raise Failed(f"the undisturbed command ended with {row.rc}, its check: {row.why}\n{ended.output}")
        if fault.cuts == "at the end":
            return Walked(task.mode, ended.steps, (row,))
        return Walked(task.mode, ended.steps, tuple(_each(task, fault, sandbox, ended.steps)))


def _each(task: Task, fault: faults.Fault, sandbox: Sandbox, steps: tuple[Step, ...]) -> Iterator[Row]:
    possible = [number for number, step in enumerate(steps, 1) if step.length > 1 or not fault.writes]
    chosen = possible[(task.every - 1) // 2 :: task.every]  # in the middle: the first steps only read
    for number in [task.only] if task.only else chosen:
        ended, row = _one(task, fault, sandbox, number, len(steps))
        if len(ended.steps) >= number:  # a run that made fewer steps than the first was not interrupted
            yield row


def _one(task: Task, fault: faults.Fault, sandbox: Sandbox, number: int, total: int) -> tuple[Ended, Row]:
    """One run with the fault at one step, 0 for none."""

    def meet(reached: int, step: Step, stop: Stop) -> None:
        if number and (reached == number or (fault.lasts and reached > number)):
            fault.do(stop)

    with _in(sandbox) as inside:
        told = _told(task, inside) | {"CM_N": str(number), "CM_TOTAL": str(total)}
        ended = Tree(inside, meet).run(task.command, inside, told, task.timeout)
        if fault.cuts == "at the end" or (fault.cuts and number):
            sandbox.cut()
        rc = 124 if ended.timed_out else ended.rc
        told |= {"CM_RC": str(rc), "CM_ACKED": str(int(rc == 0))}
        code, found = program.run(task.check, inside, told)
        step = ended.steps[number - 1] if 0 < number <= len(ended.steps) else Step("", "")
        return ended, Row(number, step.name, step.path, rc, code == 0, found[-_SAID:].strip(), ended.output)


@contextmanager
def _in(sandbox: Sandbox) -> Iterator[Path]:
    try:
        yield sandbox.fresh()
    finally:
        sandbox.release()


def _set_up(task: Task, inside: Path) -> None:
    code, said = program.run(task.setup, inside, _told(task, inside)) if task.setup else (0, "")
    if code:
        raise Failed(f"the setup failed: {said.strip()}")


def _told(task: Task, inside: Path) -> dict[str, str]:
    """The environment; Python's own helps that the same command makes the same steps."""
    same = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
    mine = {"CM_DIR": str(inside), "CM_MODE": task.mode, "CM_N": "0", "CM_TOTAL": "0"}
    return dict(os.environ) | same | mine
