"""A Python function run as a program of its own, in a fork of a process that has imported all that it needs.

What a fresh interpreter does before and after is most of the time of a short command, and none of it touches the
sandbox. The fork gets what a new process would: environment, streams, clock zone, exit status. It shares imports alone:
the process that forks has never run the function. Exit functions are not called, since those are the forking one's too.
"""

import gc
import os
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NoReturn

Program = str | Callable[[], object]
"""A shell's text, which starts cold, or a function, which starts warm."""


def execute(program: Program, environment: Mapping[str, str]) -> NoReturn:
    """Become the program in this process; an error is of the start alone."""
    if isinstance(program, str):
        os.execve("/bin/sh", ["sh", "-c", program], dict(environment))
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    try:
        code = _status(program)
        gc.collect()  # an interpreter that ends lets go of what was left open
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # the streams are gone: Python ends so too
        code = 120
    os._exit(code)


def _status(run: Callable[[], object]) -> int:
    try:
        run()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return (end.code or 0) & 0xFF
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def run(program: Program, where: Path, environment: Mapping[str, str]) -> tuple[int, str]:
    """Run a program to its end; its exit status (128 and the signal) and what it said."""
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if child == 0:
            stand(where, said.fileno())
            execute(program, environment)
        _, status = os.waitpid(child, 0)
        ended = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
        said.seek(0)
        return ended, said.read().decode("utf-8", "replace")


def stand(where: Path, said: int) -> None:
    """What a program finds as it starts: where it is, nothing to read, and where its words go."""
    os.chdir(where)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(said, 1)
    os.dup2(said, 2)
