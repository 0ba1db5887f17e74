"""A process that dies at its k-th step on the file system, cheaply: a fork of this one."""

import os
import random
import subprocess
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

from alice_exp.kernel.journal import atomic_files
from tests.machine.alice_world import World

_STEPS = ("open", "write", "fsync", "link", "unlink", "rename", "ftruncate", "fchmod", "mkdir", "utime")
DONE, FAILED, DIED = 0, 3, 137


def dies(act: Callable[[], None], at: int, world: World) -> bool:
    """Run ``act`` in a child that dies at its ``at``-th step; whether it ended before that, with its act done."""
    child = os.fork()
    if child == 0:
        world.source = random.Random(at * 1_000_003 + world.turns)
        os._exit(_run(act, at))
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == DONE


def _run(act: Callable[[], None], at: int) -> int:
    left = at

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **named: Any) -> Any:
            nonlocal left
            left -= 1
            if left <= 0:
                os._exit(DIED)
            return function(*arguments, **named)

        return step

    try:
        for name in _STEPS:
            patch.object(os, name, counted(getattr(os, name))).start()
        patch.object(atomic_files, "exchange", counted(atomic_files.exchange)).start()
        patch.object(subprocess, "Popen", counted(subprocess.Popen)).start()
        act()
    except BaseException:
        return FAILED
    return DONE
