"""Walk every step of real commands and interrupt each: ``python -m tests.crash.matrix --all`` (``make crash``).

Drives ``tests/crash/injector`` scene by scene and mode by mode, prints one line each, and with ``--results FILE`` keeps
the figures there; exit 1 where anything was lost.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from scenes import ROOT, SCENES, environment

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


@cache
def why_not(mode: str) -> str:
    """Why this machine cannot walk in a mode; empty where it can."""
    done = _injector("--can", "--mode", mode)
    if done.returncode not in (0, _UNABLE):
        raise RuntimeError(f"{mode}: {done.stdout}{done.stderr}")
    return done.stdout.strip() if done.returncode else ""


def walk(name: str, mode: str, every: int = 1) -> Walked:
    """Interrupt each ``every``-th step of one scene's command in one mode; ``RuntimeError`` where that cannot begin."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="alice-crash-") as scratch:
        found = Path(scratch) / "found.json"
        given = {"--mode": mode, "--every": str(every), "--scratch": scratch, "--json": str(found)}
        words = [word for pair in (given | _commands(name)).items() for word in pair]
        done = _injector(*words, environment=environment(Path(scratch)))
        if not found.exists():
            raise RuntimeError(f"{name} {mode}: {done.stdout}{done.stderr}")
        walked = json.loads(found.read_text(encoding="utf-8"))
    failures = tuple(
        f"{row['n']} {row['syscall']} {row['path']} (rc {row['rc']}): {' | '.join(row['why'].splitlines()[-2:])}"
        for row in walked["rows"]
        if not row["survived"]
    )
    return Walked(name, mode, len(walked["rows"]), len(walked["steps"]), failures, time.monotonic() - began)


def _injector(*words: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """The injector in a process of its own: it waits for every child that its process has, and mounts for itself."""
    return subprocess.run(
        [sys.executable, "-m", "tests.crash.injector", *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def _commands(name: str) -> dict[str, str]:
    """What builds a scene, what is interrupted, and what looks at the rest."""
    here, python, scene = Path(__file__).parent, shlex.quote(sys.executable), SCENES[name]
    given = f'HOME="$CM_DIR" ALICE_HOME="$CM_DIR/alice" ALICE_ACTOR={scene.actor}'
    program = shlex.quote(str(here / scene.program)) if scene.program else "-m alice_exp"
    command = f"{given} exec {python} {program} {scene.command}"
    if scene.script:
        script = f"{python} {shlex.quote(str(here / scene.script))}"
        setup, check = f"{script} --build", f"{script} --check"
    else:
        setup = f"{python} {shlex.quote(str(here / 'scenes.py'))} {name}"
        check = f"{python} {shlex.quote(str(here / 'check_home.py'))} {name}"
    return {"--setup": setup, "--command": command, "--check": check}


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
    row[done.mode] = f"{done.points - len(done.failures)}/{done.points}"
    if done.mode == "kill" or not row.get("steps", "").isdigit():
        row["steps"] = str(done.steps)
    path.write_text(written_results(found), encoding="utf-8")


def main() -> int:
    """Walk what the options name and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--all", action="store_true", help="every scene, every mode, every step")
    parser.add_argument("--scene", action="append", choices=SCENES, help="one scene; may be repeated")
    parser.add_argument("--mode", action="append", help="one mode; may be repeated")
    parser.add_argument("--every", type=int, default=1, help="every K-th step only")
    parser.add_argument(
        "--results", type=Path, nargs="?", const=RESULTS, help=f"keep the figures (in {RESULTS.name})"
    )
    given = parser.parse_args()
    failed = 0
    print(f"{'scene':26}{'mode':16}{'points':>7}{'survived':>10}{'seconds':>9}")
    for name in given.scene or (list(SCENES) if given.all else list(MAIN)):
        for mode in given.mode or MODES:
            failed += _one(name, mode, given.every, given.results)
    return int(failed > 0)


def _one(name: str, mode: str, every: int, results: Path | None) -> int:
    """Walk, print, keep; how many steps were not survived."""
    if SCENES[name].lacks():
        print(f"{name:26}{mode:16} skipped: {SCENES[name].lacks()} is not installed", flush=True)
        return 0
    if why_not(mode):
        print(f"{name:26}{mode:16} skipped: {why_not(mode)}", flush=True)
        return 0
    done = walk(name, mode, every)
    survived = done.points - len(done.failures)
    print(f"{name:26}{mode:16}{done.points:7}{survived:10}{done.seconds:9.1f}", flush=True)
    for line in done.failures:
        print(f"    {line}", flush=True)
    if results is not None:
        keep(results, done)
    return len(done.failures)


if __name__ == "__main__":
    sys.exit(main())
