"""Walk every step of real commands and interrupt each: ``python tests/crash/matrix.py --all`` (``make crash``).

Drives ``shared/tools/crashmatrix.py`` (env ``ALICE_CRASHMATRIX`` names another place) scene by scene and mode by mode,
and prints one line each; exit 1 where anything was lost.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from scenes import ROOT, SCENES, environment

TOOL = Path(os.environ.get("ALICE_CRASHMATRIX", ROOT.parent / "shared/tools/crashmatrix.py"))
MODES = ("kill", "kill-one", "errno:ENOSPC", "errno*:ENOSPC", "short")
MAIN = ("memorize", "approve", "outcome")


@dataclass(frozen=True)
class Walked:
    """One scene in one mode: how many steps were interrupted, which were not survived, how long it took (seconds)."""

    scene: str
    mode: str
    points: int
    failures: tuple[str, ...]
    seconds: float


def walk(name: str, mode: str, every: int = 1) -> Walked:
    """Interrupt each ``every``-th step of one scene's command in one mode; ``RuntimeError`` where the tool fails."""
    here, python, began = Path(__file__).parent, shlex.quote(sys.executable), time.monotonic()
    scene = SCENES[name]
    with tempfile.TemporaryDirectory(prefix="alice-crash-") as scratch:
        rows = Path(scratch) / "rows.json"
        root = "$CM_DIR"
        given = f'HOME="{root}" ALICE_HOME="{root}/alice" ALICE_ACTOR={scene.actor}'
        command = f"{given} exec {python} -m alice_exp {scene.command}"
        done = subprocess.run(
            [
                sys.executable,
                str(TOOL),
                "--mode",
                mode,
                "--every",
                str(every),
                "--tmp",
                scratch,
                "--json",
                str(rows),
                "--setup",
                f"{python} {shlex.quote(str(here / 'scenes.py'))} {name}",
                "--cmd",
                command,
                "--check",
                f"{python} {shlex.quote(str(here / 'check_home.py'))} {name}",
                "--quiet",
            ],
            env=environment(Path(scratch)),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode not in (0, 1) or not rows.exists():
            raise RuntimeError(f"{name} {mode}: {done.stdout}{done.stderr}")
        walked = json.loads(rows.read_text(encoding="utf-8"))
    failures = tuple(
        f"{row['n']} {row['syscall']} {row['path']} (rc {row['rc']}): {' '.join(row['why'].splitlines()[-1:])}"
        for row in walked
        if not row["survived"]
    )
    return Walked(name, mode, len(walked), failures, time.monotonic() - began)


def main() -> int:
    """Walk what the options name and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--all", action="store_true", help="every scene, every mode, every step")
    parser.add_argument("--scene", action="append", choices=SCENES, help="one scene; may be repeated")
    parser.add_argument("--mode", action="append", help="one mode; may be repeated")
    parser.add_argument("--every", type=int, default=1, help="every K-th step only")
    given = parser.parse_args()
    scenes = given.scene or (list(SCENES) if given.all else list(MAIN))
    failed = 0
    print(f"{'scene':26}{'mode':16}{'points':>7}{'survived':>10}{'seconds':>9}")
    for name in scenes:
        for mode in given.mode or MODES:
            done = walk(name, mode, given.every)
            failed += len(done.failures)
            survived = done.points - len(done.failures)
            print(f"{name:26}{mode:16}{done.points:7}{survived:10}{done.seconds:9.1f}", flush=True)
            for line in done.failures:
                print(f"    {line}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
