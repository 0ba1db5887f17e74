"""Walks scenes in forks of a process that has imported the product once: ``python -m tests.crash.walker``.

Each line of its input is one walk as JSON, each line of its output what was found. The process itself only imports:
whatever a scene runs, it runs in a process of its own, at the point where a fresh interpreter would begin to run it.
With a scene's name and ``setup`` or ``check`` it plays that part alone, in ``$CM_DIR``, and exits 1 where something was lost.
"""

import gc
import importlib
import json
import os
import pkgutil
import shlex
import subprocess
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import check_home
import scenes

from .injector import walk

HERE = Path(__file__).parent
Found = dict[str, Any]
"""``steps``: name and path of each; ``rows``: each interrupted run; or ``error``: why nothing was walked."""


@dataclass(frozen=True)
class Asked:
    """One walk: every how many steps, where, and whether each process starts as an interpreter of its own (``cold``)."""

    scene: str
    mode: str
    every: int
    scratch: str
    cold: bool = False


class Walker:
    """The caller's end of one such process; one walk at a time."""

    def __init__(self) -> None:
        same = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.walker"],
            cwd=scenes.ROOT,
            env=scenes.environment(Path("/")) | same,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def walk(self, asked: Asked) -> Found:
        """Interrupt the steps of a scene's command."""
        assert self._process.stdin and self._process.stdout
        print(json.dumps(asdict(asked)), file=self._process.stdin, flush=True)
        found: Found = json.loads(self._process.stdout.readline())
        return found

    def close(self) -> None:
        """Let the process end."""
        with suppress(OSError):
            self._process.communicate()


# -- a scene as functions, and as command lines ------------------------------------------------------------------------


def task(name: str, mode: str, every: int = 1) -> walk.Task:
    """What builds a scene, what is interrupted, and what looks at the rest."""
    scene = scenes.SCENES[name]
    script: Any = importlib.import_module(Path(scene.script).stem) if scene.script else None
    program: Any = importlib.import_module(
        Path(scene.program).stem if scene.program else "alice_exp.__main__"
    )

    def setup() -> None:
        root = Path(os.environ["CM_DIR"])
        _said(lambda: script.build(root) if script else scenes.build(root, scene))

    def command() -> None:
        root = os.environ["CM_DIR"]
        os.environ |= {"HOME": root, "ALICE_HOME": f"{root}/alice", "ALICE_ACTOR": scene.actor}
        sys.argv = [program.__file__, *shlex.split(scene.command.replace("$CM_DIR", root))]
        program.main()

    def check() -> None:
        root = Path(os.environ["CM_DIR"])
        _said(lambda: script.check(root) if script else check_home.main(name))

    return walk.Task(command, check, setup, mode, every)


def _said(run: Callable[[], object]) -> None:
    """What was lost, in one line."""
    try:
        run()
    except AssertionError as fault:
        sys.exit(str(fault).replace("\n", " "))


def cold_task(name: str, mode: str, every: int = 1) -> walk.Task:
    """The same as a shell's commands."""
    python, scene = shlex.quote(sys.executable), scenes.SCENES[name]
    given = f'HOME="$CM_DIR" ALICE_HOME="$CM_DIR/alice" ALICE_ACTOR={scene.actor}'
    program = shlex.quote(str(HERE / scene.program)) if scene.program else "-m alice_exp"
    command = f"{given} exec {python} {program} {scene.command}"
    part = f"{python} -m tests.crash.walker {shlex.quote(name)}"
    return walk.Task(command, f"{part} check", f"{part} setup", mode, every)


# -- the process -------------------------------------------------------------------------------------------------------


def _import_all() -> None:
    import alice_exp

    for module in pkgutil.walk_packages(alice_exp.__path__, "alice_exp."):
        with suppress(ImportError):  # an extra that is not installed
            importlib.import_module(module.name)
    for name, scene in scenes.SCENES.items():
        if not scene.lacks():
            task(name, "kill")


def _answer(asked: Asked) -> Found:
    os.environ.update(scenes.environment(Path(asked.scratch)))
    build = cold_task if asked.cold else task
    try:
        walked = walk.walk(build(asked.scene, asked.mode, asked.every), Path(asked.scratch))
    except Exception as fault:
        is_known = isinstance(fault, walk.Failed)
        return {"error": str(fault) if is_known else traceback.format_exc()}
    steps = [[step.name, step.path] for step in walked.steps]
    return {"steps": steps, "rows": [asdict(row) for row in walked.rows]}


def main() -> None:
    """Answer line by line, or play one part of a scene."""
    if sys.argv[1:]:
        name, part = sys.argv[1:]
        getattr(task(name, "kill"), part)()
        return
    _import_all()
    gc.freeze()
    for line in sys.stdin:
        child = os.fork()
        if child == 0:  # it mounts, and waits for whatever child it has
            answer = json.dumps(_answer(Asked(**json.loads(line))))
            print(answer, flush=True)
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            print(json.dumps({"error": "the walk died"}), flush=True)


if __name__ == "__main__":
    main()
