"""Walk every step of real commands and interrupt each: ``python -m tests.crash.matrix --all`` (``make crash``).

Drives ``tests/crash/injector`` scene by scene and mode by mode, prints one line each, and with ``--results FILE`` keeps
the figures there; exit 1 where anything was lost. A command is forked from a process that has imported the product, and
makes the steps that a new one makes (a test compares them); ``--cold`` starts a new one each time, five times as slow.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from scenes import ROOT, SCENES

from tests.in_memory import in_memory

from .walker import Asked, Walker

MODES = (
    "kill",
    "kill-one",
    "errno:ENOSPC",
    "errno*:ENOSPC",
    "errno:EIO",
    "short",
    "powercut",
    "powercut-end",
)
MAIN = (
    "memorize",
    "approve",
    "reply",
    "decision",
    "heartbeat",
    "event",
    "purge",
    "sync",
    "extract",
    "prune",
    "distill",
    "import",
)
"""The acts that a home stands on, as issue 8 names them; ``outcome`` of a block and recovery itself come with --all."""

RESULTS = Path(__file__).with_name("RESULTS.md")
WALKED = ROOT / ".crash-walked.json"
"""The cells that were survived, and on which code, so that a walk goes on where it was left (``--resume``)."""

_UNABLE = 3
"""How the injector ends where the machine cannot do what a mode needs."""


@dataclass(frozen=True)
class Walked:
    """One scene in one mode: how many of its steps were interrupted, what was not survived, how long it took (s)."""

    scene: str
    mode: str
    points: int
    steps: int
    failures: tuple[str, ...]
    seconds: float

    @property
    def survived(self) -> int:
        """How many steps; one that could not be walked is a failure without a step."""
        return max(0, self.points - len(self.failures))


def why_not(mode: str) -> str:
    """Why this machine cannot walk in a mode; empty where it can."""
    return _why_not("powercut" if mode.startswith("powercut") else "kill")


@cache
def _why_not(mode: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash.injector", "--can", "--mode", mode],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, _UNABLE):
        raise RuntimeError(f"{mode}: {done.stdout}{done.stderr}")
    return done.stdout.strip() if done.returncode else ""


def walk(walker: Walker, name: str, mode: str, every: int = 1, *, cold: bool = False) -> Walked:
    """Interrupt each ``every``-th step of one scene's command; where that cannot begin, this is the one failure."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="alice-crash-", dir=in_memory()) as scratch:
        found = walker.walk(Asked(name, mode, every, scratch, cold))
    rows, steps = found.get("rows", ()), found.get("steps", ())
    failures = [
        f"{row['n']} {row['syscall']} {row['path']} (rc {row['rc']}): {' | '.join(row['why'].splitlines()[-2:])}"
        for row in rows
        if not row["survived"]
    ]
    failures += [f"not walked: {found['error']}"] if "error" in found else []
    return Walked(name, mode, len(rows), len(steps), tuple(failures), time.monotonic() - began)


# -- the figures ----------------------------------------------------------------------------------------------------

_HEAD = """# Crash matrix: what was interrupted, and what survived

Written by `python -m tests.crash.matrix --results` (`make crash`). A cell is `survived/interrupted`: each of that many
file-system calls of the command was met by a kill of the whole process tree, a kill of the one process, an error of the
disk once or for good, a write cut short, or a power cut (ext4, everything unflushed is gone); then the next command ran,
and the home had to be whole: the act there under its author or not begun, git content, nothing left behind.
`powercut-end` cuts the power after the command said that it was done. `steps` is how many calls the command makes;
`short` meets those of them that write more than one byte. A cell stays as it was last walked: one that no run has walked
since a change speaks of the code before it (`make crash` walks them all).

"""


def read_results(path: Path) -> dict[str, dict[str, str]]:
    """The figures that a file holds: a scene's cells by mode, ``steps`` among them."""
    if not path.exists():
        return {}
    rows = [
        line.strip("| ").split(" | ") for line in path.read_text(encoding="utf-8").splitlines() if "|" in line
    ]
    names = [cell.strip(" `") for cell in rows[0]]
    return {
        row[0].strip(" `"): dict(zip(names[1:], (cell.strip() for cell in row[1:]), strict=True))
        for row in rows[2:]
    }


def written_results(found: dict[str, dict[str, str]]) -> str:
    """The table as Markdown, scenes and modes in their order."""
    names = ("command", "steps", *MODES)
    lines = ["| " + " | ".join(f"`{name}`" if name in MODES else name for name in names) + " |"]
    lines.append("|" + "---|" * len(names))
    for scene in sorted(found, key=list(SCENES).index):
        cells = (found[scene].get(name, "") or "–" for name in names[1:])
        lines.append(f"| `{scene}` | " + " | ".join(cells) + " |")
    return _HEAD + "\n".join(lines) + "\n"


def keep(path: Path, done: Walked) -> None:
    """One more figure into the file; what it holds of other scenes and modes stays."""
    found = read_results(path)
    row = found.setdefault(done.scene, {})
    row[done.mode] = f"{done.survived}/{done.points}"
    if done.mode == "kill" or not row.get("steps", "").isdigit():
        row["steps"] = str(done.steps)
    path.write_text(written_results(found), encoding="utf-8")


def code() -> str:
    """What names the product's code: its tree in git, or nothing where it has changed since the last commit."""

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=ROOT, capture_output=True, text=True, check=False
        ).stdout.strip()

    return "" if git("status", "--porcelain", "alice_exp") else git("rev-parse", "HEAD:alice_exp")


class Log:
    """The cells that were survived whole on this code."""

    def __init__(self, path: Path) -> None:
        self._path, self._code = path, code()
        kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        self.cells: list[str] = kept.get("cells", []) if kept.get("code") == self._code != "" else []

    def add(self, done: Walked) -> None:
        """One more."""
        self.cells.append(f"{done.scene} {done.mode}")
        self._path.write_text(
            json.dumps({"code": self._code, "cells": self.cells}, indent=1), encoding="utf-8"
        )


# -- the command line -----------------------------------------------------------------------------------------------


def main() -> int:
    """Walk what the options name and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--all", action="store_true", help="every scene, every mode, every step")
    parser.add_argument("--scene", action="append", choices=SCENES, help="one scene; may be repeated")
    parser.add_argument("--mode", action="append", help="one mode; may be repeated")
    parser.add_argument("--every", type=int, default=1, help="every K-th step only")
    parser.add_argument("--jobs", type=int, default=1, help="as many scenes side by side")
    parser.add_argument(
        "--cold", action="store_true", help="a new interpreter for each command and each check"
    )
    parser.add_argument(
        "--resume", action="store_true", help=f"not what was survived on this code before ({WALKED.name})"
    )
    parser.add_argument(
        "--results", type=Path, nargs="?", const=RESULTS, help=f"keep the figures (in {RESULTS.name})"
    )
    given = parser.parse_args()
    log = Log(WALKED)
    cells = [
        (name, mode)
        for name in given.scene or (list(SCENES) if given.all else list(MAIN))
        for mode in given.mode or MODES
        if not (given.resume and f"{name} {mode}" in log.cells)
    ]
    print(f"{'scene':26}{'mode':16}{'points':>7}{'survived':>10}{'seconds':>9}")
    return int(_walk_all(cells, log, given) > 0)


def _walk_all(cells: Sequence[tuple[str, str]], log: Log, given: argparse.Namespace) -> int:
    """Walk, print, keep; how many steps were not survived."""
    local, writing, walkers = threading.local(), threading.Lock(), []

    def begin() -> None:
        local.walker = Walker()
        walkers.append(local.walker)

    def one(cell: tuple[str, str]) -> int:
        name, mode = cell
        lacks = f"{SCENES[name].lacks()} is not installed" if SCENES[name].lacks() else why_not(mode)
        if lacks:
            print(f"{name:26}{mode:16} skipped: {lacks}", flush=True)
            return 0
        done = walk(local.walker, name, mode, given.every, cold=given.cold)
        with writing:
            print(f"{name:26}{mode:16}{done.points:7}{done.survived:10}{done.seconds:9.1f}", flush=True)
            for line in done.failures:
                print(f"    {line}", flush=True)
            if given.results is not None:
                keep(given.results, done)
            if given.every == 1 and not done.failures:
                log.add(done)
        return len(done.failures)

    with ThreadPoolExecutor(given.jobs, initializer=begin) as pool:
        lost = sum(pool.map(one, cells))
    for walker in walkers:
        walker.close()
    return lost


if __name__ == "__main__":
    sys.exit(main())
